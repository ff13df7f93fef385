export { postLetter } from './actions.ts';
export { mailTokenOf, streamOfToken } from './address.ts';
export { type Letter, partsOf } from './rules.ts';
