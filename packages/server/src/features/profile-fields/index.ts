export { profileFieldsState } from './actions/fields.ts';
export { changeProfile } from './actions/values.ts';
