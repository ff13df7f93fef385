import type { Schema } from '../../core/contract.ts';
import { getAvatarUrl } from '../users/index.ts';
import type { ManagedBot } from './queries.ts';

type BotType = Schema<'Bot'>['bot_type'];

/** A bot as its owner sees it. It has no API key: the event log stores what is emitted, and API keys are not stored. */
export function presentBot(bot: ManagedBot): Schema<'Bot'> {
  return {
    user_id: bot.id,
    email: bot.delivery_email,
    full_name: bot.full_name,
    bot_type: (bot.bot_type ?? 1) as BotType,
    owner_id: bot.bot_owner_id,
    avatar_url: getAvatarUrl(bot),
  };
}
