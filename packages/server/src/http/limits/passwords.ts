import { createHash } from 'node:crypto';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Rule } from '../../config/index.ts';
import type { PasswordAttempt, PasswordLimits } from '../../core/rate-limits.ts';
import { flexible } from './library.ts';

const DAY = 86_400;
/** The limit for one account over all networks, as a multiple of the limit for one network. */
const NETWORKS = 10;

type Name = 'password' | 'password_all' | 'password_locks';
type LimiterOf = (name: Name, rule: Rule) => RateLimiterAbstract;

interface Counters {
  readonly rule: Rule;
  /** Failures of one network. */
  readonly network: RateLimiterAbstract;
  /** Failures of all networks. */
  readonly all: RateLimiterAbstract;
  /** How often the network was locked out within a day. */
  readonly locks: RateLimiterAbstract;
}

/** Counted one by one: five attempts are few, and an unused leased one would be lost. */
export function createPasswordLimits(rules: readonly Rule[], limiterOf: LimiterOf): PasswordLimits {
  let made: Counters[] | undefined;
  const counters = (): Counters[] => {
    made ??= rules.map((rule) => ({
      rule,
      network: limiterOf('password', rule),
      all: limiterOf('password_all', { seconds: rule.seconds, count: rule.count * NETWORKS }),
      locks: limiterOf('password_locks', { seconds: DAY, count: 1 }),
    }));
    return made;
  };
  return {
    async passwordFailed(attempt) {
      await Promise.all(counters().map((one) => countFailure(one, attempt)));
    },
    async passwordWait(attempt) {
      const waits = await Promise.all(counters().map((one) => findWait(one, attempt)));
      const longest = (of: 'network' | 'all') => Math.max(0, ...waits.map((wait) => wait[of]));
      return { network: longest('network'), all: longest('all') };
    },
    async passwordSucceeded(attempt) {
      const key = toKey(attempt);
      await Promise.all(counters().flatMap(({ network, locks }) => [network.delete(key), locks.delete(key)]));
    },
  };
}

async function countFailure({ rule, network, all, locks }: Counters, attempt: PasswordAttempt): Promise<void> {
  const key = toKey(attempt);
  const [{ consumedPoints }] = await Promise.all([network.penalty(key), all.penalty(toAccountKey(attempt))]);
  if (consumedPoints !== rule.count) return;
  const lockouts = (await locks.penalty(key)).consumedPoints;
  // The first lockout lasts for the rest of the window; each further one within a day lasts twice as long as the one
  // before.
  if (lockouts > 1) await network.block(key, secondsOf(rule, lockouts));
}

/** The duration of the n-th lockout within a day. */
function secondsOf({ seconds }: Rule, lockouts: number): number {
  return Math.min(seconds * 2 ** Math.max(0, lockouts - 1), Math.max(seconds, DAY));
}

async function findWait({ rule, network, all, locks }: Counters, attempt: PasswordAttempt) {
  const key = toKey(attempt);
  const [here, everywhere] = await Promise.all([network.get(key), all.get(toAccountKey(attempt))]);
  const isSpent = (found: typeof here, count: number) =>
    found instanceof flexible().RateLimiterRes && found.consumedPoints >= count;
  let wait = 0;
  if (here && isSpent(here, rule.count)) {
    const lockouts = (await locks.get(key))?.consumedPoints ?? 1;
    wait = here.msBeforeNext;
    // The clock was set back: a window that ends later than its length allows is invalid.
    if (wait > secondsOf(rule, lockouts) * 1000) {
      await network.delete(key);
      wait = 0;
    }
  }
  const allWait = everywhere && isSpent(everywhere, rule.count * NETWORKS) ? everywhere.msBeforeNext : 0;
  return { network: Math.max(0, wait) / 1000, all: allWait > rule.seconds * 1000 ? 0 : Math.max(0, allWait) / 1000 };
}

/** Clients choose usernames: they can have any length, and can be a password in the wrong field. */
const toKey = ({ purpose, realm_id, username, network }: PasswordAttempt): string =>
  `${realm_id}:${hashOf([purpose, normalize(username), network])}`;

const toAccountKey = ({ purpose, realm_id, username }: PasswordAttempt): string =>
  `${realm_id}:${hashOf([purpose, normalize(username)])}`;

const normalize = (username: string): string => username.trim().toLowerCase();

const hashOf = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
