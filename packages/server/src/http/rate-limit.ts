import type { Response } from 'express';
import type { App } from '../app.ts';
import { fail } from '../core/errors.ts';
import type { AddressCounter, RateLimitVerdict, RequestingUser } from '../core/rate-limits.ts';

type CountedBy =
  | { user: RequestingUser; bucket: 'account' | 'events' }
  | { ip: string | undefined; counter: AddressCounter };

/**
 * Counts the request in its bucket, and fails when the limit is reached (docs/behaviour/rate-limits.md#buckets). A
 * `caller` beyond the limit is remembered for `failSpentCaller`.
 */
export async function countRequest(app: App, res: Response, countedBy: CountedBy, caller?: string): Promise<void> {
  const verdict =
    'user' in countedBy
      ? await app.requestLimits.account(countedBy.user, countedBy.bucket)
      : await app.requestLimits.address(countedBy.ip, countedBy.counter);
  if (!verdict) return;
  if ('user' in countedBy) setRateLimitHeaders(res, verdict);
  if (verdict.wait === undefined) return;
  if (caller !== undefined) app.spentCallers.remember(caller, verdict);
  spent(res, verdict.wait);
}

/** Fails for a caller that was beyond the limit, until its window ends. Costs no statement. */
export function failSpentCaller(app: App, res: Response, caller: string): void {
  const verdict = app.spentCallers.find(caller);
  if (verdict?.wait === undefined) return;
  setRateLimitHeaders(res, verdict);
  spent(res, verdict.wait);
}

function setRateLimitHeaders(res: Response, { limit, remaining, reset }: RateLimitVerdict): void {
  res.setHeader('X-RateLimit-Limit', limit);
  res.setHeader('X-RateLimit-Remaining', Math.max(0, remaining));
  res.setHeader('X-RateLimit-Reset', Math.ceil(reset / 1000));
}

function spent(res: Response, wait: number): never {
  res.setHeader('X-RateLimit-Remaining', 0);
  return fail('RATE_LIMIT_HIT', `You have sent too many requests. Try again in ${Math.ceil(wait)} seconds.`, {
    'retry-after': wait,
  });
}
