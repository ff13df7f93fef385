export { changeUserSettings } from './change.ts';
export { defaultUserSettings } from './defaults.ts';
export { insertFirstSettings, settingsDefaultsState, settingsOfNewPeople } from './new-people.ts';
export { forgetEmailChanges } from './queries/email.ts';
export { settingsState, userSettingsOf } from './state.ts';
