// How far the log was read for queues, where their rows are not updated yet. Forgetting it only repeats the read.
import type { Db } from '@parley/db';
import type { Queue } from '../../core/polls.ts';
import { type QueueProgress, updateQueuesScanned } from './queries.ts';

/** The progress of a poll. */
interface Progress {
  readonly queue: Pick<Queue, 'realm_id' | 'id'>;
  /** All events up to here were delivered or skipped. */
  readonly passed: number;
  /** The value in the row of the queue. */
  stored: number;
}

export class ScanProgress {
  readonly #queues = new Map<string, QueueProgress>();
  #saved: Promise<void> = Promise.resolve();

  /** Remembers the progress of a poll, for the queue's next poll or `save` to store. */
  note({ queue: { realm_id, id }, passed, stored }: Readonly<Progress>): void {
    const scanned = Math.max(passed, this.#queues.get(id)?.scanned ?? 0);
    if (scanned > stored) this.#queues.set(id, { realm_id, id, scanned });
  }

  /** Remembers the progress of polls that go on waiting, if it is at least `unsaved` events. */
  noteWaiting(polls: Iterable<Progress>, unsaved: number): void {
    for (const poll of polls) {
      if (poll.passed - poll.stored < unsaved) continue;
      this.note(poll);
      poll.stored = poll.passed;
    }
  }

  /** Returns and forgets the progress of the queue, 0 if its row is up to date; the caller stores it. */
  take(queue_id: string): number {
    const scanned = this.#queues.get(queue_id)?.scanned ?? 0;
    this.#queues.delete(queue_id);
    return scanned;
  }

  /** Stores, in one statement, the progress that no poll has stored. What another call is storing is stored when this one resolves. */
  save(db: Db): Promise<void> {
    const saving = this.#saved.then(() => this.#save(db));
    this.#saved = saving.catch(() => {});
    return saving;
  }

  async #save(db: Db): Promise<void> {
    if (this.#queues.size === 0) return;
    const queues = [...this.#queues.values()];
    this.#queues.clear();
    const locked = new Set(await updateQueuesScanned(db, queues));
    for (const queue of queues)
      if (locked.has(queue.id) && !this.#queues.has(queue.id)) this.#queues.set(queue.id, queue);
  }
}
