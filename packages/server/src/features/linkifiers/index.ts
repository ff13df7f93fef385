export { linkifiersState } from './actions.ts';
export { getLinkifiers } from './lookup.ts';
