// Accounts as users of the organization create, change and deactivate them. The command line uses the underlying
// actions.

import { isAdministrator, ROLE } from '../../../access/roles.ts';
import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { Ctx } from '../../../core/context.ts';
import type { Params, Payload } from '../../../core/contract.ts';
import type { ApiKeys } from '../../../core/credentials.ts';
import { fail, failForbidden, failInvalid } from '../../../core/errors.ts';
import type { PollEnding } from '../../../core/polls.ts';
import type { Sealing } from '../../../core/sealing.ts';
import { changeProfile } from '../../profile-fields/index.ts';
import { requireUser } from '../../users/index.ts';
import { lockAccount } from '../access.ts';
import { canRename, isLastOwner, nameProblem } from '../rules.ts';
import { deactivateUser, reactivateUser } from './activation.ts';
import { changeRole, renameUser } from './change-user.ts';
import { createUser } from './create-user.ts';
import { rotateKey } from './credentials.ts';

export async function createMember(ctx: Ctx, params: Params<'createUser'>): Promise<Payload<'createUser'>> {
  const user = await createUser(ctx, { ...params, role: ROLE.member }, ctx.me);
  return { user_id: user.id };
}

export async function updateUser(ctx: Ctx<PollEnding>, params: Params<'updateUser'>): Promise<void> {
  const { user_id, full_name, role, profile_data } = params;
  await requireUser(ctx, user_id);
  const { user, actor = ctx.me } = await lockAccount(ctx, user_id, ctx.me);
  const renamesOnly = role === undefined && profile_data === undefined;
  if (!isAdministrator(actor) && !(renamesOnly && canRename(actor, user)))
    failForbidden(`Only administrators can change user ${user_id}.`);
  const problem = full_name === undefined ? undefined : nameProblem(full_name);
  if (problem !== undefined) failInvalid(problem);
  if (profile_data !== undefined && user.bot_type !== null) failInvalid('profile_data: bots have no profile.');
  if (full_name !== undefined) await renameUser(ctx, user, full_name, ctx.me);
  if (profile_data !== undefined) await changeProfile(ctx, user, profile_data, 'profile_data');
  if (role !== undefined) await changeRole(ctx, user_id, role, ctx.me);
}

export async function endAccount(ctx: Ctx<PollEnding & Sealing>, params: Params<'deactivateUser'>): Promise<void> {
  const { user_id, deactivation_notification_comment: comment } = params;
  await requireUser(ctx, user_id);
  await requireStillAdministrator(ctx, user_id);
  await deactivateUser(ctx, user_id, ctx.me, { comment });
}

export async function reopenAccount(ctx: Ctx<CollectionLimiting>, user_id: number): Promise<void> {
  await requireUser(ctx, user_id);
  await requireStillAdministrator(ctx, user_id);
  await reactivateUser(ctx, user_id, ctx.me);
}

/** Serializes changes, so that of two administrators who deactivate each other at the same moment only one succeeds. */
async function requireStillAdministrator(ctx: Ctx, user_id: number): Promise<void> {
  const { actor = ctx.me } = await lockAccount(ctx, user_id, ctx.me);
  if (!isAdministrator(actor)) fail('UNAUTHORIZED_PRINCIPAL', 'You must be an organization administrator to do this.');
}

/** An organization has an owner as long as it has a user, so its last user is its last owner. */
export async function endOwnAccount(ctx: Ctx<PollEnding & Sealing>): Promise<void> {
  if (isLastOwner(await lockAccount(ctx, ctx.me.id, ctx.me))) {
    fail(
      'CANNOT_DEACTIVATE_LAST_USER',
      'You are the last owner of this organization: make another user an owner first.',
      {
        is_last_owner: true,
        entity: 'organization owner',
      },
    );
  }
  await deactivateUser(ctx, ctx.me.id, ctx.me);
}

export const regenerateOwnKey = async (ctx: Ctx<ApiKeys & PollEnding>): Promise<Payload<'regenerateApiKey'>> => ({
  api_key: await rotateKey(ctx, ctx.me.id, ctx.me),
});
