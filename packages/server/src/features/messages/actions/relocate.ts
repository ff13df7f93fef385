import { seqSet } from '@parley/db';
import type { Ctx, Moment } from '../../../core/context.ts';
import { startOver } from '../../../core/transaction.ts';
import type { SeenStream } from '../../streams/index.ts';
import type { Topic } from '../../topics/index.ts';
import {
  findLastSeq,
  findNewestInTopic,
  type Moved,
  moveBetweenStreams,
  moveWithinStream,
  type Relocation,
  updateLastSeq,
  waitForLargeMoves,
} from '../queries/move.ts';
import {
  addMarks,
  deleteLostFlags,
  listKeepers,
  listRecords,
  lockFlagsOfPeople,
  type NewRecord,
  type Records,
  replaceReceived,
} from '../queries/move-records.ts';
import { takeSeqs } from '../queries/send.ts';
import { type Have, recordsAfter } from '../rules/records.ts';
import { isProtected, lockAndLookAgain, type Move, movingOf } from './move-plan.ts';

interface Relocating {
  readonly move: Move;
  readonly move_id: number;
  readonly topic: Topic;
  /** Whether the streams are not locked yet, because the messages are many: senders wait for the last few only. */
  readonly isLarge: boolean;
}

interface Relocated {
  /** Ascending. */
  readonly moved: Moved[];
  readonly left: Leaving | undefined;
}

/** When messages went from a stream to another. */
export interface Leaving {
  readonly from: Moment;
  readonly to: Moment;
  /** Who was in neither, and had flags on them which they have no more: they cannot read the new stream. */
  readonly keepers: readonly number[];
}

/** No message is newer. */
const NEWEST = Number.MAX_SAFE_INTEGER;

/** Moves messages one by one to another topic. Afterwards the streams are locked. */
export async function relocate(ctx: Ctx, relocating: Relocating): Promise<Relocated> {
  const { move } = relocating;
  const relocation = {
    me: ctx.me,
    moving: movingOf(move),
    move_id: relocating.move_id,
    to_topic_id: relocating.topic.id,
    now: ctx.now,
    up_to: NEWEST,
  };
  return move.change.stream_id === undefined
    ? withinStream(ctx, relocating, relocation)
    : betweenStreams(ctx, relocating, relocation);
}

async function withinStream(
  ctx: Ctx,
  { move, topic, isLarge }: Relocating,
  relocation: Relocation,
): Promise<Relocated> {
  const early = isLarge ? await moveWithinStream(ctx.db, { ...relocation, up_to: await newest(ctx, move) }) : [];
  if (isLarge) await lockAndLookAgain(ctx, move, topic);
  const moved = [...early, ...(await moveWithinStream(ctx.db, relocation))];
  return { moved, left: undefined };
}

const newest = async (ctx: Ctx, { from }: Move): Promise<number> =>
  (await findNewestInTopic(ctx.db, ctx.realm.id, from.topic_id)) ?? 0;

/** Numbers that are left free for messages which are sent to the new stream while many move there. */
const ROOM = 10_000;

async function betweenStreams(ctx: Ctx, relocating: Relocating, relocation: Relocation): Promise<Relocated> {
  const { move, topic, isLarge } = relocating;
  const stream_id = move.to.stream.id;
  const realm_id = ctx.realm.id;
  const early: Moved[] = [];
  let first_seq = 0;
  if (isLarge) {
    await waitForLargeMoves(ctx.db, realm_id, stream_id);
    first_seq = (await findLastSeq(ctx.db, realm_id, stream_id)) + ROOM;
    const place = { stream_id, first_seq };
    early.push(...(await moveBetweenStreams(ctx.db, { ...relocation, up_to: await newest(ctx, move) }, place)));
    await lockAndLookAgain(ctx, move, topic);
  }
  await lockFlagsOfPeople(ctx.db, { realm_id, from: move.from.stream.id, to: stream_id });
  const last = await findLastSeq(ctx.db, realm_id, stream_id);
  if (!isLarge) first_seq = last + 1;
  else if (last >= first_seq) startOver('More was sent meanwhile than room was left for.');
  const rest = await moveBetweenStreams(ctx.db, relocation, { stream_id, first_seq: first_seq + early.length });
  const moved = [...early, ...rest];
  await updateLastSeq(ctx.db, realm_id, stream_id, first_seq + moved.length - 1);
  const keepers = await takeRecordsAlong(ctx, move, moved);
  // Numbers of their own, so that who is in the streams at this moment is never in doubt.
  const places = [move.from.stream.id, stream_id];
  const [from, to] = (await takeSeqs(ctx.db, realm_id, places)).map((seq, n) => ({ id: places[n] ?? 0, seq }));
  if (!from || !to) throw new Error('unreachable');
  return { moved, left: { from, to, keepers } };
}

/** Gives the people of the new stream what they had of the messages in the old one. */
async function takeRecordsAlong(ctx: Ctx, { from, to }: Move, moved: readonly Moved[]): Promise<readonly number[]> {
  if (moved.length === 0) return [];
  const between = { realm_id: ctx.realm.id, from: from.stream.id, to: to.stream.id };
  const byOld = [...moved].sort((one, other) => one.old_seq - other.old_seq);
  const had = await listRecords(ctx.db, between, spanOf(byOld.map(({ old_seq }) => old_seq)));
  const records = await newRecords(ctx, to.stream, byOld, had);
  const span = spanOf(moved.map(({ new_seq }) => new_seq));
  await replaceReceived(ctx.db, between, span, records);
  await addMarks(ctx.db, between, span, records);
  return deleteLostFlags(
    ctx.db,
    between,
    moved.map(({ id }) => id),
  );
}

/** The same for everyone who had the same; who kept something of a message in a protected stream is looked at alone. */
async function newRecords(
  ctx: Ctx,
  to: SeenStream,
  byOld: readonly Moved[],
  had: readonly Records[],
): Promise<NewRecord[]> {
  const is_protected = isProtected(to);
  const keepers = is_protected ? await listKeepers(ctx.db, ctx.realm.id, to.id, byOld) : new Map();
  return had.flatMap((group) => {
    const common = literalsOf(recordsAfter(group, byOld, { is_protected, kept: new Set() }));
    return group.user_ids.map((user_id) => {
      const kept: ReadonlySet<number> | undefined = keepers.get(user_id);
      return { user_id, ...(kept ? literalsOf(recordsAfter(group, byOld, { is_protected, kept })) : common) };
    });
  });
}

const literalsOf = ({ received, read, reopened }: Have) => ({
  received: seqSet(received),
  read: seqSet(read),
  reopened: seqSet(reopened),
});

const spanOf = (ascending: readonly number[]) => ({ first: ascending[0] ?? 0, last: ascending.at(-1) ?? 0 });
