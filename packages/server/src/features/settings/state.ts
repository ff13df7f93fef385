import type { Ctx, User } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { defaultUserSettings, emojisets, notificationSounds } from './defaults.ts';
import { findUserSettings } from './queries/settings.ts';

export type UserSettings = Schema<'UserSettings'>;

/** Somebody's settings as they are now. */
export async function userSettingsOf(db: Ctx['db'], user: Pick<User, 'realm_id' | 'id'>): Promise<UserSettings> {
  const { overrides, timezone, email_address_visibility } = await findUserSettings(db, user);
  return {
    ...defaultUserSettings,
    ...(overrides as Partial<UserSettings> | null),
    timezone,
    email_address_visibility: email_address_visibility as UserSettings['email_address_visibility'],
  };
}

/** The caller's settings, as `POST /register` gives them, with what some of them can be. */
export async function settingsState(ctx: Ctx) {
  return {
    user_settings: {
      ...(await userSettingsOf(ctx.db, ctx.me)),
      emojiset_choices: [...emojisets],
      available_notification_sounds: [...notificationSounds],
    },
  } satisfies Partial<Schema<'State'>>;
}
