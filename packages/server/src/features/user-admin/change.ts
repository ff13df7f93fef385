import { ROLE } from '../../access/roles.ts';
import type { CollectionLimiting } from '../../core/collection-limits.ts';
import type { PublicCtx, User } from '../../core/context.ts';
import type { ApiKeys } from '../../core/credentials.ts';
import { fail, failInvalid } from '../../core/errors.ts';
import type { PollEnding } from '../../core/polls.ts';
import { requireRoom } from '../../core/require-room.ts';
import type { Sealing } from '../../core/sealing.ts';
import { hashPassword, passwordProblem } from '../auth/index.ts';
import { emitBotAdded, emitBotRemoved, emitBotRenamed } from '../bots/index.ts';
import { endQueuesOfTokens, endQueuesOfUsers } from '../events/index.ts';
import { queueEmail } from '../mail/index.ts';
import { deletePresences } from '../presence/index.ts';
import { rotateEmailAddressesOfNewGuest, rotateEmailAddressesOfSubscriber } from '../streams/index.ts';
import { changeRoleGroups } from '../user-groups/index.ts';
import { findAudienceOfUser, listAudiencesOfUsers } from '../users/index.ts';
import { lockAccount, requireAccountChange, requireAnotherOwner } from './access.ts';
import { audit } from './actions.ts';
import { renderDeactivatedEmail } from './emails.ts';
import {
  deleteAuthorizationCodes,
  deleteTokens,
  hasUserVisibleToModerators,
  listAccountsForUpdate,
  listOwnedBotsForUpdate,
  listTokenIdsForUpdate,
  updateActive,
  updateUser,
} from './queries.ts';
import { changesVisibility, type Role } from './rules.ts';

export interface DeactivationOptions {
  /** A comment for the user. */
  readonly comment?: string | undefined;
}

/** Deactivates an account and the bots that it owns. Their API keys and queues end at once. */
export async function deactivateUser(
  ctx: PublicCtx<PollEnding & Sealing>,
  id: number,
  actor?: User,
  { comment }: DeactivationOptions = {},
): Promise<void> {
  const locked = await lockAccount(ctx, id, actor);
  requireAccountChange(locked);
  if (!locked.user.is_active) return;
  requireAnotherOwner(locked);
  const bots = await listOwnedBotsForUpdate(ctx.db, ctx.realm.id, id);
  const ids = [id, ...bots.map((bot) => bot.id)];
  await updateActive(ctx.db, ctx.realm.id, ids, false);
  await deletePresences(ctx.db, ctx.realm.id, ids);
  await endQueuesOfUsers(ctx, ids);
  await endTokens(ctx, ids);
  await rotateEmailAddressesOfSubscriber(ctx.db, ctx.realm.id, ids);
  await emitActiveChange(ctx, ids, false);
  for (const account of [locked.user, ...bots]) if (account.bot_type !== null) emitBotRemoved(ctx, account);
  await writeTo(ctx, locked.user, comment);
  const said = comment === undefined ? {} : { comment };
  await audit(ctx, actor, 'user deactivated', ...ids.map((user_id) => ({ user_id, ...(user_id === id && said) })));
}

async function writeTo(ctx: PublicCtx<Sealing>, user: User, comment = ''): Promise<void> {
  const words = comment.trim();
  if (words === '' || user.bot_type !== null) return;
  await queueEmail(ctx, { to: user.delivery_email, ...renderDeactivatedEmail(ctx.realm, user, words) });
}

export async function reactivateUser(ctx: PublicCtx<CollectionLimiting>, id: number, actor?: User): Promise<void> {
  const locked = await lockAccount(ctx, id, actor);
  requireAccountChange(locked);
  if (locked.user.is_active) return;
  await updateActive(ctx.db, ctx.realm.id, [id], true);
  await emitActiveChange(ctx, [id], true);
  if (locked.user.bot_type !== null) {
    const user_id = await welcomeBot(ctx, locked.user, actor);
    if (actor && user_id !== null) await requireRoom({ ...ctx, me: actor }, 'bots', 0, { user_id });
  }
  await audit(ctx, actor, 'user reactivated', { user_id: id });
}

/** Emits that a bot is active again. When its owner is deactivated, the actor becomes the owner. Returns the owner's id. */
async function welcomeBot(ctx: PublicCtx, bot: User, actor?: User): Promise<number | null> {
  const accounts =
    bot.bot_owner_id === null ? [] : await listAccountsForUpdate(ctx.db, ctx.realm.id, [bot.bot_owner_id]);
  const owner = accounts.find(({ id }) => id === bot.bot_owner_id);
  const stays = owner?.is_active || !actor || actor.bot_type !== null;
  const back = stays ? bot : await setBotOwner(ctx, bot, actor.id, actor);
  emitBotAdded(ctx, back);
  return back.bot_owner_id;
}

/** Changes the owner of a bot. */
export async function changeBotOwner(ctx: PublicCtx, bot: User, owner_id: number, actor: User): Promise<void> {
  const changed = await setBotOwner(ctx, bot, owner_id, actor);
  if (!bot.is_active) return;
  emitBotRemoved(ctx, bot);
  emitBotAdded(ctx, changed);
}

async function setBotOwner(ctx: PublicCtx, bot: User, bot_owner_id: number, actor: User): Promise<User> {
  await updateUser(ctx.db, ctx.realm.id, bot.id, { bot_owner_id });
  const user = { user_id: bot.id, bot_owner_id };
  ctx.emit({ type: 'realm_user', op: 'update', person: user }, await findAudienceOfUser(ctx, bot.id));
  await audit(ctx, actor, 'bot owner changed', { user_id: bot.id, from: bot.bot_owner_id, to: bot_owner_id });
  return { ...bot, is_active: true, bot_owner_id };
}

async function emitActiveChange(ctx: PublicCtx, ids: readonly number[], is_active: boolean): Promise<void> {
  const audienceOf = await listAudiencesOfUsers(ctx, ids);
  for (const user_id of ids)
    ctx.emit({ type: 'realm_user', op: 'update', person: { user_id, is_active } }, audienceOf(user_id));
}

export async function changeRole(ctx: PublicCtx<PollEnding>, id: number, role: Role, actor?: User): Promise<void> {
  const locked = await lockAccount(ctx, id, actor);
  const { user } = locked;
  if (user.role === role) return;
  requireAccountChange(locked, role);
  requireAnotherOwner(locked);
  const changed = await updateUser(ctx.db, ctx.realm.id, id, { role });
  ctx.emit({ type: 'realm_user', op: 'update', person: { user_id: id, role } }, await findAudienceOfUser(ctx, id));
  if (changed) await changeRoleGroups(ctx, changed, user.role);
  if (role === ROLE.guest) await rotateEmailAddressesOfNewGuest(ctx.db, user);
  // What they can see changes as a whole: their clients have to register anew.
  const each_rank = ctx.realm.web_public_streams_enabled || (await hasUserVisibleToModerators(ctx.db, ctx.realm.id));
  if (changesVisibility(user, { role }, each_rank)) await endQueuesOfUsers(ctx, [id]);
  await audit(ctx, actor, 'role changed', { user_id: id, from: user.role, to: role });
}

/** Renames an account, which must be locked. The name must have been validated. */
export async function renameUser(ctx: PublicCtx, user: User, name: string, actor?: User): Promise<void> {
  const full_name = name.trim();
  if (full_name === user.full_name) return;
  await updateUser(ctx.db, ctx.realm.id, user.id, { full_name });
  ctx.emit(
    { type: 'realm_user', op: 'update', person: { user_id: user.id, full_name } },
    await findAudienceOfUser(ctx, user.id),
  );
  if (user.bot_type !== null && user.is_active) emitBotRenamed(ctx, user, full_name);
  await audit(ctx, actor, 'name changed', { user_id: user.id, from: user.full_name, to: full_name });
}

export async function resetPassword(ctx: PublicCtx, id: number, password: string, actor?: User): Promise<void> {
  const { user } = await lockAccount(ctx, id, actor);
  if (user.bot_type !== null) failInvalid('Bots have no password.');
  const weak = passwordProblem(password, [user.delivery_email, user.full_name]);
  if (weak !== undefined) failInvalid(`password: ${weak}`);
  await updateUser(ctx.db, ctx.realm.id, id, { password_hash: await hashPassword(password) });
  await audit(ctx, actor, 'password reset', { user_id: id });
}

/** Ends every API key and token handed out for the account and gives the new key. */
export async function rotateKey(ctx: PublicCtx<ApiKeys & PollEnding>, id: number, actor?: User): Promise<string> {
  const { user } = await lockAccount(ctx, id, actor);
  // A user who regenerates their own key authenticates with it: if it was replaced meanwhile, it is invalid.
  if (actor?.id === id && actor.key_version !== user.key_version) fail('INVALID_API_KEY', 'Invalid API key.');
  const key_version = user.key_version + 1;
  await updateUser(ctx.db, ctx.realm.id, id, { key_version });
  await endTokens(ctx, [id]);
  await audit(ctx, actor, 'key rotated', { user_id: id });
  return ctx.server.apiKeyOf(ctx.realm, { ...user, key_version });
}

/** Ends the tokens of accounts that are locked, the queues that were registered with them, and codes that would become tokens. */
async function endTokens(ctx: PublicCtx<PollEnding>, user_ids: readonly number[]): Promise<void> {
  const token_ids = await listTokenIdsForUpdate(ctx.db, ctx.realm.id, user_ids);
  await endQueuesOfTokens(ctx, token_ids);
  await deleteTokens(ctx.db, ctx.realm.id, token_ids);
  await deleteAuthorizationCodes(ctx.db, ctx.realm.id, user_ids);
}

/** The one permission that only operators grant (docs/behaviour/command-line.md#permission-to-create-users). */
export async function updateCanCreateUsers(ctx: PublicCtx, id: number, can_create_users: boolean): Promise<void> {
  await lockAccount(ctx, id);
  await updateUser(ctx.db, ctx.realm.id, id, { can_create_users });
  await audit(ctx, undefined, can_create_users ? 'can_create_users granted' : 'can_create_users revoked', {
    user_id: id,
  });
}
