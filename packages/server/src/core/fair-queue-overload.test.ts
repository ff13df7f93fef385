import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { enterAll } from '../../test/fixtures/queue-entries.ts';
import { enter, openBusyQueue, STEP, timeouts, timeToFail, worker } from '../../test/fixtures/queue-steps.ts';
import { FairQueue } from './fair-queue.ts';
import type { FairQueueSlot } from './fair-queue-slot.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test('tasks that begin, let others run and wait again are overload too, if more arrive than end', async () => {
  const queue = new FairQueue({ running: 2, waiting: 100, timeouts, errorMessage: 'Too much.' });
  const resumed: FairQueueSlot[] = [];
  const waits: number[] = [];
  /** Gives its turn away, as for the rest of a body, and waits for another one. */
  async function run(lane: string): Promise<void> {
    const slot = await enter(queue, lane, waits);
    slot.pause();
    await new Promise((resolve) => setImmediate(resolve));
    await slot.resume();
    resumed.push(slot);
  }
  let rejected = 0;
  for (let step = 0; step < 200; step++) {
    for (let n = 0; n < 3; n++) run(`${step}-${n}`).catch(() => rejected++);
    await vi.advanceTimersByTimeAsync(STEP);
    resumed.shift()?.release();
  }
  expect(rejected).toBeGreaterThan(200);
  expect(Math.max(...waits.slice(-40))).toBeLessThanOrEqual(timeouts.target + 5 * STEP);
});

test.each(['release', 'abandon'] as const)('tasks that end without their turn (%s) count as ended', async (end) => {
  const queue = new FairQueue({ running: 1, waiting: 100, timeouts, errorMessage: 'Too much.' });
  const begun: FairQueueSlot[] = [];
  const waits: number[] = [];
  /** Needs its turn for a step, and goes on without it. */
  const run = async (lane: string) => void begun.push(await enter(queue, lane, waits));
  for (let step = 0; step < 200; step++) {
    for (let n = 0; n < 3; n++) run(`${step}-${n}`).catch(() => {});
    await vi.advanceTimersByTimeAsync(STEP);
    begun.at(-2)?.[end]();
    begun.at(-1)?.pause();
  }
  expect(waits.length).toBe(200);
  expect(Math.max(...waits.slice(-40))).toBeLessThanOrEqual(timeouts.target + 5 * STEP);
});

test('overload goes on while more tasks enter than end, though at moments none waits', async () => {
  const queue = new FairQueue({
    running: 20,
    waiting: 200,
    timeouts: { wait: 1_000, target: 15 },
    errorMessage: 'Too much.',
  });
  const work = worker(queue, { size: 20, every: 1 });
  const left: number[] = [];
  for (let cycle = 0; cycle < 400; cycle++) {
    await work(1, 60);
    left.push(queue.waiting);
    await vi.advanceTimersByTimeAsync(STEP);
  }
  // Without a limit for the overload, 40 more in each cycle.
  expect(Math.max(...left.slice(0, 10))).toBeGreaterThan(100);
  expect(Math.max(...left.slice(20))).toBe(0);
});

test('few tasks that enter after an overload do not leave room for fewer', async () => {
  const queue = new FairQueue({ running: 10, waiting: 1_000, timeouts, errorMessage: 'Too much.' });
  const work = worker(queue, { size: 10, every: 1 });
  await work(1, 60);
  await work(100, 50);
  await work(20, 0);
  expect([queue.running, queue.waiting]).toEqual([0, 0]);
  await work(80, 3);
  void work(1, 100);
  expect(queue.waiting).toBe(90);
});

test('overload is noticed within 0.12 s after a time in which few tasks ended', async () => {
  const queue = new FairQueue({ running: 10, waiting: 1_000, timeouts, errorMessage: 'Too much.' });
  const ends = { size: 10, every: 1 };
  const work = worker(queue, ends);
  await work(1, 30);
  await work(20, 10);
  ends.size = 1;
  await work(30, 1);
  ends.size = 10;
  await work(20, 0);
  expect([queue.running, queue.waiting]).toEqual([0, 0]);
  await work(12, 50);
  // Without a limit for the overload, 40 more in each step.
  expect(queue.waiting).toBeLessThan(200);
});

test('overload is noticed where more tasks end in 0.1 s than can wait', async () => {
  const limits = { running: 100, waiting: 100, timeouts: { wait: 1_000, target: 5 } };
  const queue = new FairQueue({ ...limits, errorMessage: 'Too much.' });
  const work = worker(queue, { size: 50, every: 1 });
  await work(30, 300);
  // Five end in a millisecond: 25 wait, and start in the step.
  expect(queue.waiting).toBe(0);
});

test('tasks that end at once, and seldom, are compared with all that entered since the last ones ended', async () => {
  const queue = new FairQueue({ running: 20, waiting: 200, timeouts, errorMessage: 'Too much.' });
  await worker(queue, { size: 20, every: 20 })(200, 3);
  expect(queue.waiting).toBeLessThanOrEqual(10);
});

describe('where fewer tasks end than before', () => {
  const slowDown = async () => {
    const queue = new FairQueue({ running: 10, waiting: 1_000, timeouts, errorMessage: 'Too much.' });
    const ends = { size: 10, every: 1 };
    const work = worker(queue, ends);
    await work(1, 30);
    await work(20, 10);
    expect(queue.waiting).toBe(10);
    ends.size = 1;
    return { queue, work };
  };

  test('overload is noticed within 0.2 s if more enter', async () => {
    const { queue, work } = await slowDown();
    await work(20, 30);
    expect(queue.waiting).toBeLessThan(100);
  });

  test('0.4 s are no overload if as many enter as usual', async () => {
    const { queue, work } = await slowDown();
    await work(40, 10);
    expect(queue.waiting).toBe(370);
  });

  test('it is no overload either if none had to wait before', async () => {
    const queue = new FairQueue({ running: 10, waiting: 1_000, timeouts, errorMessage: 'Too much.' });
    const ends = { size: 10, every: 1 };
    const work = worker(queue, ends);
    await work(300, 3);
    expect(queue.waiting).toBe(0);
    ends.size = 1;
    await work(40, 3);
    expect(queue.waiting).toBe(70);
  });
});

test('a sudden burst waits: no task fails that can be started in time', async () => {
  const { queue, end } = await openBusyQueue();
  const work = worker(queue);
  end();
  const waits = await work(1, 80);
  await work(100, 0);
  expect([queue.running, queue.waiting]).toEqual([0, 0]);
  expect(waits.length).toBe(80);
});

test('clients that wait for a response before the next request are no overload', async () => {
  const { queue, end } = await openBusyQueue();
  const work = worker(queue);
  end();
  await work(1, 40);
  await work(100, 1);
  expect(queue.waiting).toBe(38);
});

test('while more tasks enter than start, only those that can start in time wait, and they start soon', async () => {
  const { queue, end } = await openBusyQueue();
  const work = worker(queue);
  end();
  await work(30, 3);
  const waits = await work(200, 3);
  // The first ten entered before.
  expect(waits.length).toBe(190);
  expect(Math.max(...waits)).toBeLessThanOrEqual(timeouts.target + 5 * STEP);
});

test('when overload begins, the tasks that have waited longest fail, and those that remain start soon', async () => {
  const { queue, end } = await openBusyQueue();
  const failed: number[] = [];
  const running: FairQueueSlot[] = [];
  const waits: number[] = [];
  end();
  for (let step = 0; failed.length === 0; step++) {
    for (let n = 0; n < 4; n++) {
      const came = performance.now();
      queue.enter({ lane: `${step}-${n}`, group: 'x' }).then(
        (slot) => {
          running.push(slot);
          if (failed.length > 0) waits.push(performance.now() - came);
        },
        () => failed.push(performance.now() - came),
      );
    }
    await vi.advanceTimersByTimeAsync(STEP);
    running.shift()?.release();
  }
  const left = queue.waiting;
  while (queue.waiting > 0) {
    await vi.advanceTimersByTimeAsync(STEP);
    running.shift()?.release();
  }
  expect(left).toBeGreaterThan(0);
  expect(Math.min(...failed)).toBeGreaterThan(STEP);
  expect(Math.max(...waits)).toBeLessThanOrEqual(timeouts.target);
});

test('arrivals that are uneven, but no more than starts on average, are no overload', async () => {
  const { queue, end } = await openBusyQueue();
  const work = worker(queue);
  end();
  await work(1, 60);
  for (let n = 0; n < 10; n++) {
    await work(6, 2);
    await work(6, 0);
  }
  expect(queue.waiting).toBeGreaterThan(50);
});

test('a burst while others wait is no overload', async () => {
  const { queue, end } = await openBusyQueue();
  const work = worker(queue);
  end();
  await work(1, 5);
  await work(20, 1);
  await work(1, 60);
  await work(20, 1);
  expect(queue.waiting).toBeGreaterThan(50);
});

test('a short queue that grows is no overload', async () => {
  const { queue, end } = await openBusyQueue();
  const work = worker(queue);
  end();
  await work(15, 2);
  void work(1, 40);
  expect(queue.waiting).toBeGreaterThan(45);
});

test('a few waiting tasks are no overload, however slowly tasks start', async () => {
  const queue = new FairQueue({
    running: 1,
    waiting: 100,
    timeouts: { wait: 10_000, target: 25 },
    errorMessage: 'Too much.',
  });
  await worker(queue)(30, 2);
  expect([queue.running, queue.waiting, queue.isFull]).toEqual([1, 29, false]);
});

test('a short time without a started task is no overload', async () => {
  const { queue, end } = await openBusyQueue();
  const work = worker(queue);
  end();
  await work(20, 1);
  const held = enterAll(queue, [{ lane: 'held' }]);
  while (held.running().length === 0) await work(1, 0);
  for (let n = 0; n < 40; n++) {
    void work(1, 1);
    await vi.advanceTimersByTimeAsync(STEP);
  }
  expect([queue.running, queue.waiting]).toEqual([1, 40]);
});

test('after a time without load a burst can wait again', async () => {
  const { queue, end } = await openBusyQueue();
  const work = worker(queue);
  end();
  await work(50, 3);
  await work(250, 0);
  void work(1, 40);
  expect(queue.waiting).toBe(39);
});

test('a task that waits for the limit of time while others start is overload', async () => {
  const queue = new FairQueue({ running: 1, waiting: 200, timeouts, errorMessage: 'Too much.' });
  const work = worker(queue);
  await work(1, 150);
  await work(120, 1);
  expect(queue.waiting).toBeLessThanOrEqual(timeouts.target / STEP);
});

test('a task that waits for others of its own lane is no overload: other lanes can wait', async () => {
  const queue = new FairQueue({ running: 2, lane: 1, waiting: 100, timeouts, errorMessage: 'Too much.' });
  const work = worker(queue);
  enterAll(queue, [{ lane: 'slow' }]);
  await work(1, 1);
  const slow = timeToFail(queue, 'slow');
  await work((2 * timeouts.wait) / STEP, 1);
  expect(await slow).toBeCloseTo(timeouts.wait, -2);
  void work(1, 40);
  expect([queue.waiting, queue.isFull]).toEqual([39, false]);
});
