export { changeUserSettings } from './change.ts';
export { defaultUserSettings } from './defaults.ts';
export { insertFirstSettings, settingsDefaultsState, settingsOfNewPeople } from './new-people.ts';
export { forgetEmailChanges } from './queries/email.ts';
export { jsonUserOverrides, type UserOverrides } from './queries/settings.ts';
export { settingsState, toUserSettings, userSettingsOf } from './state.ts';
