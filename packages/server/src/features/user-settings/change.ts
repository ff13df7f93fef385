import type { PublicCtx, User } from '../../core/context.ts';
import { switchPresence } from '../presence/index.ts';
import { languages } from '../realm/index.ts';
import { lockUser } from '../users/index.ts';
import { deleteDraftsOf, updateUserSettings } from './queries/settings.ts';
import { findUserSettingsOf, type UserSettings } from './state.ts';

/**
 * Changes settings of a user, with one event for each that differs, and returns these. The caller validates the values
 * and applies further consequences.
 */
export async function changeUserSettings(
  ctx: PublicCtx,
  user: Pick<User, 'realm_id' | 'id'>,
  requested: Partial<UserSettings>,
): Promise<Partial<UserSettings>> {
  await lockUser(ctx.db, user);
  const before: Record<string, unknown> = await findUserSettingsOf(ctx.db, user);
  const different = Object.entries(requested).filter(([name, value]) => value !== undefined && value !== before[name]);
  if (different.length === 0) return {};
  const changes: Partial<UserSettings> = Object.fromEntries(different);
  await updateUserSettings(ctx.db, user, changes);
  if (changes.enable_drafts_synchronization === false) await deleteDraftsOf(ctx.db, user);
  for (const [property, value] of different) {
    const language_name = property === 'default_language' ? languages.get(String(value)) : undefined;
    ctx.emit(
      { type: 'user_settings', op: 'update', property, value, ...(language_name !== undefined && { language_name }) },
      { users: [user.id] },
    );
  }
  if (changes.presence_enabled !== undefined) await switchPresence(ctx, user, changes.presence_enabled);
  return changes;
}
