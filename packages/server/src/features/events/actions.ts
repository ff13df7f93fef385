import type { AccessToken } from '../../core/access-token.ts';
import type { Ctx } from '../../core/context.ts';
import type { Params } from '../../core/contract.ts';
import { DeferredResponse } from '../../core/deferred-response.ts';
import { fail, failConflict, failUnknown } from '../../core/errors.ts';
import { EventStreamResponse } from '../../core/event-stream.ts';
import type { HandlerResponse } from '../../core/handler.ts';
import type { EpochChecks, Polling, PollPosition, Queue } from '../../core/polls.ts';
import { PreserializedEvents } from '../../core/preserialized-events.ts';
import { findLastEventId } from '../event-log/index.ts';
import { claimQueue, type QueueOwner, updateQueueAcknowledged } from './claim-sql.ts';
import { parseClientId, toClientId } from './client-event-ids.ts';
import { deleteQueueOf, findQueue, type QueueRow } from './queries.ts';

/** Seconds a poll can wait, added to the life of the queue that it holds. */
const LONGEST_WAIT = 60;

/** The `last_event_id` of a client that has no event of the queue yet. */
const BEGINNING = -1;

/** The queue of this id, if it was registered with the credentials of the request. */
export const ownerOf = ({ realm, me, token }: Ctx, id: string): QueueOwner => ({
  realm_id: realm.id,
  user_id: me.id,
  token_id: token?.id ?? null,
  id,
});

/** Returns the events after `last_event_id`; waits for one unless `dont_block`. */
export async function poll(
  ctx: Ctx<EpochChecks & Polling>,
  { queue_id, last_event_id, dont_block }: Params<'getEvents'>,
): Promise<HandlerResponse<'getEvents'> | DeferredResponse<HandlerResponse<'getEvents'>>> {
  const { polls } = ctx.server;
  const { queue, position, ticket } = await claim(ctx, queue_id, last_event_id, dont_block ? 0 : LONGEST_WAIT);
  if (dont_block) return { events: new PreserializedEvents(await polls.read(queue, position)) };
  return new DeferredResponse((waiter) => polls.wait(queue, position, ticket, waiter));
}

/** Streams the events after `last_event_id`, until the client closes the connection or the queue ends. */
export async function streamEvents(
  ctx: Ctx<EpochChecks & Polling>,
  { queue_id, last_event_id }: Params<'getEvents'>,
): Promise<EventStreamResponse> {
  const { queue, position, ticket } = await claim(ctx, queue_id, last_event_id, LONGEST_WAIT);
  return new EventStreamResponse((sink) => ctx.server.polls.stream(queue, position, ticket, sink));
}

/** Acknowledges events of a queue that may be open as a stream, in this process or another one. */
export async function acknowledgeEvents(
  ctx: Ctx<EpochChecks & Polling>,
  { queue_id, last_event_id }: Params<'acknowledgeEvents'>,
): Promise<void> {
  const queue = await requireQueue(ctx, queue_id);
  const { log_id } = parseClientId(last_event_id);
  // A later acknowledgement was processed first.
  if (log_id < queue.acknowledged) return;
  await checkPosition(ctx, queue, last_event_id);
  if (!(await updateQueueAcknowledged(ctx.db, ownerOf(ctx, queue_id), log_id))) unknownQueue(queue_id);
}

interface ClaimedQueue {
  /** The part of the row that deliveries depend on. */
  readonly queue: Queue;
  readonly position: PollPosition;
  readonly ticket: string;
}

/** Acknowledges what the client has and takes the queue over. Ends the poll or stream that had it. */
async function claim(
  ctx: Ctx<EpochChecks & Polling>,
  queue_id: string,
  requested_id: number,
  waitSecs: number,
): Promise<ClaimedQueue> {
  const { polls } = ctx.server;
  const last_event_id = requested_id === BEGINNING ? requireBeginning(await requireQueue(ctx, queue_id)) : requested_id;
  const owner = ownerOf(ctx, queue_id);
  const { log_id, nth } = parseClientId(last_event_id);
  // An id of an ephemeral event is compared with the ids that this process sent, so the queue's last poll must be
  // known.
  if (nth > 0) await checkPosition(ctx, await requireQueue(ctx, queue_id), last_event_id);
  const ticket = polls.ticket();
  const scanned = polls.scanned(owner);
  const isAcknowledged = log_id < polls.findAcknowledged(owner);
  const claimed = isAcknowledged
    ? undefined
    : await claimQueue(ctx.db, owner, { acknowledged: log_id, scanned, ticket, now: ctx.now, waitSecs });
  if (!claimed) {
    await checkPosition(ctx, await requireQueue(ctx, queue_id), last_event_id);
    // Otherwise a user who was just deactivated could wait on a queue that nothing ends.
    return unknownQueue(queue_id);
  }
  const { poller, seen_at, scanned: passed, newest, lifespan_secs, ...queue } = claimed;
  polls.end(queue_id, poller);
  return {
    queue: { ...queue, key_version: ctx.me.key_version, token: ctx.token && toQueueToken(ctx.token) },
    position: { last_event_id, poller, seen_at, scanned: passed, newest, lifespan_secs },
    ticket,
  };
}

const toQueueToken = ({ id, stream_id, expires_at }: AccessToken): Queue['token'] => ({ id, stream_id, expires_at });

/** The id before the first event of a queue, while the log still has that event. */
function requireBeginning({ acknowledged, starts_after }: QueueRow): number {
  const id = toClientId({ log_id: acknowledged, nth: 0 });
  if (acknowledged === starts_after) return id;
  return failConflict(
    `last_event_id: -1 asks from the beginning of the queue, but events up to ${id} were acknowledged and are gone. Send the id of the last event that you have, or register a new queue.`,
  );
}

async function checkPosition(ctx: Ctx<EpochChecks & Polling>, queue: QueueRow, last_event_id: number): Promise<void> {
  const { log_id, nth } = parseClientId(last_event_id);
  if (log_id < queue.acknowledged) {
    const acknowledged = toClientId({ log_id: queue.acknowledged, nth: 0 });
    failConflict(`last_event_id: events up to ${acknowledged} were acknowledged and are gone; register a new queue.`);
  }
  const isSent = nth === 0 || last_event_id <= (ctx.server.polls.findNewestSent(queue) ?? Number.POSITIVE_INFINITY);
  const isLogged = log_id === queue.acknowledged || log_id <= (await findLastEventId(ctx.db, ctx.realm.id));
  if (isSent && isLogged) return;
  // A client that knows events which the database does not have: the database was restored, and its queue is gone.
  await ctx.server.checkEpoch();
  await requireQueue(ctx, queue.id);
  failUnknown(`last_event_id: there is no event ${last_event_id} yet.`);
}

export async function deleteQueue(ctx: Ctx<Polling>, queue_id: string): Promise<void> {
  const queue = await deleteQueueOf(ctx.db, ownerOf(ctx, queue_id));
  if (!queue) return unknownQueue(queue_id);
  ctx.server.polls.end(queue.id, queue.poller);
}

/** With what the client has acknowledged by polls that updated no row. */
async function requireQueue(ctx: Ctx<Polling>, queue_id: string): Promise<QueueRow> {
  const owner = ownerOf(ctx, queue_id);
  const queue = (await findQueue(ctx.db, owner, ctx.now)) ?? unknownQueue(queue_id);
  return { ...queue, acknowledged: Math.max(queue.acknowledged, ctx.server.polls.findAcknowledged(owner)) };
}

function unknownQueue(queue_id: string): never {
  return fail('BAD_EVENT_QUEUE_ID', `Bad event queue id: ${queue_id}`, { queue_id });
}
