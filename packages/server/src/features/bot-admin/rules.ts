import { isAdministrator, isGuest, isOwner } from '../../access/roles.ts';
import type { User } from '../../core/context.ts';
import { bounds } from '../../core/limits.ts';
import { codePoints } from '../../text/names.ts';

type Ranked = Pick<User, 'id' | 'role'>;
const GENERIC = 1;

/**
 * Whether the organization's `bot_creation_policy` lets a user create a bot of this type
 * (docs/behaviour/bots.md#create-a-bot).
 */
export function canCreateBot(policy: number, user: Pick<User, 'role'>, bot_type: number): boolean {
  if (isAdministrator(user)) return true;
  return !isGuest(user) && (policy === 1 || (policy === 2 && bot_type !== GENERIC));
}

/**
 * Whether a user can change a bot, deactivate it and get its key. The key has the bot's permissions, so only owners
 * manage bots with the role of owner.
 */
export function canManageBot(user: Ranked, bot: Pick<User, 'role' | 'bot_owner_id'>): boolean {
  if (bot.bot_owner_id === user.id) return true;
  return isAdministrator(user) && (isOwner(user) || !isOwner(bot));
}

/** Whether a user can own a bot. */
export const canOwnBot = (user: Pick<User, 'role' | 'is_active' | 'bot_type' | 'is_system_bot'>): boolean =>
  user.is_active && user.bot_type === null && !isGuest(user);

/** The problem of a bot's short name, if there is one. */
export function shortNameProblem(short_name: string): string | undefined {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/.test(short_name)) return undefined;
  return 'short_name: at most 60 letters, digits, ".", "_" and "-", beginning with a letter or a digit.';
}

/** The problem of a key of a bot's storage, if there is one. */
export function storageKeyProblem(key: string): string | undefined {
  if (key !== '' && codePoints(key) <= bounds.storage_key) return undefined;
  return `storage: a key must have 1 to ${bounds.storage_key} characters.`;
}
