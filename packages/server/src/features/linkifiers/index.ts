export { linkifiersState } from './actions.ts';
export { linkifiersFor } from './lookup.ts';
