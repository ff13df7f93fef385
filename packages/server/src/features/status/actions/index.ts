export { statusState } from './state.ts';
