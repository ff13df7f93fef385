import { createHash } from 'node:crypto';
import { type Database, tables } from '@parley/db';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { RateRules, Rule, RuleName } from '../../config/index.ts';
import type { RateLimits, RequestingUser, RequestLimits } from '../../core/context.ts';
import { type Bucket, createBucket } from './bucket.ts';
import { flexible } from './library.ts';
import { LeasedWindow } from './window.ts';

export { forgetSpentLimits } from './queries.ts';

export interface Limits extends RequestLimits, RateLimits {
  close(): void;
}

/** Rules of an account's own; undefined: everyone's. */
export type RulesOf = (
  user: { realm_id: number; id: number },
  bucket: 'account' | 'events',
) => readonly Rule[] | undefined;

const TIDY = 60_000;

/**
 * All limits of behaviour 1.6. `shared` is where processes count together: connections of its own, because whoever counts a
 * failed password already holds one. Without it this process counts alone.
 */
export function createLimits(rules: RateRules, shared?: Database, rulesOf: RulesOf = () => undefined): Limits {
  const limiterOf = (name: RuleName, { seconds, count }: Rule): RateLimiterAbstract => {
    const options = { keyPrefix: `${name}:${seconds}`, points: count, duration: seconds };
    if (!shared) return new (flexible().RateLimiterMemory)(options);
    return new (flexible().RateLimiterDrizzle)({
      ...options,
      storeClient: shared.db,
      schema: tables.rate_limits,
      clearExpiredByTimeout: false,
    });
  };
  const blockOf = shared ? (left: number) => Math.max(1, Math.ceil(left / 10)) : () => 1;
  const buckets = new Map<string, Bucket | undefined>();
  /** One bucket for each set of rules, made when it is first needed. */
  function bucket(name: RuleName, own: readonly Rule[] = rules[name]): Bucket | undefined {
    const id = `${name} ${JSON.stringify(own)}`;
    if (!buckets.has(id)) {
      buckets.set(
        id,
        createBucket(own, (rule) => new LeasedWindow(limiterOf(name, rule), rule, blockOf)),
      );
    }
    return buckets.get(id);
  }
  const timer = setInterval(() => {
    for (const one of buckets.values()) one?.tidy();
  }, TIDY);
  timer.unref();
  return {
    account: async (user, name) => bucket(name, rulesOf(user, name))?.take(...keysOf(user, name, rulesOf(user, name))),
    address: async (ip) => bucket('ip')?.take(plain(ip)),
    addressNow: async (ip) => bucket('ip')?.standing(plain(ip)),
    emailChange: async (user) => bucket('email_change')?.take(`${user.realm_id}:${user.id}`),
    ...passwordLimits(rules.password, (rule) => limiterOf('password', rule)),
    close: () => clearInterval(timer),
  };
}

/** Counted one by one: five guesses are few, and a leased one that is never used would be a guess less. */
function passwordLimits(
  rules: readonly Rule[],
  limiterOf: (rule: Rule) => RateLimiterAbstract,
): Omit<RateLimits, 'emailChange'> {
  let made: { rule: Rule; limiter: RateLimiterAbstract }[] | undefined;
  function limiters() {
    made ??= rules.map((rule) => ({ rule, limiter: limiterOf(rule) }));
    return made;
  }
  return {
    async passwordFailed(realm_id, username) {
      await Promise.all(limiters().map(({ limiter }) => limiter.penalty(nameKey(realm_id, username))));
    },
    async passwordWait(realm_id, username) {
      const waits = limiters().map(async ({ rule, limiter }) => {
        const found = await limiter.get(nameKey(realm_id, username));
        return found instanceof flexible().RateLimiterRes && found.consumedPoints >= rule.count
          ? Math.max(0, found.msBeforeNext)
          : 0;
      });
      return Math.max(0, ...(await Promise.all(waits))) / 1000;
    },
    async passwordSucceeded(realm_id, username) {
      await Promise.all(limiters().map(({ limiter }) => limiter.delete(nameKey(realm_id, username))));
    },
  };
}

/** Usernames come from strangers: any length, and perhaps a password typed into the wrong field. */
function nameKey(realm_id: number, username: string): string {
  return `${realm_id}:${createHash('sha256').update(username.trim().toLowerCase()).digest('base64url')}`;
}

const plain = (ip: string): string => (ip.startsWith('::ffff:') ? ip.slice(7) : ip);

/**
 * What a request of an account counts under. Bots share a bucket: whoever makes bots has no more requests for it. Polls stay
 * apart, because one event has all bots poll again; and an account with rules of its own has these alone.
 */
function keysOf(
  { realm_id, id, bot_owner_id }: RequestingUser,
  name: RuleName,
  own: readonly Rule[] | undefined,
): string[] {
  const key = `${realm_id}:${id}`;
  if (bot_owner_id == null || name === 'events' || own) return [key];
  return [`${realm_id}:bots of ${bot_owner_id}`, key];
}
