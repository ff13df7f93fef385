export {
  authenticate,
  type BasicCredentials,
  INCOMING_WEBHOOK,
  type KeyCheck,
  readCredentials,
} from './authenticate.ts';
export { deriveApiKey } from './keys.ts';
export { deleteOldLoginNetworks } from './networks.ts';
export { failWrongPassword, requireOwnPassword } from './own-password.ts';
export { hashPassword, passwordProblem, verifyPassword } from './passwords.ts';
export { deleteExpiredSignIns, findCaller, updatePasswordHash } from './queries.ts';
export { getDirectoryFor, hasDirectory, hasPasswords, isEmail, isOneTimePad, listProvidersFor } from './rules.ts';
