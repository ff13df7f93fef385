import type { Engine } from '../../core/transaction.ts';
import { deleteUnneededEvents } from '../event-log/index.ts';
import { deleteExpiredQueues, deleteOverfullQueues } from './sweep-sql.ts';

/**
 * Ends queues without a poll within their lifespan or that retain too much, and deletes the events that no queue needs.
 */
export async function sweepQueues({ database: { db }, clock, server }: Engine): Promise<void> {
  await deleteExpiredQueues(db, clock());
  const { queue_events: events, queue_bytes: bytes } = server.collection_limits;
  for (const { realm_id, id, poller } of await deleteOverfullQueues(db, { events, bytes })) {
    server.log.info({ realm_id, queue_id: id }, 'an event queue held back too much of the log and was ended');
    server.polls.end(id, poller);
  }
  await deleteUnneededEvents(db);
}
