import { pause } from './backoff.ts';
import type { Pace } from './options.ts';

/** Operations with a rate limit of their own. They wait by themselves. */
const POLLS: readonly string[] = ['getEvents', 'acknowledgeEvents'];
/** Up to this share of the limit, the remaining requests are spread over the remaining time. */
const FEW = 0.25;
/** Maximum milliseconds that a request waits. After that the server's `Retry-After` applies. */
const LONGEST = 10_000;

/**
 * Spreads requests while little of the rate limit remains, so that a program becomes slower instead of stopping until
 * the limit is reset. Waiting requests are queued. Several clients of an account can share one pace.
 *
 * @since Feature level 237.
 * @see `/docs/guides/sdk/#when-a-call-is-tried-again` on your server
 * @example
 * const client = createClient(url, { login: { email, apiKey }, pace: createPace() });
 */
export function createPace(): Pace {
  let limit = 0;
  let remaining = Number.POSITIVE_INFINITY;
  let underWay = 0;
  let resetAt = 0;
  let line: Promise<unknown> = Promise.resolve();
  const passNext = async (signal?: AbortSignal) => {
    const left = resetAt - Date.now();
    if (left > 0 && remaining <= limit * FEW) await pause(Math.min(left / Math.max(remaining, 1), LONGEST), signal);
    remaining -= 1;
    underWay += 1;
  };
  return {
    wait(operation, signal) {
      if (POLLS.includes(operation)) return Promise.resolve();
      const turn = line.then(() => passNext(signal));
      line = turn.catch(() => {});
      return turn;
    },
    note(operation, response) {
      if (POLLS.includes(operation)) return;
      underWay -= 1;
      const headers = response?.headers;
      const [most, rest, reset] = ['Limit', 'Remaining', 'Reset'].map((name) => headers?.get(`X-RateLimit-${name}`));
      if (!most) return;
      limit = Number(most);
      remaining = Number(rest) - underWay;
      // The server's clock is used, where a browser exposes the `Date` header.
      const now = Date.parse(headers?.get('Date') ?? '') || Date.now();
      resetAt = Date.now() + Number(reset) * 1000 - now;
    },
  };
}
