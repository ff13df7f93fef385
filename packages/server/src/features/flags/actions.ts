import type { Ctx } from '../../core/context.ts';
import type { Event, Params } from '../../core/contract.ts';
import { failInvalid, failUnknown } from '../../core/errors.ts';
import type { MessageSeqs } from '../../core/event-log/delivery-metadata.ts';
import { requireAccessibleStream } from '../streams/index.ts';
import { lockUser } from '../users/index.ts';
import { presentDetails } from './present.ts';
import { findReadableTopic, listReadable } from './queries/find-readable.ts';
import { listMessageDetails } from './queries/list-unread.ts';
import { lockClock, markRead, markTopicRead, markUnread } from './queries/mark-messages.ts';
import { markScopeRead, markScopeReadReturningSeqs } from './queries/mark-ranges-read.ts';
import { clearFlag, insertFlag } from './queries/stored-flags.ts';
import { changeProblem, type FlagChange, isChange, listChangedInOrder } from './rules.ts';

/** Sets or clears a flag on the caller's messages; the response and the event list those that changed. */
export async function updateMessageFlags(ctx: Ctx, { messages, ...requested }: Params<'updateMessageFlags'>) {
  const change = requireFlagChange(requested);
  await lockUser(ctx.db, ctx.me);
  await checkIds(ctx, change, messages);
  return { messages: await applied(ctx, change, messages) };
}

/** Returns the requested change, or fails if the flag or the op is invalid. */
export function requireFlagChange(requested: { flag: string; op: string }): FlagChange {
  return isChange(requested) ? requested : failInvalid(changeProblem(requested) ?? 'Unknown change.');
}

/**
 * Sets or clears a flag on the caller's messages, emits `update_message_flags`, and returns the ids that changed, in
 * the order given. Messages in streams that the caller is not subscribed to cannot become unread.
 */
export async function changeFlag(ctx: Ctx, change: FlagChange, ids: readonly number[]): Promise<number[]> {
  await lockUser(ctx.db, ctx.me);
  return applied(ctx, change, ids);
}

async function applied(ctx: Ctx, change: FlagChange, ids: readonly number[]): Promise<number[]> {
  const changed = listChangedInOrder(ids, await apply(ctx, change, ids));
  if (change.op === 'add') emitFlagAdded(ctx, ctx.me.id, change.flag, changed);
  else await emitFlagRemoved(ctx, change.flag, changed);
  return changed;
}

/**
 * Clearing a stored flag, and marking as read, skip messages that the caller cannot see. All other changes fail with
 * them (docs/behaviour/flags.md#which-messages).
 */
async function checkIds(ctx: Ctx, { flag, op }: FlagChange, ids: readonly number[]): Promise<void> {
  if ((op === 'add') === (flag === 'read')) return;
  const fine = new Set(await listReadable(ctx.db, ctx.me, ids, { elsewhere: flag === 'read' }));
  const id = ids.find((one) => !fine.has(one));
  if (id !== undefined) failUnknown(`messages: there is no message ${id}.`);
}

function apply({ db, me }: Ctx, { flag, op }: FlagChange, ids: readonly number[]): Promise<number[]> {
  if (flag !== 'read') return op === 'add' ? insertFlag(db, me, flag, ids) : clearFlag(db, me, flag, ids);
  return op === 'add' ? markRead(db, me, ids) : markUnread(db, me, ids);
}

export async function markAllAsRead(ctx: Ctx): Promise<{ complete: boolean }> {
  const everything = { realm_id: ctx.realm.id, user_ids: [ctx.me.id] };
  await lockUser(ctx.db, ctx.me);
  await markScopeRead(ctx.db, everything);
  // The event says that all is read, so every message with an earlier event must be marked. The lock keeps other
  // transactions from emitting until the commit, and messages committed meanwhile are marked too. They are few,
  // because other transactions wait for the clock meanwhile.
  await lockClock(ctx.db, ctx.realm.id);
  await markScopeRead(ctx.db, everything);
  emitFlagAdded(ctx, ctx.me.id, 'read', [], true);
  return { complete: true };
}

export async function markStreamAsRead(ctx: Ctx, stream_id: number): Promise<void> {
  await requireAccessibleStream(ctx, stream_id);
  await lockUser(ctx.db, ctx.me);
  const changed = await markConversationAsRead(ctx, [ctx.me.id], [stream_id]);
  emitRead(ctx, [ctx.me.id], changed.get(ctx.me.id) ?? []);
}

export async function markTopicAsRead(ctx: Ctx, { stream_id, topic_name }: Params<'markTopicAsRead'>): Promise<void> {
  await requireAccessibleStream(ctx, stream_id);
  const topic_id = await findReadableTopic(ctx.db, ctx.me, stream_id, topic_name.trim());
  if (topic_id === undefined) {
    return failUnknown(`topic_name: there is no topic "${topic_name}" in this stream.`);
  }
  await lockUser(ctx.db, ctx.me);
  emitRead(ctx, [ctx.me.id], await markTopicRead(ctx.db, ctx.me, { id: topic_id, stream_id }));
}

/**
 * Marks everything that users have not read in conversations as read, whatever the number of messages. Returns what
 * changed for each user with any change, and emits no events.
 */
export async function markConversationAsRead(
  { db, realm }: Pick<Ctx, 'db' | 'realm'>,
  user_ids: readonly number[],
  conversation_ids: readonly number[],
): Promise<Map<number, readonly MessageSeqs[]>> {
  const changed = await markScopeReadReturningSeqs(db, { realm_id: realm.id, user_ids, conversation_ids });
  return new Map(changed.map(({ user_id, numbers }) => [user_id, numbers]));
}

/** Emits to users that unread messages became read; the ids are looked up when the event is delivered. */
export function emitRead(ctx: Pick<Ctx, 'emit'>, users: readonly number[], numbers: readonly MessageSeqs[]): void {
  ctx.emit(
    { type: 'update_message_flags', op: 'add', operation: 'add', flag: 'read', messages: [], all: false },
    { users },
    { numbers },
  );
}

function emitFlagAdded(ctx: Pick<Ctx, 'emit'>, user_id: number, flag: string, messages: number[], all = false): void {
  ctx.emit({ type: 'update_message_flags', op: 'add', operation: 'add', flag, messages, all }, { users: [user_id] });
}

async function emitFlagRemoved(ctx: Ctx, flag: string, messages: number[]): Promise<void> {
  const event = {
    type: 'update_message_flags',
    op: 'remove',
    operation: 'remove',
    flag,
    messages,
    all: false,
  } as const;
  const details =
    flag === 'read'
      ? { message_details: presentDetails(ctx.me.id, await listMessageDetails(ctx.db, ctx.me, messages)) }
      : {};
  ctx.emit({ ...event, ...details } satisfies Event, { users: [ctx.me.id] });
}
