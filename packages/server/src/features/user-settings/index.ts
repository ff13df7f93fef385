export { changeUserSettings } from './change.ts';
export { defaultUserSettings } from './defaults.ts';
export {
  getNewUserSettings,
  insertNewUserSettings,
  settingsDefaultsState,
  updateUserSettingsDefaults,
} from './new-users.ts';
export { jsonUserOverrides, type UserOverrides } from './queries/settings.ts';
export { valueProblem } from './rules.ts';
export { findUserSettingsOf, settingsState, toUserSettings, type UserSettings } from './state.ts';
export { timezones } from './timezones.ts';
