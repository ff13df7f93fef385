export { deliverLetters, writeLetter } from './actions.ts';
