import type { Db } from '@parley/db';
import { deleteExpired } from './queries.ts';

/** Drops queues that nobody asked for in their lifetime, and the events that no queue needs any more. */
export const sweepQueues = (db: Db, now: Date): Promise<void> => deleteExpired(db, now);
