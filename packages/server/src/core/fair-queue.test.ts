import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FairQueue, type Lane, type Slot } from './fair-queue.ts';

/** A queue, and what its tasks did: each runs until `finish` is called once more. */
function harness(waiting: number) {
  const queue = new FairQueue({ running: 1, waiting, refusal: 'Too much.' });
  const started: string[] = [];
  const running: (() => void)[] = [];
  const add = (name: string) => {
    const lane = name.slice(0, 1);
    const task = queue.run(lane, () => {
      started.push(name);
      return new Promise<void>((resolve) => void running.push(resolve));
    });
    return task.then(
      () => 'done',
      (error: { code: string }) => error.code,
    );
  };
  const finishAll = async (tasks: Promise<string>[]) => {
    const ended = Promise.all(tasks);
    let open = true;
    void ended.then(() => {
      open = false;
    });
    while (open) {
      running.shift()?.();
      await new Promise(setImmediate);
    }
    return ended;
  };
  return { queue, started, add, finishAll };
}

test('lanes take turns, so a lane with many tasks delays its own', async () => {
  const { started, add, finishAll } = harness(100);
  const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1', 'b2'];
  const outcomes = await finishAll(names.map(add));
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4', 'a5']);
  expect(outcomes).toEqual(names.map(() => 'done'));
});

test('when too many wait, the queue refuses the newest task of the longest lane', async () => {
  const { started, add, finishAll } = harness(3);
  const outcomes = await finishAll(['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map(add));
  expect(outcomes).toEqual(['done', 'done', 'SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE', 'done', 'done']);
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1']);
});

test('a task that fails makes room for the next', async () => {
  const queue = new FairQueue({ running: 1, waiting: 1, refusal: 'Too much.' });
  const outcomes = await Promise.allSettled([
    queue.run('a', () => Promise.reject(new Error('broken'))),
    queue.run('b', async () => 'done'),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(queue.isBusy).toBe(false);
});

const turn = () => new Promise(setImmediate);

/** Enters the lanes one after another and tells which of them run. */
function enterAll(queue: FairQueue, lanes: readonly Lane[]) {
  const slots: (Slot | undefined)[] = lanes.map(() => undefined);
  const outcomes = lanes.map((lane, n) =>
    queue.enter(lane).then(
      (slot) => {
        slots[n] = slot;
        return 'done';
      },
      (error: { code: string }) => error.code,
    ),
  );
  return { slots, outcomes, running: () => slots.flatMap((slot, n) => (slot ? [n] : [])) };
}

test('a lane and a group have at most their share of what runs, and others pass them', async () => {
  const queue = new FairQueue({ running: 5, group: 4, lane: 2, waiting: 100, refusal: 'Too much.' });
  const of = (lane: string, group: string) => ({ lane, group });
  const lanes = [
    ...Array(3).fill(of('a', 'x')),
    ...Array(3).fill(of('b', 'x')),
    of('c', 'x'),
    of('d', 'y'),
    of('e', 'y'),
  ];
  const { slots, running } = enterAll(queue, lanes);
  await turn();
  expect(running()).toEqual([0, 1, 3, 4, 7]);
  // The group x has its four, so the place of d is for e.
  slots[7]?.release();
  await turn();
  expect(running()).toEqual([0, 1, 3, 4, 7, 8]);
  slots[0]?.release();
  await turn();
  expect(running()).toEqual([0, 1, 2, 3, 4, 7, 8]);
});

test('a task that is paused makes room, and comes before those that have not begun when it resumes', async () => {
  const queue = new FairQueue({ running: 1, waiting: 100, refusal: 'Too much.' });
  const { slots, running } = enterAll(queue, [{ lane: 'a' }, { lane: 'a' }, { lane: 'a' }]);
  await turn();
  slots[0]?.pause();
  await turn();
  expect(running()).toEqual([0, 1]);
  let isResumed = false;
  const resumed = slots[0]?.resume().then(() => {
    isResumed = true;
  });
  slots[1]?.release();
  await resumed;
  expect([isResumed, running()]).toEqual([true, [0, 1]]);
  slots[0]?.release();
  await turn();
  expect(running()).toEqual([0, 1, 2]);
  slots[2]?.release();
  slots[2]?.release();
  expect([queue.running, queue.waiting]).toEqual([0, 0]);
});

test('a task that is released while it waits to resume leaves nothing behind', async () => {
  const queue = new FairQueue({ running: 1, waiting: 100, refusal: 'Too much.' });
  const { slots } = enterAll(queue, [{ lane: 'a' }, { lane: 'b' }]);
  await turn();
  slots[0]?.pause();
  await turn();
  const resumed = slots[0]?.resume();
  slots[0]?.release();
  slots[1]?.release();
  await resumed;
  expect([queue.running, queue.waiting]).toEqual([0, 0]);
});

describe('timeouts', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  const timeouts = { burst: 1_000, overload: 100, crowd: 1 };
  const full = (crowd = timeouts.crowd) => {
    const queue = new FairQueue({ running: 1, waiting: 100, timeouts: { ...timeouts, crowd }, refusal: 'Too much.' });
    return { queue, first: enterAll(queue, [{ lane: 'first' }]) };
  };
  /** When a task of this lane fails that enters now: milliseconds later. */
  async function timeToFail(queue: FairQueue, lane: string): Promise<number> {
    const started = performance.now();
    let failed: number | undefined;
    const [outcome] = enterAll(queue, [{ lane }]).outcomes;
    void outcome?.then(() => {
      failed = performance.now() - started;
    });
    while (failed === undefined) await vi.advanceTimersByTimeAsync(10);
    return failed;
  }

  test('a task waits as long as a burst lasts', async () => {
    const { queue } = full();
    expect(await timeToFail(queue, 'a')).toBeCloseTo(timeouts.burst, -2);
  });

  test('in a long queue that lasts for longer than a burst, a task waits only as long as overload allows', async () => {
    const { queue } = full(0);
    for (const lane of ['a', 'b', 'c']) {
      enterAll(queue, [{ lane }]);
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(await timeToFail(queue, 'd')).toBeLessThanOrEqual(timeouts.overload + 40);
  });

  test('a short queue is no overload, however long it lasts', async () => {
    const { queue } = full();
    for (const lane of ['a', 'b', 'c']) {
      enterAll(queue, [{ lane }]);
      await vi.advanceTimersByTimeAsync(900);
    }
    await vi.advanceTimersByTimeAsync(900);
    expect(queue.waiting).toBe(0);
    expect(await timeToFail(queue, 'd')).toBeCloseTo(timeouts.burst, -2);
  });

  test('after a moment without a queue, a burst may last again', async () => {
    const { queue, first } = full();
    void enterAll(queue, [{ lane: 'a' }]);
    await vi.advanceTimersByTimeAsync(900);
    first.slots[0]?.release();
    const next = enterAll(queue, [{ lane: 'b' }]);
    await vi.advanceTimersByTimeAsync(500);
    expect([queue.running, queue.waiting]).toEqual([1, 1]);
    expect(next.running()).toEqual([]);
  });
});
