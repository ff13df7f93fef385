import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NewestEvents } from './newest-events.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The newest event of an organization as the database has it. */
function startLog() {
  const log = { newest: 1, reads: 0, afterRead: () => {} };
  const events = new NewestEvents(async () => {
    log.reads++;
    const read = log.newest;
    await Promise.resolve();
    log.afterRead();
    return read;
  });
  const findTimes = async (times: number) => {
    for (let n = 0; n < times; n++) await events.find(1);
  };
  return { log, events, findTimes };
}

test('an event of another process is known at once to 10 requests in 25 ms', async () => {
  const { log, events } = startLog();
  for (let n = 1; n <= 10; n++) {
    log.newest = n;
    expect(await events.find(1)).toBe(n);
  }
  vi.advanceTimersByTime(25);
  log.newest = 100;
  expect(await events.find(1)).toBe(100);
});

test('further requests in these 25 ms need no read', async () => {
  const { log, findTimes } = startLog();
  await findTimes(500);
  expect(log.reads).toBe(10);
});

test('an event of this process is known at once, however many requests come', async () => {
  const { log, events, findTimes } = startLog();
  await findTimes(100);
  log.newest = 2;
  events.expire(1);
  expect(await events.find(1)).toBe(2);
});

test('an event of another process is known after 25 ms, however many requests come meanwhile', async () => {
  const { log, events, findTimes } = startLog();
  await findTimes(100);
  log.newest = 2;
  expect(await events.find(1)).toBe(1);
  for (let ms = 0; ms < 25; ms++) {
    vi.advanceTimersByTime(1);
    await findTimes(100);
  }
  expect(await events.find(1)).toBe(2);
});

test('an event during a read makes the next request read again', async () => {
  const { log, events, findTimes } = startLog();
  await findTimes(9);
  log.afterRead = () => {
    if (log.newest === 2) return;
    log.newest = 2;
    events.expire(1);
  };
  expect([await events.find(1), await events.find(1)]).toEqual([1, 2]);
});

test('each organization has its own', async () => {
  const events = new NewestEvents(async (realm_id) => realm_id * 10);
  for (let n = 0; n < 30; n++) expect([await events.find(1), await events.find(2)]).toEqual([10, 20]);
});
