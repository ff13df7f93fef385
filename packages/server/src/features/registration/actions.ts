import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { sendTogether } from '@parley/db';
import { isGuest } from '../../access/roles.ts';
import type { CollectionLimiting } from '../../core/collection-limits.ts';
import type { Ctx, User } from '../../core/context.ts';
import type { Params } from '../../core/contract.ts';
import { fail, failForbidden } from '../../core/errors.ts';
import type { HandlerResponse } from '../../core/handler.ts';
import { FEATURE_LEVEL } from '../../core/limits.ts';
import type { Polling } from '../../core/polls.ts';
import { failForRoom } from '../../core/require-room.ts';
import type { Transactions } from '../../core/server.ts';
import type { SnapshotCaching } from '../../core/snapshot-cache.ts';
import { VERSION } from '../../core/version.ts';
import {
  deleteQueueOf,
  insertQueue,
  narrowProblem,
  ownerOf,
  type QueueStart,
  startQueueAtSnapshot,
  startQueueNow,
  toClientId,
} from '../events/index.ts';
import { requireLockedUser } from '../users/index.ts';
import { addState, fetchesState, readState } from './state.ts';

/** Seconds that a queue lives without a poll (docs/behaviour/events.md#lifetime-of-a-queue). */
const LIFESPAN = 600;
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
    const opened = await ctx.server.inTransaction(ctx, (inside) => openQueue(inside, params));
    const { queue_id } = opened;
    try {
      const response = fetchesState(params)
        ? await ctx.server.inTransaction(ctx, (inside) => startQueueWithState(inside, opened, params), true)
        : await startQueueAlone(ctx, queue_id);
      if (response) return response;
    } catch (error) {
      await deleteQueueOf(ctx.db, ownerOf(ctx, queue_id));
      throw error;
    }
  }
  throw new Error('The queues of the account ended each time that it registered one.');
}

interface OpenedQueue {
  readonly queue_id: string;
  /** The account as it was then. */
  readonly me: User;
}

/** Adds a queue, which keeps the events from now on. */
async function openQueue(ctx: Ctx<CollectionLimiting>, params: Params<'registerQueue'>): Promise<OpenedQueue> {
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
  // Requests that add a queue to one account take turns.
  const [me, { is_inserted, has_room }] = await sendTogether(
    ctx.db,
    () => requireLockedUser(ctx.db, ctx.me),
    () => insertQueue(ctx.db, queue, ctx.server.collection_limits.event_queues),
  );
  if (is_inserted) return { queue_id: id, me };
  const { role } = requireActive(me);
  if (params.all_public_streams && isGuest({ role })) failForbidden('Guests cannot follow all public streams.');
  return has_room ? failRevoked() : failForRoom(ctx, 'event_queues');
}

/** Has the queue start at the state, both of one moment; undefined if the account's queues ended since it was opened. */
async function startQueueWithState(
  callerCtx: Ctx<Polling & SnapshotCaching>,
  { queue_id, me }: OpenedQueue,
  params: Params<'registerQueue'>,
): Promise<HandlerResponse<'registerQueue'> | undefined> {
  const { db, realm } = callerCtx;
  let start: QueueStart | undefined;
  const findStart = async () => {
    start = await startQueueAtSnapshot(db, realm.id, queue_id);
  };
  const state = await readState({ ...callerCtx, me }, params, [findStart]);
  if (start === undefined) return undefined;
  // Who changes their role or ends their account ends this queue as well, as it is there already.
  const ctx = { ...callerCtx, me: requireActive(start.me) };
  ctx.server.snapshotCache.rememberSnapshot(ctx, start.last_event_id);
  // The state was read for the account as it was before. If it has changed since, it is read again in the same moment.
  const current = isDeepStrictEqual(start.me, me) ? state : await readState(ctx, params);
  // The response has so many fields that a copy takes as long as a statement.
  return addState(ctx, current, presentStart(ctx, queue_id, start.last_event_id));
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

const requireActive = (user: User | undefined): User =>
  user?.is_active ? user : fail('USER_DEACTIVATED', 'This account has been deactivated.');

const failRevoked = (): never => fail('INVALID_TOKEN', 'Invalid token: it is unknown, or was revoked.');
