import type { RateLimits, RequestLimits } from '../src/core/rate-limits.ts';

/** Limits that limit nothing, like those of `PARLEY_RATE_LIMITS=off`. */
export const unlimited: RateLimits & RequestLimits = {
  account: async () => undefined,
  address: async () => undefined,
  passwordFailed: async () => {},
  passwordWait: async () => ({ network: 0, all: 0 }),
  passwordSucceeded: async () => {},
  emailChange: async () => undefined,
  release: () => {},
};
