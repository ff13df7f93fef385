import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { enterAll } from '../../test/fixtures/queue-entries.ts';
import { openBusyQueue, timeouts, timeToFail, worker } from '../../test/fixtures/queue-steps.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test('a task waits for the limit of time, and no longer', async () => {
  const { queue } = await openBusyQueue();
  expect(await timeToFail(queue, 'a')).toBeCloseTo(timeouts.wait, -2);
});

test('while nothing starts for the limit of time, no burst waits', async () => {
  const { queue } = await openBusyQueue();
  await timeToFail(queue, 'a');
  enterAll(
    queue,
    Array.from({ length: 8 }, (_, n) => ({ lane: `b${n}` })),
  );
  expect([queue.isClosedTo({ lane: 'c' }), queue.waiting]).toEqual([true, 8]);
});

test('after a time in which nothing started, all tasks that still wait can start', async () => {
  const { queue, end } = await openBusyQueue();
  const work = worker(queue);
  const early = timeToFail(queue, 'a');
  await vi.advanceTimersByTimeAsync(timeouts.wait / 2);
  // They wait for longer than the first, but not for longer than the limit.
  const begun = work(1, 40);
  await early;
  expect(queue.waiting).toBe(40);
  end();
  const waits = await begun;
  await work(40, 0);
  expect([queue.running, queue.waiting, waits.length]).toEqual([0, 0, 40]);
});
