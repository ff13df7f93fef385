export {
  type IdempotentRequest,
  runIdempotent,
  runIdempotentOutsideTransaction,
  storeErrorResponse,
} from './actions.ts';
export { listFingerprints } from './fingerprint.ts';
export { deleteExpiredKeys } from './queries.ts';
export { isKey } from './rules.ts';
export type { KeyLimits } from './usage.ts';
