import type { Db } from '@parley/db';
import type { Delivered, Queue } from '../../core/context.ts';
import { listEvents, loadAudienceFacts } from './queries.ts';
import { expanded, loadReading } from './readers.ts';
import { asDelivered, asOverheard, asReadBy, isFor, isOverheard, type Logged } from './rules.ts';

/** Where a person's avatar is when they have none of their own. */
export const defaultAvatarOf = (user_id: number): string => `/avatar/${user_id}`;

/** What the log has for one queue after an id. `scanned` is how far it was read: nothing before it is left to deliver. */
export async function readFor(db: Db, queue: Queue, after: number): Promise<{ events: Delivered[]; scanned: number }> {
  for (let scanned = after; ; ) {
    const { page, more } = await listEvents(db, queue.realm_id, scanned);
    scanned = page.at(-1)?.id ?? scanned;
    const events = (await deliveries(db, page, [queue])).get(queue.id) ?? [];
    if (events.length > 0 || !more) return { events, scanned };
  }
}

/** Which of these events go to which queue, by queue id. All queues are of one organization. */
export async function deliveries(
  db: Db,
  page: readonly Logged[],
  queues: readonly Queue[],
): Promise<Map<string, Delivered[]>> {
  const [first] = queues;
  const news = page.filter((event) => event.payload.type !== 'heartbeat');
  if (!first || news.length === 0) return new Map();
  const people = [...new Set(queues.map((queue) => queue.user_id))];
  const told = await expanded(db, first.realm_id, news, people);
  const facts = {
    ...(await loadAudienceFacts(db, first.realm_id, told, people)),
    reading: await loadReading(db, first.realm_id, told, people),
  };
  return new Map(
    queues.map((queue) => [
      queue.id,
      told
        .filter((event) => isFor(event, queue, facts))
        .map((event) => (isOverheard(event, queue, facts) ? asOverheard(event) : event))
        .map((event) => asReadBy(event, queue.user_id, facts.reading))
        .map((event) => asDelivered(event, queue, defaultAvatarOf)),
    ]),
  );
}
