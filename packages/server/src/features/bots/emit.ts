import type { PublicCtx, User } from '../../core/context.ts';
import type { Audience } from '../../core/event-log/audience.ts';
import { getAvatarUrl } from '../users/index.ts';
import { presentBot } from './present.ts';

/** The users who manage a bot. */
const audienceOfBot = ({ bot_owner_id }: User): Audience => ({
  administrators: true,
  ...(bot_owner_id !== null && { users: [bot_owner_id] }),
});

export function emitBotAdded(ctx: PublicCtx, bot: User): void {
  ctx.emit({ type: 'realm_bot', op: 'add', bot: presentBot(bot) }, audienceOfBot(bot));
}

/** Emits that a bot was deactivated, or is about to get another owner, to the users who managed it before. */
export function emitBotRemoved(ctx: PublicCtx, bot: User): void {
  ctx.emit({ type: 'realm_bot', op: 'delete', bot: { user_id: bot.id } }, audienceOfBot(bot));
}

export function emitBotRenamed(ctx: PublicCtx, bot: User, full_name: string): void {
  ctx.emit({ type: 'realm_bot', op: 'update', bot: { user_id: bot.id, full_name } }, audienceOfBot(bot));
}

export function emitBotAvatarChanged(ctx: PublicCtx, bot: User): void {
  const changed = { user_id: bot.id, avatar_url: getAvatarUrl(bot) };
  ctx.emit({ type: 'realm_bot', op: 'update', bot: changed }, audienceOfBot(bot));
}
