export { postLetter } from './actions.ts';
export { findStreamByToken, mailTokenOf } from './address.ts';
export { type Letter, partsOf } from './rules.ts';
