export { presenceState } from './list.ts';
export { switchPresence } from './update.ts';
