// A front door of its own: these actions change accounts, which themselves stand on `settings/index.ts`.
export { type Confirmation, confirmEmailChange, getEmailChange } from './confirm.ts';
export { CONFIRM_PATH } from './email.ts';
