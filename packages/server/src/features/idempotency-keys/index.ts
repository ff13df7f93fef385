export { type IdempotentRequest, once, onceApart, storeErrorResponse } from './actions.ts';
export { fingerprintsOf } from './fingerprint.ts';
export { forgetKeys } from './queries.ts';
export { isKey } from './rules.ts';
export type { KeyLimits } from './usage.ts';
