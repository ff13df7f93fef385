import { randomUUID } from 'node:crypto';
import { isGuest } from '../../access/roles.ts';
import type { AccessToken } from '../../core/access-token.ts';
import type { CollectionLimiting } from '../../core/collection-limits.ts';
import type { Ctx, User } from '../../core/context.ts';
import type { Params } from '../../core/contract.ts';
import { DeferredResponse } from '../../core/deferred-response.ts';
import { fail } from '../../core/errors.ts';
import { EventStreamResponse } from '../../core/event-stream.ts';
import type { HandlerResponse } from '../../core/handler.ts';
import { FEATURE_LEVEL } from '../../core/limits.ts';
import type { EpochChecks, Polling, PollPosition, Queue } from '../../core/polls.ts';
import { PreserializedEvents } from '../../core/preserialized-events.ts';
import { failForRoom } from '../../core/require-room.ts';
import type { Transactions } from '../../core/server.ts';
import type { SnapshotCaching } from '../../core/snapshot-cache.ts';
import { VERSION } from '../../core/version.ts';
import { findLastEventId } from '../event-log/index.ts';
import { lockUsersForShare, requireLockedUser } from '../users/index.ts';
import { claimQueue, type QueueOwner, updateQueueAcknowledged } from './claim-sql.ts';
import { parseClientId, toClientId } from './client-event-ids.ts';
import {
  deleteQueueOf,
  findQueue,
  insertQueue,
  lockTokenForShare,
  type QueueRow,
  startQueueAtSnapshot,
  startQueueNow,
} from './queries.ts';
import { narrowProblem } from './rules.ts';
import { fetchesState, stateFor } from './state.ts';

/** Seconds a queue lives without being asked for (docs/behaviour/events.md#lifetime-of-a-queue). */
const LIFESPAN = 600;
/** Seconds a poll can wait, added to the life of the queue that it holds. */
const LONGEST_WAIT = 60;

/** The `last_event_id` of a client that has no event of the queue yet. */
const BEGINNING = -1;

/** How often registering begins again when the account's queues end meanwhile. */
const ATTEMPTS = 5;

/**
 * Opens a queue and reads the state that it starts from. The queue is there first: requests that add a queue to one account
 * take turns, and the transaction that reads the state in one moment cannot, because it would not see what others added.
 */
export async function register(
  ctx: Ctx<CollectionLimiting & Polling & SnapshotCaching & Transactions>,
  params: Params<'registerQueue'>,
): Promise<HandlerResponse<'registerQueue'>> {
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
async function openQueue(given: Ctx<CollectionLimiting>, params: Params<'registerQueue'>): Promise<string> {
  // Requests that add a queue to one account take turns.
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

/** Has the queue start at the state, both of one moment; undefined if the account's queues ended since it was opened. */
async function startQueueWithState(
  given: Ctx<Polling & SnapshotCaching>,
  queue_id: string,
  params: Params<'registerQueue'>,
): Promise<HandlerResponse<'registerQueue'> | undefined> {
  const ctx = { ...given, me: await lockCallerForShare(given) };
  const acknowledged = await startQueueAtSnapshot(ctx.db, ctx.realm.id, queue_id);
  if (acknowledged === undefined) return undefined;
  ctx.server.snapshotCache.rememberSnapshot(ctx, acknowledged);
  return { ...presentStart(ctx, queue_id, acknowledged), ...(await stateFor(ctx, params)) };
}

/** Has a queue start now that no state belongs to. */
async function startQueueAlone(
  ctx: Ctx<Polling>,
  queue_id: string,
): Promise<HandlerResponse<'registerQueue'> | undefined> {
  // Not with the statement that adds the queue: events that the log is rid of before that commits would be missing.
  const acknowledged = await startQueueNow(ctx.db, ctx.realm.id, queue_id);
  return acknowledged === undefined ? undefined : presentStart(ctx, queue_id, acknowledged);
}

function presentStart(ctx: Ctx<Polling>, queue_id: string, acknowledged: number) {
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
 * The caller as they are until the queue is there: who changes their role or ends their account also ends their queues, and
 * must find this one.
 */
async function lockCallerForShare(ctx: Ctx): Promise<User> {
  const [me] = await lockUsersForShare(ctx.db, ctx.realm.id, [ctx.me.id]);
  return requireActive(me);
}

const requireActive = (user: User | undefined): User =>
  user?.is_active ? user : fail('USER_DEACTIVATED', 'This account has been deactivated.');

/** Has a token stay until the queue that it registers is there: revoking it ends its queues, and must find this one. */
async function requireToken({ db, realm, token }: Ctx): Promise<void> {
  if (token && !(await lockTokenForShare(db, realm.id, token.id))) failRevoked();
}

const failRevoked = (): never => fail('INVALID_TOKEN', 'Invalid token: it is unknown, or was revoked.');

/** The queue of this id, if it was registered with the credentials of the request. */
const ownerOf = ({ realm, me, token }: Ctx, id: string): QueueOwner => ({
  realm_id: realm.id,
  user_id: me.id,
  token_id: token?.id ?? null,
  id,
});

/** The events after `last_event_id`; waits for one unless `dont_block`. */
export async function poll(
  ctx: Ctx<EpochChecks & Polling>,
  { queue_id, last_event_id, dont_block }: Params<'getEvents'>,
): Promise<HandlerResponse<'getEvents'> | DeferredResponse<HandlerResponse<'getEvents'>>> {
  const { polls } = ctx.server;
  const { queue, asking, ticket } = await claim(ctx, queue_id, last_event_id, dont_block ? 0 : LONGEST_WAIT);
  if (dont_block) return { events: new PreserializedEvents(await polls.read(queue, asking)) };
  return new DeferredResponse((waiter) => polls.wait(queue, asking, ticket, waiter));
}

/** The events after `last_event_id` as they happen, until the client has closed the connection or the queue ends. */
export async function streamEvents(
  ctx: Ctx<EpochChecks & Polling>,
  { queue_id, last_event_id }: Params<'getEvents'>,
): Promise<EventStreamResponse> {
  const { key_version } = ctx.me;
  const { queue, asking, ticket } = await claim(ctx, queue_id, last_event_id, LONGEST_WAIT);
  return new EventStreamResponse((sink) => ctx.server.polls.stream({ ...queue, key_version }, asking, ticket, sink));
}

/** Acknowledges events for a queue that may be followed as a stream, in this process or another one. */
export async function acknowledgeEvents(
  ctx: Ctx<EpochChecks & Polling>,
  { queue_id, last_event_id }: Params<'acknowledgeEvents'>,
): Promise<void> {
  const queue = await requireQueue(ctx, queue_id);
  const { log_id } = parseClientId(last_event_id);
  // An acknowledgement that a later one has overtaken.
  if (log_id < queue.acknowledged) return;
  await checkPosition(ctx, queue, last_event_id);
  if (!(await updateQueueAcknowledged(ctx.db, ownerOf(ctx, queue_id), log_id))) unknownQueue(queue_id);
}

interface ClaimedQueue {
  /** What deliveries depend on, and nothing else of the row. */
  readonly queue: Queue;
  readonly asking: PollPosition;
  readonly ticket: string;
}

/** Acknowledges what the client has and takes the queue over. Ends the poll or stream that had it. */
async function claim(
  ctx: Ctx<EpochChecks & Polling>,
  queue_id: string,
  given_id: number,
  waitSecs: number,
): Promise<ClaimedQueue> {
  const { polls } = ctx.server;
  const last_event_id = given_id === BEGINNING ? requireBeginning(await requireQueue(ctx, queue_id)) : given_id;
  const owner = ownerOf(ctx, queue_id);
  const { log_id, nth } = parseClientId(last_event_id);
  // An id of an ephemeral event is compared with those that this process gave, for which it must know the queue's last poll.
  if (nth > 0) await checkPosition(ctx, await requireQueue(ctx, queue_id), last_event_id);
  const ticket = polls.ticket();
  const scanned = polls.scanned(owner);
  const claimed = await claimQueue(ctx.db, owner, { acknowledged: log_id, scanned, ticket, now: ctx.now, waitSecs });
  if (!claimed) {
    await checkPosition(ctx, await requireQueue(ctx, queue_id), last_event_id);
    // A user who was deactivated a moment ago must not wait on a queue that nothing will end.
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

/** The id before the first event of a queue, while the queue still has that event. */
function requireBeginning({ acknowledged, starts_after }: QueueRow): number {
  const id = toClientId({ log_id: acknowledged, nth: 0 });
  if (acknowledged === starts_after) return id;
  return fail(
    'BAD_REQUEST',
    `last_event_id: -1 asks from the beginning of the queue, but events up to ${id} were acknowledged and are gone. Send the id of the last event that you have, or register a new queue.`,
  );
}

async function checkPosition(ctx: Ctx<EpochChecks & Polling>, queue: QueueRow, last_event_id: number): Promise<void> {
  const { log_id, nth } = parseClientId(last_event_id);
  if (log_id < queue.acknowledged) {
    const gone = toClientId({ log_id: queue.acknowledged, nth: 0 });
    fail('BAD_REQUEST', `last_event_id: events up to ${gone} were acknowledged and are gone; register a new queue.`);
  }
  const isGiven = nth === 0 || last_event_id <= (ctx.server.polls.findNewestSent(queue) ?? Number.POSITIVE_INFINITY);
  const isLogged = log_id === queue.acknowledged || log_id <= (await findLastEventId(ctx.db, ctx.realm.id));
  if (isGiven && isLogged) return;
  // A client knows events that the database does not have when the database was restored: then its queue is gone.
  await ctx.server.checkEpoch();
  await requireQueue(ctx, queue.id);
  fail('BAD_REQUEST', `last_event_id: there is no event ${last_event_id} yet.`);
}

export async function deleteQueue(ctx: Ctx<Polling>, queue_id: string): Promise<void> {
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
