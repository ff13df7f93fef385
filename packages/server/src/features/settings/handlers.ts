import type { Handlers } from '../../core/handler.ts';
import { updateUserSettingsDefaults } from '../user-settings/index.ts';
import { updateSettings } from './actions/update.ts';

export const settings = {
  updateSettings: (ctx, params) => updateSettings(ctx, params),
  updateDisplaySettings: (ctx, params) => updateSettings(ctx, params),
  updateNotificationSettings: (ctx, params) => updateSettings(ctx, params),
  updateUserSettingsDefaults: (ctx, params) => updateUserSettingsDefaults(ctx, params),
} satisfies Partial<Handlers>;
