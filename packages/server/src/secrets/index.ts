export { acceptSecret, findConfigured, UNKNOWN_SECRET } from './check.ts';
export { SecretGuard } from './guard.ts';
