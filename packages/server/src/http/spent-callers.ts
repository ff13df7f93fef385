import { hash } from 'node:crypto';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { toAddress } from '../core/network.ts';
import type { RateLimitVerdict } from '../core/rate-limits.ts';

/** The maximum number of callers that a process remembers: about 2 MB. */
const CAPACITY = 10_000;

interface Entry {
  readonly verdict: RateLimitVerdict;
  /** UNIX time in milliseconds. */
  readonly since: number;
}

/**
 * The callers whose rate limit is used up, until their window ends. The server rejects their requests without any
 * lookup, so a client that ignores `Retry-After` costs no statement. A caller is an address with its credentials: a
 * client with other credentials behind the same address is another caller.
 */
export class SpentCallers {
  readonly #entries: LRUCache<string, Entry>;

  constructor(capacity = CAPACITY) {
    this.#entries = new LRUCache({ max: capacity });
  }

  remember(caller: string, verdict: RateLimitVerdict): void {
    this.#entries.set(caller, { verdict, since: Date.now() });
  }

  find(caller: string): RateLimitVerdict | undefined {
    const entry = this.#entries.get(caller);
    if (!entry) return undefined;
    const { verdict, since } = entry;
    const wait = (verdict.wait ?? 0) - (Date.now() - since) / 1000;
    // A clock that was set back makes no window longer.
    if (wait > 0 && Date.now() >= since) return { ...verdict, wait };
    this.#entries.delete(caller);
    return undefined;
  }
}

/** The maximum characters of credentials and host that are remembered. */
const LONGEST_REMEMBERED = 500;

/** The callers of the last requests: to hash the credentials for each took 3 % of `GET /users/me`. */
const lastCallers = new LRUCache<string, string>({ max: 1_000 });

/** Identifies the caller of a request with credentials, for one bucket. It contains the credentials as a hash. */
export function toCaller(req: Request, bucket: string): string {
  const { authorization = '', host = '' } = req.headers;
  const text = JSON.stringify([bucket, toAddress(req.ip), host, authorization]);
  const known = lastCallers.get(text);
  if (known !== undefined) return known;
  const caller = hash('sha256', text, 'base64url');
  if (text.length <= LONGEST_REMEMBERED) lastCallers.set(text, caller);
  return caller;
}
