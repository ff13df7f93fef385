export { draftsState } from './actions.ts';
