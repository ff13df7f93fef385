import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { Ctx, User } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { failOnProblem } from '../../../core/errors.ts';
import { requireRoom } from '../../../core/require-room.ts';
import { sendDirectAsNotificationBot } from '../../messages/index.ts';
import { insertAudit } from '../../realm/index.ts';
import {
  deleteMembers,
  type EditableGroup,
  emitMembers,
  insertMembers,
  listDirectMembersAmong,
  listUsersAmong,
  type MemberChanges,
  memberChangesProblem,
  requireEditableGroup,
  toMemberChanges,
} from '../../user-groups/index.ts';
import { renderAddedNotice, renderRemovedNotice } from '../notices.ts';

/** Adds users to a group, then removes others (docs/behaviour/user-groups.md#change-members). */
export async function updateMembers(
  ctx: Ctx<CollectionLimiting>,
  { user_group_id, ...params }: Params<'updateUserGroupMembers'>,
): Promise<void> {
  const group = await requireEditableGroup(ctx, user_group_id);
  const exchange = toMemberChanges(params);
  const { add, remove } = exchange;
  const ids = [...add, ...remove];
  const users = await listUsersAmong(ctx, ids);
  const inside = new Set(await listDirectMembersAmong(ctx.db, ctx.realm.id, group.id, ids));
  const problem = memberChangesProblem(exchange, { noun: 'user', known: new Set(users.keys()), inside });
  failOnProblem(problem);
  await insertMembers(ctx.db, ctx.realm.id, group.id, add);
  await deleteMembers(ctx.db, ctx.realm.id, group.id, remove);
  if (add.length > remove.length) await requireRoom(ctx, 'group_members', 0);
  await emitMembers(ctx, 'add_members', group.id, add);
  await emitMembers(ctx, 'remove_members', group.id, remove);
  // An exception: this locks conversations after the group. It is safe, because nothing that holds a conversation waits
  // for a change of a group.
  await notifyMembers(ctx, { group, users, exchange });
  await insertAudit(ctx, 'user group members changed', { group_id: group.id, add, delete: remove });
}

interface MemberChange {
  readonly group: EditableGroup;
  readonly users: ReadonlyMap<number, User>;
  readonly exchange: MemberChanges;
}

/** Notifies the added and removed users. Users who were added and removed by the same request get no message. */
async function notifyMembers(ctx: Ctx, { group, users, exchange: { add, remove } }: MemberChange): Promise<void> {
  const toNotices = (ids: readonly number[], others: readonly number[], content: string) => {
    const stayed = new Set(others);
    return ids.flatMap((id) => {
      const to = users.get(id);
      return to && !stayed.has(id) && isConcerned(ctx.me, to) ? [{ to, content }] : [];
    });
  };
  const all = [
    ...toNotices(add, remove, renderAddedNotice(ctx.me, group)),
    ...toNotices(remove, add, renderRemovedNotice(ctx.me, group)),
  ];
  await sendDirectAsNotificationBot(ctx, all, { users: [ctx.me], streams: [] });
}

const isConcerned = (me: User, { id, is_active, bot_type }: User): boolean =>
  is_active && bot_type === null && id !== me.id;
