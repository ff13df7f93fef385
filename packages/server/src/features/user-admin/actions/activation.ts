import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { PublicCtx, User } from '../../../core/context.ts';
import type { PollEnding } from '../../../core/polls.ts';
import { requireRoom } from '../../../core/require-room.ts';
import type { Sealing } from '../../../core/sealing.ts';
import { emitBotAdded, emitBotRemoved } from '../../bots/index.ts';
import { endQueuesOfUsers } from '../../events/index.ts';
import { queueEmail } from '../../mail/index.ts';
import { deletePresences } from '../../presence/index.ts';
import { rotateEmailAddressesOfSubscriber } from '../../streams/index.ts';
import { listAudiencesOfUsers } from '../../users/index.ts';
import { lockAccount, requireAccountChange, requireAnotherOwner } from '../access.ts';
import { audit } from '../audit.ts';
import { renderDeactivatedEmail } from '../emails.ts';
import { listAccountsForUpdate, listOwnedBotsForUpdate, updateActive } from '../queries.ts';
import { setBotOwner } from './bot-owner.ts';
import { endTokens } from './credentials.ts';

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
  await emailComment(ctx, locked.user, comment);
  const reason = comment === undefined ? {} : { comment };
  await audit(ctx, actor, 'user deactivated', ...ids.map((user_id) => ({ user_id, ...(user_id === id && reason) })));
}

async function emailComment(ctx: PublicCtx<Sealing>, user: User, comment = ''): Promise<void> {
  const text = comment.trim();
  if (text === '' || user.bot_type !== null) return;
  await queueEmail(ctx, { to: user.delivery_email, ...renderDeactivatedEmail(ctx.realm, user, text) });
}

export async function reactivateUser(ctx: PublicCtx<CollectionLimiting>, id: number, actor?: User): Promise<void> {
  const locked = await lockAccount(ctx, id, actor);
  requireAccountChange(locked);
  if (locked.user.is_active) return;
  await updateActive(ctx.db, ctx.realm.id, [id], true);
  await emitActiveChange(ctx, [id], true);
  if (locked.user.bot_type !== null) {
    const user_id = await activateBot(ctx, locked.user, actor);
    if (actor && user_id !== null) await requireRoom({ ...ctx, me: actor }, 'bots', 0, { user_id });
  }
  await audit(ctx, actor, 'user reactivated', { user_id: id });
}

/** Emits that a bot is active again. When its owner is deactivated, the actor becomes the owner. Returns the owner's id. */
async function activateBot(ctx: PublicCtx, bot: User, actor?: User): Promise<number | null> {
  const accounts =
    bot.bot_owner_id === null ? [] : await listAccountsForUpdate(ctx.db, ctx.realm.id, [bot.bot_owner_id]);
  const owner = accounts.find(({ id }) => id === bot.bot_owner_id);
  const stays = owner?.is_active || !actor || actor.bot_type !== null;
  const back = stays ? bot : await setBotOwner(ctx, bot, actor.id, actor);
  emitBotAdded(ctx, back);
  return back.bot_owner_id;
}

async function emitActiveChange(ctx: PublicCtx, ids: readonly number[], is_active: boolean): Promise<void> {
  const audienceOf = await listAudiencesOfUsers(ctx, ids);
  for (const user_id of ids)
    ctx.emit({ type: 'realm_user', op: 'update', person: { user_id, is_active } }, audienceOf(user_id));
}
