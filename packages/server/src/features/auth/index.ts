export { authenticate, INCOMING_WEBHOOK } from './authenticate.ts';
export { apiKeyOf } from './keys.ts';
export { hashPassword, isPasswordOf, passwordProblem } from './passwords.ts';
export { hasDirectory, hasPasswords, isEmail } from './rules.ts';
