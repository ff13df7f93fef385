import { promises as fs } from 'node:fs';
import type { PositionStore, QueuePosition } from '../index.ts';

/**
 * Keeps the position of a program in a file. The file is replaced as a whole and written through to the disk, so after a crash it has the
 * position before or the one after.
 *
 * @param path - The file. Its folder must exist. Each program needs a file of its own.
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

/** To go on without the position would lose events, and the program would not know it. */
function parsePosition(path: string, text: string): QueuePosition {
  try {
    const position = JSON.parse(text) as Partial<QueuePosition>;
    if (position.queue_id !== undefined && position.last_event_id !== undefined) return position as QueuePosition;
  } catch {
    // The error below names the file.
  }
  throw new Error(`${path} has no position of a queue. Without the file, the program starts with what happens next.`);
}
