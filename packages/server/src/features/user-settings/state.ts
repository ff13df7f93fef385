import type { Ctx, User } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { stateQuery } from '../../core/state-query.ts';
import { defaultUserSettings, emojisets, notificationSounds } from './defaults.ts';
import { findUserSettings, jsonUserOverrides, type StoredSettings } from './queries/settings.ts';

export type UserSettings = Schema<'UserSettings'>;

/** The present settings of a user. */
export async function findUserSettingsOf(db: Ctx['db'], user: Pick<User, 'realm_id' | 'id'>): Promise<UserSettings> {
  return toUserSettings(await findUserSettings(db, user));
}

/** All settings of a user, computed from what is stored. */
export const toUserSettings = ({ overrides, timezone, email_address_visibility }: StoredSettings): UserSettings => ({
  ...defaultUserSettings,
  ...(overrides as Partial<UserSettings> | null),
  timezone,
  email_address_visibility: email_address_visibility as UserSettings['email_address_visibility'],
});

/** The part of `POST /register` about the caller's settings, with the values that some of them can have. */
export const settingsState = ({ me }: Ctx) =>
  stateQuery(jsonUserOverrides(me), (overrides: StoredSettings['overrides']) => ({
    user_settings: {
      ...toUserSettings({ ...me, overrides }),
      emojiset_choices: [...emojisets],
      available_notification_sounds: [...notificationSounds],
    },
  }));
