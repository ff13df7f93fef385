export { type Confirmation, confirmEmailChange, getEmailChange } from './actions/confirm.ts';
export { CONFIRM_PATH } from './actions/email.ts';
export { deleteExpiredEmailChanges } from './queries/email.ts';
