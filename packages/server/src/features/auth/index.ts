export { authenticate, type BasicCredentials, INCOMING_WEBHOOK, readCredentials } from './authenticate.ts';
export { apiKeyOf } from './keys.ts';
export { forgetLoginNetworks } from './networks.ts';
export { notTheirs, requireOwnPassword } from './own-password.ts';
export { hashPassword, isPasswordOf, passwordProblem } from './passwords.ts';
export { findCaller, forgetSignIns, updatePasswordHash } from './queries.ts';
export { hasDirectory, hasPasswords, isEmail, isPad, providersFor } from './rules.ts';
