export { acceptSecret, findConfigured, recognizeSecrets, UNKNOWN_SECRET } from './check.ts';
export { SecretGuard } from './guard.ts';
