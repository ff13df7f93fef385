export { notTheirs, requireOwnPassword } from './actions.ts';
export { authenticate, type Credentials, INCOMING_WEBHOOK, readCredentials } from './authenticate.ts';
export { apiKeyOf } from './keys.ts';
export { hashPassword, isPasswordOf, passwordProblem } from './passwords.ts';
export { findCaller, updatePasswordHash } from './queries.ts';
export { hasDirectory, hasPasswords, isEmail } from './rules.ts';
