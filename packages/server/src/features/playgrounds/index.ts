export { playgroundsState } from './actions.ts';
