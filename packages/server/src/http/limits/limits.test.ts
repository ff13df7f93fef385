import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { freshDatabase, onPostgres, type TestDatabase } from '../../../test/database.ts';
import { type RateRules, readConfig } from '../../config/index.ts';
import { createLimits, type Limits } from './index.ts';

const ada = { realm_id: 1, id: 7 };
const rulesFrom = (rules: object | 'off'): RateRules =>
  readConfig({ PARLEY_RATE_LIMITS: rules === 'off' ? 'off' : JSON.stringify(rules) }).rate_rules;
const opened: Limits[] = [];

function limitsOf(rules: object | 'off', ...more: [database?: TestDatabase]): Limits {
  const limits = createLimits(rulesFrom(rules), ...more);
  opened.push(limits);
  return limits;
}

afterEach(() => {
  vi.useRealTimers();
  for (const limits of opened.splice(0)) limits.close();
});

/** Stops the clock; it moves only by the returned function. */
function stopClock(): (seconds: number) => void {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2030-01-01T12:00:00Z') });
  return (seconds) => vi.setSystemTime(Date.now() + seconds * 1000);
}

const postgres = onPostgres;
const rooms = [
  { where: 'in one process', shared: false },
  ...(postgres ? [{ where: 'on PostgreSQL', shared: true }] : []),
];

describe.each(rooms)('request limits $where', ({ shared }) => {
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    if (shared) database = await freshDatabase();
  });
  afterAll(() => database?.close());
  const open = (rules: object | 'off') => (database ? limitsOf(rules, database) : limitsOf(rules));

  test('a refunded request restores the count, and never above the limit', async () => {
    const ahead = stopClock();
    const limits = open({ events: '60:2' });
    const user = { realm_id: 1, id: 101 };
    for (let n = 0; n < 5; n++) {
      expect(await limits.account(user, 'events')).toMatchObject({ remaining: 1, wait: undefined });
      limits.release(user, 'events');
    }
    await limits.account(user, 'events');
    ahead(61);
    await limits.account(user, 'events');
    // Counted in the window before.
    for (let n = 0; n < 3; n++) limits.release(user, 'events');
    expect(await limits.account(user, 'events')).toMatchObject({ remaining: 1 });
    await limits.account(user, 'events');
    expect(await limits.account(user, 'events')).toMatchObject({ wait: expect.any(Number) });
  });

  test('every request decrements the remaining count, and the first one over the limit fails', async () => {
    stopClock();
    const limits = open({ account: '60:25' });
    const user = { realm_id: 1, id: 100 };
    for (let left = 24; left >= 0; left--) {
      expect(await limits.account(user, 'account')).toEqual({
        limit: 25,
        remaining: left,
        reset: Date.now() + 60_000,
        wait: undefined,
      });
    }
    expect(await limits.account(user, 'account')).toEqual({
      limit: 25,
      remaining: 0,
      reset: Date.now() + 60_000,
      wait: 60,
    });
  });

  test('when the window ends, the whole limit is available again', async () => {
    const wait = stopClock();
    const limits = open({ account: '60:3' });
    const user = { realm_id: 1, id: 101 };
    for (let n = 0; n < 4; n++) await limits.account(user, 'account');
    wait(59);
    expect(await limits.account(user, 'account')).toMatchObject({ remaining: 0, wait: 1 });
    wait(1);
    expect(await limits.account(user, 'account')).toMatchObject({ remaining: 2, wait: undefined });
  });

  test('event polls and other requests have separate buckets, and so has each account', async () => {
    const limits = open({ account: '60:1', events: '60:1' });
    const [one, other] = [
      { realm_id: 1, id: 102 },
      { realm_id: 2, id: 102 },
    ] as const;
    expect(await limits.account(one, 'account')).toMatchObject({ remaining: 0, wait: undefined });
    expect(await limits.account(one, 'events')).toMatchObject({ remaining: 0, wait: undefined });
    expect(await limits.account(other, 'account')).toMatchObject({ remaining: 0, wait: undefined });
    expect((await limits.account(one, 'account'))?.wait).toBeGreaterThan(0);
  });

  test('the bots of an owner share a bucket, besides their own ones; their owner and other bots have separate ones', async () => {
    const limits = open({ account: '60:4', events: '60:4' });
    const bot = (id: number, bot_owner_id: number) => ({ realm_id: 1, id, bot_owner_id });
    for (const id of [301, 302, 303, 301])
      expect((await limits.account(bot(id, 300), 'account'))?.wait).toBeUndefined();
    for (const id of [301, 302, 304]) expect((await limits.account(bot(id, 300), 'account'))?.wait).toBeGreaterThan(0);
    expect(await limits.account({ realm_id: 1, id: 300 }, 'account')).toMatchObject({ remaining: 3, wait: undefined });
    expect(await limits.account(bot(306, 305), 'account')).toMatchObject({ remaining: 3, wait: undefined });
    expect(await limits.account(bot(301, 300), 'events')).toMatchObject({ remaining: 3, wait: undefined });
    // Requests over the limit of the shared bucket did not count in those of the bots.
    expect(await limits.account({ realm_id: 1, id: 302 }, 'account')).toMatchObject({ remaining: 2, wait: undefined });
  });

  test('a hundred concurrent requests use exactly the limit', async () => {
    const limits = open({ account: '60:60' });
    const user = { realm_id: 1, id: 103 };
    const verdicts = await Promise.all(Array.from({ length: 100 }, () => limits.account(user, 'account')));
    const granted = verdicts.filter((verdict) => verdict?.wait === undefined);
    expect(granted).toHaveLength(60);
    expect(new Set(granted.map((verdict) => verdict?.remaining)).size).toBe(60);
  });

  test('with two windows the headers have the largest, and a rejected request counts in neither', async () => {
    const wait = stopClock();
    const limits = open({ email_change: '10:2,100:5' });
    const user = { realm_id: 1, id: 104 };
    expect(await limits.emailChange(user)).toMatchObject({ limit: 5, remaining: 1, reset: Date.now() + 100_000 });
    await limits.emailChange(user);
    expect(await limits.emailChange(user)).toMatchObject({ limit: 5, wait: 10 });
    wait(10);
    await limits.emailChange(user);
    await limits.emailChange(user);
    wait(10);
    expect(await limits.emailChange(user)).toMatchObject({ remaining: 0, wait: undefined });
    expect(await limits.emailChange(user)).toMatchObject({ wait: 80 });
  });

  test('an address has separate counts for each kind of request', async () => {
    const limits = open({ ip: '60:1' });
    for (const counter of ['reads', 'failures', 'logins', 'pictures'] as const) {
      expect(await limits.address('10.0.0.1', counter)).toMatchObject({ remaining: 0, wait: undefined });
    }
    expect((await limits.address('10.0.0.1', 'reads'))?.wait).toBeGreaterThan(0);
  });

  test('an IPv6 address is counted by its /64, and without its port', async () => {
    const limits = open({ ip: '60:1' });
    const waits = async (...ips: string[]) => {
      const verdicts = [];
      for (const ip of ips) verdicts.push((await limits.address(ip, 'reads'))?.wait !== undefined);
      return verdicts;
    };
    expect(await waits('10.0.0.2', '10.0.0.2:4711', '::ffff:10.0.0.2', '10.0.0.3')).toEqual([false, true, true, false]);
    expect(await waits('2001:db8::1', '2001:db8::ffff:2', '[2001:db8::3]:80', '2001:db8:0:1::1')).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  const attempt = (username: string, network = '10.0.0.0/24', realm_id = 1) =>
    ({ purpose: 'login', realm_id, username, network }) as const;

  test('five wrong passwords lock a user name in that network, in any case, and a right password resets the count', async () => {
    const wait = stopClock();
    const limits = open({});
    const waitOf = async (...who: Parameters<typeof attempt>) => (await limits.passwordWait(attempt(...who))).network;
    for (let n = 0; n < 4; n++) await limits.passwordFailed(attempt('Eve@example.com'));
    expect(await waitOf('eve@example.com')).toBe(0);
    await limits.passwordFailed(attempt('eve@EXAMPLE.com'));
    expect(await waitOf('eve@example.com')).toBe(1800);
    expect(await waitOf('eve@example.com', '10.0.1.0/24')).toBe(0);
    expect(await waitOf('eve@example.com', '10.0.0.0/24', 2)).toBe(0);
    expect((await limits.passwordWait({ ...attempt('eve@example.com'), purpose: 'old_password' })).network).toBe(0);
    wait(1799);
    expect(await waitOf('eve@example.com')).toBe(1);
    await limits.passwordSucceeded(attempt('eve@example.com'));
    expect(await waitOf('eve@example.com')).toBe(0);
  });

  test('each lockout within a day is twice as long as the one before, until a right password', async () => {
    const wait = stopClock();
    const limits = open({ password: '100:2' });
    const mallory = attempt('mallory@example.com');
    const lockout = async () => {
      for (let n = 0; n < 2; n++) await limits.passwordFailed(mallory);
      const { network } = await limits.passwordWait(mallory);
      wait(network);
      return network;
    };
    expect([await lockout(), await lockout(), await lockout(), await lockout()]).toEqual([100, 200, 400, 800]);
    await limits.passwordSucceeded(mallory);
    expect(await lockout()).toBe(100);
  });

  test('wrong passwords from many networks lock all networks from which the account has not logged in', async () => {
    stopClock();
    const limits = open({ password: '100:2' });
    for (let n = 0; n < 20; n++) {
      expect(await limits.passwordWait(attempt('oda@example.com'))).toEqual({ network: 0, all: 0 });
      await limits.passwordFailed(attempt('oda@example.com', `10.0.${n + 1}.0/24`));
    }
    expect(await limits.passwordWait(attempt('oda@example.com'))).toEqual({ network: 0, all: 100 });
  });

  test('a clock that is set back lengthens no window', async () => {
    const wait = stopClock();
    const limits = open({ account: '60:2', password: '1800:2' });
    const user = { realm_id: 1, id: 105 };
    for (let n = 0; n < 3; n++) await limits.account(user, 'account');
    const wrong = attempt('ida@example.com');
    for (let n = 0; n < 20; n++) await limits.passwordFailed({ ...wrong, network: `10.0.${n >> 1}.0/24` });
    expect(await limits.passwordWait(wrong)).toEqual({ network: 1800, all: 1800 });
    expect((await limits.account(user, 'account'))?.wait).toBeGreaterThan(0);
    wait(-7200);
    expect(await limits.account(user, 'account')).toMatchObject({ wait: undefined, remaining: 1 });
    expect(await limits.passwordWait(wrong)).toEqual({ network: 0, all: 0 });
  });

  test('off has no limits and no headers', async () => {
    const limits = open('off');
    expect(await limits.account(ada, 'account')).toBeUndefined();
    expect(await limits.address('10.0.0.3', 'reads')).toBeUndefined();
    for (let n = 0; n < 9; n++) await limits.passwordFailed(attempt('eve@example.com'));
    expect(await limits.passwordWait(attempt('eve@example.com'))).toEqual({ network: 0, all: 0 });
  });
});

test('an account can have limits of its own', async () => {
  const limits = createLimits(rulesFrom({}), undefined, (user) =>
    user.id === 8 ? [{ seconds: 60, count: 1000 }] : undefined,
  );
  expect(await limits.account({ realm_id: 1, id: 8 }, 'account')).toMatchObject({ limit: 1000, remaining: 999 });
  expect(await limits.account(ada, 'account')).toMatchObject({ limit: 200, remaining: 199 });
  limits.close();
});

describe.runIf(postgres)('processes that share a PostgreSQL', () => {
  let database: TestDatabase;
  let statements = 0;
  beforeAll(async () => {
    database = await freshDatabase(() => statements++);
  });
  afterAll(() => database.close());

  test('two processes together never grant more than the limit, nor less than what they leased', async () => {
    const processes = [limitsOf({ account: '60:100' }, database), limitsOf({ account: '60:100' }, database)];
    const takes = Array.from({ length: 240 }, (_, n) => processes[n % 2]?.account(ada, 'account'));
    const granted = (await Promise.all(takes)).filter((verdict) => verdict?.wait === undefined);
    expect(granted).toHaveLength(100);
  });

  test('requests are counted without a statement for each', async () => {
    const limits = limitsOf({ account: '60:200' }, database);
    const user = { realm_id: 1, id: 50 };
    statements = 0;
    for (let n = 0; n < 100; n++) await limits.account(user, 'account');
    expect(statements).toBeLessThanOrEqual(10);
    statements = 0;
    for (let n = 0; n < 120; n++) await limits.account(user, 'account');
    expect(statements).toBeLessThanOrEqual(30);
  });

  test('an address that used up its limit at one process is limited at the other', async () => {
    const [one, other] = [limitsOf({ ip: '60:3' }, database), limitsOf({ ip: '60:3' }, database)];
    for (let n = 0; n < 3; n++) await one.address('10.1.0.1', 'reads');
    expect((await other.address('10.1.0.1', 'reads'))?.wait).toBeGreaterThan(0);
  });

  test('wrong passwords are counted together', async () => {
    const [one, other] = [limitsOf({}, database), limitsOf({}, database)];
    const mallory = { purpose: 'login', realm_id: 1, username: 'mallory', network: '10.0.0.0/24' } as const;
    for (let n = 0; n < 3; n++) await one.passwordFailed(mallory);
    for (let n = 0; n < 2; n++) await other.passwordFailed(mallory);
    expect((await one.passwordWait(mallory)).network).toBeGreaterThan(1790);
  });
});
