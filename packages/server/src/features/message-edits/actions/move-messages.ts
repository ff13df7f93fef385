import { hasProtectedHistory } from '../../../access/rules.ts';
import type { Ctx } from '../../../core/context.ts';
import { prewriteEventLists } from '../../../core/event-log/append-sql.ts';
import type { ConversationPosition } from '../../../core/event-log/audience.ts';
import type { IndividualAccess } from '../../../core/event-log/delivery-metadata.ts';
import { requireValue } from '../../../core/require-value.ts';
import type { Throttling } from '../../../core/server.ts';
import { abortAndRetry } from '../../../core/transaction.ts';
import { allocateSeqs } from '../../messages/index.ts';
import type { SeenStream } from '../../streams/index.ts';
import type { Topic } from '../../topics/index.ts';
import {
  findLastSeq,
  findNewestInTopic,
  hasMessages,
  type MovedMessage,
  type MoveParams,
  moveBetweenStreams,
  moveWithinStream,
  updateLastSeq,
  waitForLargeMoves,
} from '../queries/move.ts';
import {
  addMarks,
  deleteLostFlags,
  listFlagged,
  listFlaggedSeqs,
  listLeftBehind,
  listRecords,
  lockFlagsOfUsers,
  type MovedRecords,
  type NewRecord,
  replaceReceived,
} from '../queries/move-records.ts';
import { collectRanges, computeMovedRecords, type MessageAccess, toMultirange } from '../rules/moved-records.ts';
import { lockAndReload, type MovePlan, putFirst, toEventLists, toMoveSelection } from './move-plan.ts';

interface MessageMove {
  readonly move: MovePlan;
  readonly move_id: number;
  readonly topic: Topic;
  /**
   * Whether the streams are not locked yet because the messages are many: then senders wait for the last few messages
   * only.
   */
  readonly isLarge: boolean;
}

interface MessagesMoved {
  /** Ascending. */
  readonly moved: MovedMessage[];
  readonly left: StreamMove | undefined;
  /** Whether no message of the old topic stayed behind. */
  readonly whole: boolean;
  readonly ahead: PrewrittenLists | undefined;
}

/** For moves from one stream to another. */
export interface StreamMove {
  readonly from: ConversationPosition;
  readonly to: ConversationPosition;
  /** Users who were in neither stream, had the messages in their history, and cannot read the new stream. */
  readonly individual_readers: readonly number[];
  /**
   * Former subscribers of the old stream who had individual access to messages of its protected history, and lost it.
   */
  readonly lost_individual_access: readonly IndividualAccess[];
}

/** The beginnings of the events about a large move, prewritten before the lock keeps others from sending. */
export interface PrewrittenLists {
  /** The messages in it: the named message, then the others that moved first. */
  readonly count: number;
  /** For users who have the messages, and for users who lose them. */
  readonly update: number | undefined;
  readonly loss: number | undefined;
}

/** A span of messages: the first id is excluded, the last id is the newest. */
const ALL = { after: 0, up_to: Number.MAX_SAFE_INTEGER };

/** The messages that moved before the stream was locked. */
interface Early {
  readonly moved: MovedMessage[];
  /** The newest message at that time. Messages that were sent since are still to be moved. */
  readonly newest: number;
  /** Whether any messages up to it stay where they were. */
  readonly stays: boolean;
  readonly ahead: PrewrittenLists | undefined;
}

const NOTHING: Early = { moved: [], newest: 0, stays: false, ahead: undefined };

/** Moves messages one by one to another topic. Afterwards the streams are locked. */
export async function moveMessages(ctx: Ctx<Throttling>, messageMove: MessageMove): Promise<MessagesMoved> {
  const { move } = messageMove;
  const params = {
    me: ctx.me,
    moving: toMoveSelection(move),
    move_id: messageMove.move_id,
    to_topic_id: messageMove.topic.id,
    now: ctx.now,
    ...ALL,
    between: ctx.server.throttle,
  };
  return move.change.stream_id === undefined
    ? withinStream(ctx, messageMove, params)
    : betweenStreams(ctx, messageMove, { ...params, between: restingLonger(ctx) });
}

/**
 * A message that changes streams changes in every index, which slows other requests down: the pause for them is
 * doubled.
 */
const restingLonger =
  ({ server }: Ctx<Throttling>) =>
  (since: number) =>
    server.throttle(2 * since - performance.now());

async function withinStream(
  ctx: Ctx<Throttling>,
  { move, topic, isLarge }: MessageMove,
  params: MoveParams,
): Promise<MessagesMoved> {
  const go = (up_to: number) => moveWithinStream(ctx.db, { ...params, up_to });
  const early = isLarge ? await moveEarly(ctx, move, go) : NOTHING;
  if (isLarge) await lockAndReload(ctx, move, topic);
  const moved = [...early.moved, ...(await moveWithinStream(ctx.db, { ...params, after: early.newest }))];
  return { moved, left: undefined, whole: await isWhole(ctx, move, early), ahead: early.ahead };
}

async function moveEarly(
  ctx: Ctx<Throttling>,
  move: MovePlan,
  go: (up_to: number) => Promise<MovedMessage[]>,
): Promise<Early> {
  const { from } = move;
  const newest = await findNewestInTopic(ctx.db, ctx.realm.id, from.topic_id);
  if (newest === undefined) return NOTHING;
  const moved = await go(newest);
  const looked = performance.now();
  const stays = await hasMessages(ctx.db, ctx.realm.id, from.topic_id, { ...ALL, up_to: newest });
  await ctx.server.throttle(looked);
  const started = performance.now();
  const ahead = await writeListed(ctx, move, moved);
  // Meanwhile the database writes to disk what the commit would otherwise have to.
  await ctx.server.throttle(started);
  return { moved, newest, stays, ahead };
}

async function writeListed(
  ctx: Ctx,
  move: MovePlan,
  moved: readonly MovedMessage[],
): Promise<PrewrittenLists | undefined> {
  const listed = putFirst(move.message_id, moved);
  if (listed[0]?.id !== move.message_id) return undefined;
  const [update, loss] = await prewriteEventLists(
    ctx,
    toEventLists(move, listed),
    move.change.stream_id === undefined ? 1 : 2,
  );
  return { count: listed.length, update, loss };
}

/** The topic is locked: since the first messages moved, no other request has moved its messages in or out. */
const isWhole = async (ctx: Ctx, { from }: MovePlan, { newest, stays }: Early): Promise<boolean> =>
  !stays && !(await hasMessages(ctx.db, ctx.realm.id, from.topic_id, { ...ALL, after: newest }));

/** Numbers that stay free for messages that are sent to the new stream while many messages move there. */
const ROOM = 10_000;

async function betweenStreams(
  ctx: Ctx<Throttling>,
  messageMove: MessageMove,
  params: MoveParams,
): Promise<MessagesMoved> {
  const { move, topic, isLarge } = messageMove;
  const stream_id = move.to.stream.id;
  const realm_id = ctx.realm.id;
  let early = NOTHING;
  let flagged: number[] = [];
  let first_seq = 0;
  if (isLarge) {
    await waitForLargeMoves(ctx.db, realm_id, stream_id);
    first_seq = (await findLastSeq(ctx.db, realm_id, stream_id)) + ROOM;
    const destination = { stream_id, first_seq };
    early = await moveEarly(ctx, move, (up_to) => moveBetweenStreams(ctx.db, { ...params, up_to }, destination));
    flagged = await listFlagged(ctx.db, realm_id, early.moved, ctx.server.throttle);
    await lockAndReload(ctx, move, topic);
  }
  await lockFlagsOfUsers(ctx.db, { realm_id, from: move.from.stream.id, to: stream_id });
  const last = await findLastSeq(ctx.db, realm_id, stream_id);
  if (!isLarge) first_seq = last + 1;
  else if (last >= first_seq) abortAndRetry('More messages were sent meanwhile than numbers were reserved for.');
  const destination = { stream_id, first_seq: first_seq + early.moved.length };
  const rest = await moveBetweenStreams(ctx.db, { ...params, after: early.newest }, destination);
  const moved = early.moved.concat(rest);
  await updateLastSeq(ctx.db, realm_id, stream_id, first_seq + moved.length - 1);
  const along = await takeRecordsAlong(ctx, move, moved, new Set([...flagged, ...rest.map(({ id }) => id)]));
  // Numbers of their own, so that who is in the streams at this moment is never in doubt.
  const [from_seq, to_seq] = await allocateSeqs(ctx.db, realm_id, [move.from.stream.id, stream_id]);
  const from = { id: move.from.stream.id, seq: requireValue(from_seq) };
  const to = { id: stream_id, seq: requireValue(to_seq) };
  return { moved, left: { from, to, ...along }, whole: await isWhole(ctx, move, early), ahead: early.ahead };
}

/**
 * Carries over what subscribers of the new stream had of the messages in the old one. Only messages in `flagged` have
 * flags.
 */
async function takeRecordsAlong(
  ctx: Ctx,
  { from, to }: MovePlan,
  moved: readonly MovedMessage[],
  flagged: ReadonlySet<number>,
): Promise<Pick<StreamMove, 'individual_readers' | 'lost_individual_access'>> {
  if (moved.length === 0) return { individual_readers: [], lost_individual_access: [] };
  const between = { realm_id: ctx.realm.id, from: from.stream.id, to: to.stream.id };
  const byOld = moved.toSorted((one, other) => one.old_seq - other.old_seq);
  const had = await listRecords(ctx.db, between, spanOf(byOld, 'old_seq'));
  const records = await newRecords(ctx, to.stream, byOld, had);
  const span = spanOf(moved, 'new_seq');
  await replaceReceived(ctx.db, between, span, records);
  await addMarks(ctx.db, between, span, records);
  const behind = await listLeftBehind(ctx.db, between, toMultirange(collectRanges(byOld, 'old_seq')));
  const { outside, lost_individual_access } = await deleteLostFlags(
    ctx.db,
    between,
    moved.filter(({ id }) => flagged.has(id)),
  );
  return { individual_readers: [...new Set([...behind, ...outside])], lost_individual_access };
}

/**
 * The same for all users with equal records. Users who have flags on a message in a protected stream are computed
 * individually.
 */
async function newRecords(
  ctx: Ctx,
  to: SeenStream,
  byOld: readonly MovedMessage[],
  had: readonly MovedRecords[],
): Promise<NewRecord[]> {
  const is_protected = hasProtectedHistory(to);
  const flaggedSeqs = is_protected ? await listFlaggedSeqs(ctx.db, ctx.realm.id, to.id, byOld) : new Map();
  return had.flatMap((group) => {
    const common = literalsOf(computeMovedRecords(group, byOld, { is_protected, flagged_seqs: new Set() }));
    return group.user_ids.map((user_id) => {
      const flagged_seqs: ReadonlySet<number> | undefined = flaggedSeqs.get(user_id);
      return {
        user_id,
        ...(flagged_seqs ? literalsOf(computeMovedRecords(group, byOld, { is_protected, flagged_seqs })) : common),
      };
    });
  });
}

const literalsOf = ({ received, read, reopened }: MessageAccess) => ({
  received: toMultirange(received),
  read: toMultirange(read),
  reopened: toMultirange(reopened),
});

const spanOf = (ascending: readonly MovedMessage[], number: 'old_seq' | 'new_seq') => ({
  first: requireValue(ascending[0])[number],
  last: requireValue(ascending.at(-1))[number],
});
