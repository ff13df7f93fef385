export { postIncomingEmail } from './actions.ts';
export { findStreamByToken, mailTokenOf } from './address.ts';
export { type IncomingEmail, partsOf } from './rules.ts';
