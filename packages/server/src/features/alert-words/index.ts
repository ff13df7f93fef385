export { alertWordsState } from './actions.ts';
