// A separate entry point: these actions change accounts, which in turn import `settings/index.ts`.
export { type Confirmation, confirmEmailChange, getEmailChange } from './confirm.ts';
export { CONFIRM_PATH } from './email.ts';
