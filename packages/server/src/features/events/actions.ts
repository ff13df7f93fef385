import { randomUUID } from 'node:crypto';
import { isGuest } from '../../access/roles.ts';
import type { AccessToken, Ctx, PollPosition, Queue, User } from '../../core/context.ts';
import type { Params } from '../../core/contract.ts';
import { DeferredResponse } from '../../core/deferred-response.ts';
import { fail } from '../../core/errors.ts';
import { EventStreamResponse } from '../../core/event-stream.ts';
import type { HandlerResponse } from '../../core/handler.ts';
import { FEATURE_LEVEL } from '../../core/limits.ts';
import { PreserializedEvents } from '../../core/preserialized-events.ts';
import { failForRoom } from '../../core/require-room.ts';
import { VERSION } from '../../core/version.ts';
import { lockUsersForShare, requireLockedUser } from '../users/index.ts';
import { claimQueue, type QueueOwner, updateQueueAcknowledged } from './claim-sql.ts';
import { parseClientId, toClientId } from './client-event-ids.ts';
import {
  deleteQueueOf,
  findLastEventId,
  findQueue,
  insertQueue,
  lockTokenForShare,
  type QueueRow,
  startQueueAtSnapshot,
  startQueueNow,
} from './queries.ts';
import { narrowProblem } from './rules.ts';
import { fetchesState, stateFor } from './state.ts';

/** Seconds that a queue lives without a poll (docs/behaviour/events.md#lifetime-of-a-queue). */
const LIFESPAN = 600;
/** Seconds that a poll can wait: the queue lives that much longer. */
const LONGEST_WAIT = 60;

/** The `last_event_id` of a client that has no event of the queue yet. */
const BEGINNING = -1;

/** How often a registration is retried when the account's queues end meanwhile. */
const ATTEMPTS = 5;

/**
 * Opens a queue and reads the state that it starts from. The queue is committed first: requests that add a queue to one
 * account are serialized, which the repeatable-read transaction for the state cannot be, because it would not see the
 * queues of others.
 */
export async function register(ctx: Ctx, params: Params<'registerQueue'>): Promise<HandlerResponse<'registerQueue'>> {
  const problem = narrowProblem(params.narrow ?? []);
  if (problem !== undefined) fail('BAD_NARROW', `Invalid narrow: ${problem}`, { desc: problem });
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const queue_id = await ctx.server.inTransaction(ctx, (inside) => openQueue(inside, params));
    try {
      const answer = fetchesState(params)
        ? await ctx.server.inTransaction(ctx, (inside) => startQueueWithState(inside, queue_id, params), true)
        : await startQueueAlone(ctx, queue_id);
      if (answer) return answer;
    } catch (error) {
      await deleteQueueOf(ctx.db, ownerOf(ctx, queue_id));
      throw error;
    }
  }
  throw new Error('The queues of the account ended each time that it registered one.');
}

/** Adds a queue, which keeps the events from now on. */
async function openQueue(given: Ctx, params: Params<'registerQueue'>): Promise<string> {
  // Requests that add a queue to one account are serialized.
  const ctx = { ...given, me: requireActive(await requireLockedUser(given.db, given.me)) };
  await requireToken(ctx);
  if (params.all_public_streams && isGuest(ctx.me)) fail('BAD_REQUEST', 'Guests cannot follow all public streams.');
  const lifespan_secs = params.queue_lifespan_secs ?? LIFESPAN;
  const id = randomUUID();
  const queue = {
    realm_id: ctx.realm.id,
    id,
    user_id: ctx.me.id,
    token_id: ctx.token?.id ?? null,
    event_types: params.event_types ?? null,
    narrow: params.narrow ?? [],
    all_public_streams: params.all_public_streams,
    apply_markdown: params.apply_markdown,
    client_gravatar: params.client_gravatar,
    slim_presence: params.slim_presence,
    lifespan_secs,
    expires_at: new Date(ctx.now.getTime() + lifespan_secs * 1000),
    seen_at: ctx.now,
  };
  if (!(await insertQueue(ctx.db, queue, ctx.server.collection_limits.event_queues))) failForRoom(ctx, 'event_queues');
  return id;
}

/**
 * Starts the queue at the snapshot of the state. Returns undefined if the account's queues ended since it was opened.
 */
async function startQueueWithState(
  given: Ctx,
  queue_id: string,
  params: Params<'registerQueue'>,
): Promise<HandlerResponse<'registerQueue'> | undefined> {
  const ctx = { ...given, me: await lockCallerForShare(given) };
  const acknowledged = await startQueueAtSnapshot(ctx.db, ctx.realm.id, queue_id);
  if (acknowledged === undefined) return undefined;
  ctx.server.snapshotCache.rememberSnapshot(ctx, acknowledged);
  return { ...presentStart(ctx, queue_id, acknowledged), ...(await stateFor(ctx, params)) };
}

/** Starts a queue without a state at the newest event. */
async function startQueueAlone(ctx: Ctx, queue_id: string): Promise<HandlerResponse<'registerQueue'> | undefined> {
  // A separate statement after the one that adds the queue: events deleted from the log before that one commits would
  // be missing.
  const acknowledged = await startQueueNow(ctx.db, ctx.realm.id, queue_id);
  return acknowledged === undefined ? undefined : presentStart(ctx, queue_id, acknowledged);
}

function presentStart(ctx: Ctx, queue_id: string, acknowledged: number) {
  const last_event_id = toClientId({ log_id: acknowledged, nth: 0 });
  ctx.server.polls.begin(queue_id, last_event_id);
  return {
    queue_id,
    last_event_id,
    service_feature_level: FEATURE_LEVEL,
    service_version: VERSION,
    service_merge_base: VERSION,
  };
}

/**
 * Locks the caller for share until the queue is committed: a request that changes their role or deactivates the account
 * also ends their queues, and must find this one.
 */
async function lockCallerForShare(ctx: Ctx): Promise<User> {
  const [me] = await lockUsersForShare(ctx.db, ctx.realm.id, [ctx.me.id]);
  return requireActive(me);
}

const requireActive = (user: User | undefined): User =>
  user?.is_active ? user : fail('USER_DEACTIVATED', 'This account has been deactivated.');

/**
 * Locks a token until the queue that it registers is committed: revoking it ends its queues, and must find this one.
 */
async function requireToken({ db, realm, token }: Ctx): Promise<void> {
  if (token && !(await lockTokenForShare(db, realm.id, token.id))) failRevoked();
}

const failRevoked = (): never => fail('INVALID_TOKEN', 'Invalid token: it is unknown, or was revoked.');

/** Returns the queue of this id, if it was registered with the credentials of the request. */
const ownerOf = ({ realm, me, token }: Ctx, id: string): QueueOwner => ({
  realm_id: realm.id,
  user_id: me.id,
  token_id: token?.id ?? null,
  id,
});

/** Returns the events after `last_event_id`; waits for one unless `dont_block`. */
export async function poll(
  ctx: Ctx,
  { queue_id, last_event_id, dont_block }: Params<'getEvents'>,
): Promise<HandlerResponse<'getEvents'> | DeferredResponse<HandlerResponse<'getEvents'>>> {
  const { polls } = ctx.server;
  const { queue, asking, ticket } = await claim(ctx, queue_id, last_event_id, dont_block ? 0 : LONGEST_WAIT);
  if (dont_block) return { events: new PreserializedEvents(await polls.read(queue, asking)) };
  return new DeferredResponse((waiter) => polls.wait(queue, asking, ticket, waiter));
}

/** Streams the events after `last_event_id`, until the client closes the connection or the queue ends. */
export async function streamEvents(
  ctx: Ctx,
  { queue_id, last_event_id }: Params<'getEvents'>,
): Promise<EventStreamResponse> {
  const { key_version } = ctx.me;
  const { queue, asking, ticket } = await claim(ctx, queue_id, last_event_id, LONGEST_WAIT);
  return new EventStreamResponse((sink) => ctx.server.polls.stream({ ...queue, key_version }, asking, ticket, sink));
}

/** Acknowledges events of a queue that may be open as a stream, in this process or another one. */
export async function acknowledgeEvents(
  ctx: Ctx,
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
  readonly asking: PollPosition;
  readonly ticket: string;
}

/** Acknowledges the events that the client has, and takes the queue over. Ends the poll or stream that had it. */
async function claim(ctx: Ctx, queue_id: string, given_id: number, waitSecs: number): Promise<ClaimedQueue> {
  const { polls } = ctx.server;
  const last_event_id = given_id === BEGINNING ? requireBeginning(await requireQueue(ctx, queue_id)) : given_id;
  const owner = ownerOf(ctx, queue_id);
  const { log_id, nth } = parseClientId(last_event_id);
  // An id of an ephemeral event is compared with the ids that this process sent, so the queue's last poll must be
  // known.
  if (nth > 0) await checkPosition(ctx, await requireQueue(ctx, queue_id), last_event_id);
  const ticket = polls.ticket();
  const scanned = polls.scanned(owner);
  const claimed = await claimQueue(ctx.db, owner, { acknowledged: log_id, scanned, ticket, now: ctx.now, waitSecs });
  if (!claimed) {
    await checkPosition(ctx, await requireQueue(ctx, queue_id), last_event_id);
    // Otherwise a user who was just deactivated could wait on a queue that nothing ends.
    return unknownQueue(queue_id);
  }
  const { poller, seen_at, scanned: passed, ...queue } = claimed;
  polls.end(queue_id, poller);
  return {
    queue: { ...queue, token: ctx.token && toQueueToken(ctx.token) },
    asking: { last_event_id, poller, seen_at, scanned: passed },
    ticket,
  };
}

const toQueueToken = ({ id, stream_id, expires_at }: AccessToken): Queue['token'] => ({ id, stream_id, expires_at });

/** The id before the first event of a queue, while the log still has that event. */
function requireBeginning({ acknowledged, starts_after }: QueueRow): number {
  const id = toClientId({ log_id: acknowledged, nth: 0 });
  if (acknowledged === starts_after) return id;
  return fail(
    'BAD_REQUEST',
    `last_event_id: -1 asks from the beginning of the queue, but events up to ${id} were acknowledged and are gone. Send the id of the last event that you have, or register a new queue.`,
  );
}

async function checkPosition(ctx: Ctx, queue: QueueRow, last_event_id: number): Promise<void> {
  const { log_id, nth } = parseClientId(last_event_id);
  if (log_id < queue.acknowledged) {
    const gone = toClientId({ log_id: queue.acknowledged, nth: 0 });
    fail('BAD_REQUEST', `last_event_id: events up to ${gone} were acknowledged and are gone; register a new queue.`);
  }
  const isGiven = nth === 0 || last_event_id <= (ctx.server.polls.findNewestSent(queue) ?? Number.POSITIVE_INFINITY);
  const isLogged = log_id === queue.acknowledged || log_id <= (await findLastEventId(ctx.db, ctx.realm.id));
  if (isGiven && isLogged) return;
  // A client that knows events which the database does not have: the database was restored, and its queue is gone.
  await ctx.server.checkEpoch();
  await requireQueue(ctx, queue.id);
  fail('BAD_REQUEST', `last_event_id: there is no event ${last_event_id} yet.`);
}

export async function deleteQueue(ctx: Ctx, queue_id: string): Promise<void> {
  const queue = await deleteQueueOf(ctx.db, ownerOf(ctx, queue_id));
  if (!queue) return unknownQueue(queue_id);
  ctx.server.polls.end(queue.id, queue.poller);
}

async function requireQueue(ctx: Ctx, queue_id: string): Promise<QueueRow> {
  return (await findQueue(ctx.db, ownerOf(ctx, queue_id), ctx.now)) ?? unknownQueue(queue_id);
}

function unknownQueue(queue_id: string): never {
  return fail('BAD_EVENT_QUEUE_ID', `Bad event queue id: ${queue_id}`, { queue_id });
}
