export { changeUserSettings } from './change.ts';
export { defaultUserSettings } from './defaults.ts';
export { getNewUserSettings, insertNewUserSettings, settingsDefaultsState } from './new-users.ts';
export { deleteExpiredEmailChanges } from './queries/email.ts';
export { jsonUserOverrides, type UserOverrides } from './queries/settings.ts';
export { findUserSettingsOf, settingsState, toUserSettings } from './state.ts';
