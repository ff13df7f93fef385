import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { Ctx } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { failConflict, failInvalid, failUnknown } from '../../../core/errors.ts';
import { requireRoom } from '../../../core/require-room.ts';
import { sortIds } from '../../../core/sort-ids.ts';
import { insertAudit } from '../../realm/index.ts';
import {
  emitGroup,
  groupDescriptionProblem,
  groupNameProblem,
  insertGroup,
  insertMembers,
  listUsersAmong,
  requireEditor,
  requireSettingGroup,
  systemGroupIds,
} from '../../user-groups/index.ts';

/** Makes a group (docs/behaviour/user-groups.md#create-a-group). Its maker is in it only if they list themselves. */
export async function createGroup(ctx: Ctx<CollectionLimiting>, params: Params<'createUserGroup'>): Promise<number> {
  requireEditor(ctx);
  const name = params.name.trim();
  const { description } = params;
  const problem = groupNameProblem(name) ?? groupDescriptionProblem(description);
  if (problem !== undefined) failInvalid(problem);
  const can_mention_group = await mentionersOf(ctx, params.can_mention_group);
  const members = await requireMembers(ctx, params.members);
  const id = await insertGroup(ctx.db, ctx.realm.id, { name, description, can_mention_group });
  if (id === undefined) failConflict(`name: there is already a group "${name}".`);
  await requireRoom(ctx, 'user_groups', 0);
  await insertMembers(ctx.db, ctx.realm.id, id, members);
  if (members.length > 0) await requireRoom(ctx, 'group_members', 0);
  const group = { id, name, description, members, direct_subgroup_ids: [], is_system_group: false, can_mention_group };
  await emitGroup(ctx, group);
  await insertAudit(ctx, 'user group created', group);
  return id;
}

/** The group whose members can mention the new one: the requested one, or role:everyone. */
async function mentionersOf(ctx: Ctx, group_id: number | undefined): Promise<number> {
  if (group_id === undefined) return (await systemGroupIds(ctx.db, ctx.realm.id))['role:everyone'];
  await requireSettingGroup(ctx, 'can_mention_group', group_id);
  return group_id;
}

/** The ids, each once and ascending. Fails if one of them is not a user. */
async function requireMembers(ctx: Ctx, ids: readonly number[]): Promise<number[]> {
  const known = await listUsersAmong(ctx, ids);
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) failUnknown(`members: there is no user ${unknown}.`);
  return sortIds(known.keys());
}
