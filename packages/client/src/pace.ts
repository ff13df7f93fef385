import { pause } from './backoff.ts';
import type { Pace } from './options.ts';

/** Operations with a rate limit of their own. They wait by themselves. */
const POLLS: readonly string[] = ['getEvents', 'acknowledgeEvents'];
/** Up to this share of the limit, what remains is spread over the time that is left. */
const FEW = 0.25;
/** Milliseconds that a request waits at most. After that the server says how long. */
const LONGEST = 10_000;

/**
 * Spreads requests while few of the rate limit remain, so that a program gets slower instead of standing still until the limit is full again.
 * Requests that are sent wait in a line. One pace can be shared by several clients of an account.
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
      // The clock of the server decides, where a browser lets its date be read.
      const now = Date.parse(headers?.get('Date') ?? '') || Date.now();
      resetAt = Date.now() + Number(reset) * 1000 - now;
    },
  };
}
