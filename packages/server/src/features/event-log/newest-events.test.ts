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
  return { log, events };
}

test('requests one after another share a read of the newest event', async () => {
  const { log, events } = startLog();
  for (let n = 0; n < 10; n++) expect(await events.find(1)).toBe(1);
  expect(log.reads).toBe(1);
});

test('an event of this process is known at once', async () => {
  const { log, events } = startLog();
  await events.find(1);
  log.newest = 2;
  events.expire(1);
  expect(await events.find(1)).toBe(2);
});

test('an event of another process is known after 25 ms, however many requests come meanwhile', async () => {
  const { log, events } = startLog();
  await events.find(1);
  log.newest = 2;
  for (let ms = 0; ms < 25; ms++) {
    await events.find(1);
    vi.advanceTimersByTime(1);
  }
  expect(await events.find(1)).toBe(2);
});

test('an event during a read makes the next request read again', async () => {
  const { log, events } = startLog();
  log.afterRead = () => {
    if (log.newest === 2) return;
    log.newest = 2;
    events.expire(1);
  };
  await events.find(1);
  expect(await events.find(1)).toBe(2);
});

test('each organization has its own', async () => {
  const events = new NewestEvents(async (realm_id) => realm_id * 10);
  expect([await events.find(1), await events.find(2), await events.find(1)]).toEqual([10, 20, 10]);
});
