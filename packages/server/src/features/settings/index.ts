export { changeUserSettings } from './change.ts';
export { defaultUserSettings } from './defaults.ts';
export { settingsState, userSettingsOf } from './state.ts';
