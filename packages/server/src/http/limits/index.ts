import type { Database } from '@parley/db';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { RateRules, Rule, RuleName } from '../../config/index.ts';
import { toAddress } from '../../core/network.ts';
import type { RateLimits, RequestingUser, RequestLimits } from '../../core/rate-limits.ts';
import { type Bucket, createBucket } from './bucket.ts';
import { createDatabaseLimiter } from './database-limiter.ts';
import { flexible } from './library.ts';
import { createPasswordLimits } from './passwords.ts';
import { LeasedWindow } from './window.ts';

export { deleteExpiredLimits, writeProbe } from './queries.ts';

export interface Limits extends RequestLimits, RateLimits {
  close(): void;
}

/** Rules of an account's own; undefined: the general rules. */
export type RulesOf = (
  user: { realm_id: number; id: number },
  bucket: 'account' | 'events',
) => readonly Rule[] | undefined;

const TIDY = 60_000;

/**
 * All limits of docs/behaviour/rate-limits.md#buckets. `shared` is where processes count together: separate
 * connections, because a request that counts a failed password already holds one. Without it this process counts alone.
 */
export function createLimits(
  rules: RateRules,
  shared?: Database,
  rulesOf: RulesOf = () => undefined,
  clock: () => Date = () => new Date(),
): Limits {
  const limiterOf = (name: string, { seconds, count }: Rule): RateLimiterAbstract => {
    const options = { keyPrefix: `${name}:${seconds}`, points: count, duration: seconds };
    if (!shared) return new (flexible().RateLimiterMemory)(options);
    return createDatabaseLimiter(options, { db: shared.db, clock });
  };
  const blockOf = shared ? (left: number) => Math.max(1, Math.ceil(left / 10)) : () => 1;
  const buckets = new Map<string, Bucket | undefined>();
  /** One bucket for each set of rules, created on first use. */
  function bucket(name: RuleName, own: readonly Rule[] = rules[name]): Bucket | undefined {
    const id = `${name} ${JSON.stringify(own)}`;
    if (!buckets.has(id)) {
      buckets.set(
        id,
        createBucket(own, (rule) => new LeasedWindow(limiterOf(name, rule), rule, blockOf, clock), clock),
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
    address: async (ip, counter) => bucket('ip')?.take(`${counter}:${toAddress(ip)}`),
    release: (user, name) => bucket(name, rulesOf(user, name))?.release(...keysOf(user, name, rulesOf(user, name))),
    emailChange: async (user) => bucket('email_change')?.take(`${user.realm_id}:${user.id}`),
    ...createPasswordLimits(rules.password, limiterOf),
    close: () => clearInterval(timer),
  };
}

/**
 * The keys under which a request of an account counts. All bots of an owner share a bucket, so more bots do not allow
 * more requests. Polls are counted separately, because one event makes all bots poll again. An account with rules of
 * its own counts only under these.
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
