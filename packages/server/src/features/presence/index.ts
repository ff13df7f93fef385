export { presenceState } from './actions/list.ts';
export { switchPresence } from './actions/update.ts';
export { presenceHistory } from './present.ts';
export { deletePresences, listPresences, type Presence } from './queries.ts';
