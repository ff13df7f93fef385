import type { PublicCtx, User } from '../../../core/context.ts';
import { emitBotAdded, emitBotRemoved } from '../../bots/index.ts';
import { findAudienceOfUser } from '../../users/index.ts';
import { audit } from '../audit.ts';
import { updateUser } from '../queries.ts';

/** Changes the owner of a bot. */
export async function changeBotOwner(ctx: PublicCtx, bot: User, owner_id: number, actor: User): Promise<void> {
  const changed = await setBotOwner(ctx, bot, owner_id, actor);
  if (!bot.is_active) return;
  emitBotRemoved(ctx, bot);
  emitBotAdded(ctx, changed);
}

export async function setBotOwner(ctx: PublicCtx, bot: User, bot_owner_id: number, actor: User): Promise<User> {
  await updateUser(ctx.db, ctx.realm.id, bot.id, { bot_owner_id });
  const user = { user_id: bot.id, bot_owner_id };
  ctx.emit({ type: 'realm_user', op: 'update', person: user }, await findAudienceOfUser(ctx, bot.id));
  await audit(ctx, actor, 'bot owner changed', { user_id: bot.id, from: bot.bot_owner_id, to: bot_owner_id });
  return { ...bot, is_active: true, bot_owner_id };
}
