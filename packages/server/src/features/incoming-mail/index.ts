export { postIncomingEmail } from './actions.ts';
export { deriveMailToken, findStreamByToken } from './address.ts';
export { type IncomingEmail, parseAddress } from './rules.ts';
