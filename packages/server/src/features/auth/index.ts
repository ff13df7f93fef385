export { requireAttemptsLeft, runCountedAttempt } from './attempts.ts';
export {
  authenticate,
  type BasicCredentials,
  INCOMING_WEBHOOK,
  type KeyCheck,
  readCredentials,
} from './authenticate.ts';
export { deriveApiKey } from './keys.ts';
export { deleteOldLoginNetworks, isKnownNetwork } from './networks.ts';
export { failWrongPassword, requireOwnPassword } from './own-password.ts';
export { hashPassword, isHashingBusy, passwordProblem, verifyPassword } from './passwords.ts';
export {
  deleteExpiredSignIns,
  findCaller,
  findLogin,
  findUserById,
  insertSignIn,
  type LoginRow,
  type SignIn,
  takeSignIn,
  updatePasswordHash,
} from './queries.ts';
export { type FoundCaller, RememberedCallers } from './remembered-callers.ts';
export {
  encryptWithPad,
  getDirectoryFor,
  hasDirectory,
  hasPasswords,
  isEmail,
  isHuman,
  isOneAddress,
  isOneTimePad,
  listNameCandidates,
  listProvidersFor,
} from './rules.ts';
