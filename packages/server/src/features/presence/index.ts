export { presenceHistory } from './present.ts';
export { deletePresences, listPresences, type Presence } from './queries.ts';
