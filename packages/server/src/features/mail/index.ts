export { deliverLetters, writeLetter } from './actions.ts';
export { countLetters } from './queries.ts';
