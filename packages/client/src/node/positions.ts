import { promises as fs } from 'node:fs';
import type { PositionStore, QueuePosition } from '../index.ts';

/**
 * Stores the position of a program in a file. The file is replaced atomically and flushed to the disk, so after a crash
 * it contains the old position or the new one.
 *
 * @param path - Path of the file. Its directory must exist. Each program needs a file of its own.
 * @since Feature level 237.
 * @see `/docs/guides/sdk/#programs-that-restart` on your server
 * @example
 * import { clientFromHere, createFilePositionStore } from '@parley/client/node';
 * const events = clientFromHere().events({ types: ['message'], resume: createFilePositionStore('bot.position.json') });
 */
export function createFilePositionStore(path: string): PositionStore {
  return {
    async load() {
      const text = await fs.readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
      return text === undefined ? undefined : parsePosition(path, text);
    },
    async save(position) {
      const next = `${path}.next`;
      const file = await fs.open(next, 'w');
      try {
        await file.writeFile(`${JSON.stringify(position)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await fs.rename(next, path);
    },
  };
}

/** Continuing without the position would lose events unnoticed. */
function parsePosition(path: string, text: string): QueuePosition {
  try {
    const position = JSON.parse(text) as Partial<QueuePosition>;
    if (position.queue_id !== undefined && position.last_event_id !== undefined) return position as QueuePosition;
  } catch {
    // The error below names the file.
  }
  throw new Error(`${path} has no position of a queue. Without the file, the program starts with what happens next.`);
}
