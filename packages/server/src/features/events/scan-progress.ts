// How far the log was looked at for queues, where their rows do not say so yet. What is forgotten here is looked at once more.
import type { Db } from '@parley/db';
import type { Queue } from '../../core/polls.ts';
import { type QueueProgress, updateQueuesScanned } from './queries.ts';

/** How far a poll got. */
interface Progress {
  readonly queue: Pick<Queue, 'realm_id' | 'id'>;
  /** Nothing up to here is left to deliver. */
  readonly passed: number;
  /** As much as the row of the queue says. */
  readonly stored: number;
}

export class ScanProgress {
  readonly #queues = new Map<string, QueueProgress>();

  /** Notes how far a poll got, for the next poll of the queue to write down, or for `save`. */
  note({ queue: { realm_id, id }, passed, stored }: Progress): void {
    const scanned = Math.max(passed, this.#queues.get(id)?.scanned ?? 0);
    if (scanned > stored) this.#queues.set(id, { realm_id, id, scanned });
  }

  /** How far the queue got, 0 if its row says so; the caller writes it down. */
  take(queue_id: string): number {
    const scanned = this.#queues.get(queue_id)?.scanned ?? 0;
    this.#queues.delete(queue_id);
    return scanned;
  }

  /** Writes down in one statement what no poll has written down. */
  async save(db: Db): Promise<void> {
    if (this.#queues.size === 0) return;
    const queues = [...this.#queues.values()];
    this.#queues.clear();
    await updateQueuesScanned(db, queues);
  }
}
