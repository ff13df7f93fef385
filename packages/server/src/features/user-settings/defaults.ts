import { userSettingDefaults } from '@parley/openapi';
import type { Schema } from '../../core/contract.ts';

type UserSettings = Schema<'UserSettings'>;

/** The defaults of all users (docs/behaviour/settings.md#defaults), as the document's table of settings has them. */
export const defaultUserSettings: Readonly<UserSettings> = Object.freeze({ ...userSettingDefaults });

/** The image sets in which emoji are drawn. */
export const emojisets = Object.freeze([
  { key: 'google', text: 'Google' },
  { key: 'google-blob', text: 'Google blobs' },
  { key: 'twitter', text: 'Twitter' },
  { key: 'text', text: 'Plain text' },
] as const satisfies readonly { key: UserSettings['emojiset']; text: string }[]);

export const notificationSounds = Object.freeze([
  'parley',
  'ascend',
  'beep_boop',
  'bink',
  'bright',
  'brlip',
  'chime',
  'ding',
  'none',
] as const satisfies readonly UserSettings['notification_sound'][]);
