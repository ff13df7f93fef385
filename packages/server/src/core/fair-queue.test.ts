import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Lane } from './admission-limits.ts';
import { FairQueue } from './fair-queue.ts';
import type { Slot } from './queue-slot.ts';

/** A queue, and the results of its tasks: each runs until `finish` is called once more. */
function harness(waiting: number) {
  const queue = new FairQueue({ running: 1, waiting, errorMessage: 'Too much.' });
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

test('lanes take turns, so a lane with many tasks delays only its own', async () => {
  const { started, add, finishAll } = harness(100);
  const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1', 'b2'];
  const outcomes = await finishAll(names.map(add));
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4', 'a5']);
  expect(outcomes).toEqual(names.map(() => 'done'));
});

test('when too many tasks wait, the queue rejects the newest one of the longest lane', async () => {
  const { started, add, finishAll } = harness(3);
  const outcomes = await finishAll(['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map(add));
  expect(outcomes).toEqual(['done', 'done', 'SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE', 'done', 'done']);
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1']);
});

test('a task that fails releases its slot to the next', async () => {
  const queue = new FairQueue({ running: 1, waiting: 1, errorMessage: 'Too much.' });
  const outcomes = await Promise.allSettled([
    queue.run('a', () => Promise.reject(new Error('broken'))),
    queue.run('b', async () => 'done'),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(queue.isBusy).toBe(false);
});

const turn = () => new Promise(setImmediate);

/** Enters the lanes one after another and returns which of them run. */
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

test('a lane and a group have at most their share of running tasks, and others overtake them', async () => {
  const queue = new FairQueue({ running: 5, group: 4, lane: 2, waiting: 100, errorMessage: 'Too much.' });
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
  // The group x has its four slots, so that of d is for e.
  slots[7]?.release();
  await turn();
  expect(running()).toEqual([0, 1, 3, 4, 7, 8]);
  slots[0]?.release();
  await turn();
  // The lane c has no running task, and precedes a, which has one.
  expect(running()).toEqual([0, 1, 3, 4, 6, 7, 8]);
});

test('groups take turns, for any number of lanes', async () => {
  const queue = new FairQueue({ running: 2, group: 2, waiting: 100, errorMessage: 'Too much.' });
  const lanes = [...Array.from({ length: 6 }, (_, n) => ({ lane: `x${n}`, group: 'x' })), { lane: 'y', group: 'y' }];
  const { slots, running } = enterAll(queue, lanes);
  await turn();
  expect(running()).toEqual([0, 1]);
  slots[0]?.release();
  await turn();
  expect(running()).toEqual([0, 1, 6]);
});

test('a lane with fewer running tasks starts first, and is rejected last', async () => {
  const queue = new FairQueue({ running: 2, group: 2, waiting: 2, errorMessage: 'Too much.' });
  const of = (lane: string) => ({ lane, group: 'x' });
  const { slots, outcomes, running } = enterAll(queue, [of('a'), of('a'), of('a'), of('b')]);
  await turn();
  expect([running(), queue.isClosedTo(of('a')), queue.isClosedTo(of('c'))]).toEqual([[0, 1], true, false]);
  const late = enterAll(queue, [of('c')]);
  expect(await outcomes[2]).toBe('SERVICE_UNAVAILABLE');
  slots[0]?.release();
  slots[1]?.release();
  await turn();
  expect([running(), late.running()]).toEqual([[0, 1, 3], [0]]);
});

test('a paused task releases its slot, and resumes before tasks that have not begun', async () => {
  const queue = new FairQueue({ running: 1, waiting: 100, errorMessage: 'Too much.' });
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

test('a task that is released while it waits to resume leaves nothing in the queue', async () => {
  const queue = new FairQueue({ running: 1, waiting: 100, errorMessage: 'Too much.' });
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

  const timeouts = { wait: 1_000, target: 100 };
  const STEP = 10;
  const full = async () => {
    const queue = new FairQueue({ running: 1, waiting: 100, timeouts, errorMessage: 'Too much.' });
    const first = enterAll(queue, [{ lane: 'first' }]);
    await vi.advanceTimersByTimeAsync(0);
    return { queue, end: () => first.slots[0]?.release() };
  };
  /** The milliseconds until a task of this lane that enters now fails. */
  async function timeToFail(queue: FairQueue, lane: string): Promise<number> {
    const started = performance.now();
    let failed: number | undefined;
    const [outcome] = enterAll(queue, [{ lane }]).outcomes;
    void outcome?.then(() => {
      failed = performance.now() - started;
    });
    while (failed === undefined) await vi.advanceTimersByTimeAsync(STEP);
    return failed;
  }
  /**
   * In each step ends one task and enters so many new ones, each in a lane of its own. Returns how long the started
   * ones waited.
   */
  function worker(queue: FairQueue) {
    const running: Slot[] = [];
    let made = 0;
    return async (steps: number, arrivals: number): Promise<number[]> => {
      const waits: number[] = [];
      for (let step = 0; step < steps; step++) {
        for (let n = 0; n < arrivals; n++) {
          const lane = { lane: `${made++}`, group: 'x' };
          const came = performance.now();
          if (queue.isClosedTo(lane)) continue;
          const begin = (slot: Slot) => {
            waits.push(performance.now() - came);
            running.push(slot);
          };
          queue.enter(lane).then(begin, () => {});
        }
        await vi.advanceTimersByTimeAsync(STEP);
        running.shift()?.release();
      }
      return waits;
    };
  }

  test('a task waits for the limit of time, and no longer', async () => {
    const { queue } = await full();
    expect(await timeToFail(queue, 'a')).toBeCloseTo(timeouts.wait, -2);
  });

  test('a sudden burst waits: no task fails that can be started in time', async () => {
    const { queue, end } = await full();
    const work = worker(queue);
    end();
    const waits = await work(1, 80);
    await work(100, 0);
    expect([queue.running, queue.waiting]).toEqual([0, 0]);
    expect(waits.length).toBe(80);
  });

  test('clients that wait for a response before the next request are no overload', async () => {
    const { queue, end } = await full();
    const work = worker(queue);
    end();
    await work(1, 40);
    await work(100, 1);
    expect(queue.waiting).toBe(38);
  });

  test('while more tasks enter than start, only those that can start in time wait, and they start soon', async () => {
    const { queue, end } = await full();
    const work = worker(queue);
    end();
    await work(30, 3);
    const waits = await work(200, 3);
    // The first ten entered before.
    expect(waits.length).toBe(190);
    expect(Math.max(...waits)).toBeLessThanOrEqual(timeouts.target + 5 * STEP);
  });

  test('a short queue that grows is no overload', async () => {
    const { queue, end } = await full();
    const work = worker(queue);
    end();
    await work(15, 2);
    void work(1, 40);
    expect(queue.waiting).toBeGreaterThan(45);
  });

  test('a short time without a started task is no overload', async () => {
    const { queue, end } = await full();
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
    const { queue, end } = await full();
    const work = worker(queue);
    end();
    await work(50, 3);
    await work(250, 0);
    void work(1, 40);
    expect(queue.waiting).toBe(39);
  });

  test('a task that exceeds its time is overload: no burst waits after it', async () => {
    const { queue } = await full();
    await timeToFail(queue, 'a');
    enterAll(
      queue,
      Array.from({ length: 8 }, (_, n) => ({ lane: `b${n}` })),
    );
    expect([queue.isClosedTo({ lane: 'c' }), queue.waiting]).toEqual([true, 8]);
  });
});

describe('a full queue', () => {
  const of = (lane: string, group: string) => ({ lane, group });
  const full = async (lanes: readonly Lane[]) => {
    const queue = new FairQueue({ running: 1, waiting: lanes.length - 1, errorMessage: 'Too much.' });
    const entered = enterAll(queue, lanes);
    await turn();
    expect(queue.isFull).toBe(true);
    return { queue, ...entered };
  };

  test('is closed to the longest lanes, and open to shorter ones', async () => {
    const { queue } = await full([of('a', 'x'), of('a', 'x'), of('b', 'x'), of('b', 'x')]);
    expect([queue.isClosedTo(of('a', 'x')), queue.isClosedTo(of('b', 'x')), queue.isClosedTo(of('c', 'x'))]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('is open to a group with fewer tasks than another, of which it rejects one', async () => {
    const { queue, outcomes } = await full([of('a', 'x'), of('b', 'x'), of('c', 'x'), of('e', 'x')]);
    expect([queue.isClosedTo(of('d', 'x')), queue.isClosedTo(of('d', 'y'))]).toEqual([true, false]);
    const ours = enterAll(queue, [of('d', 'y')]);
    expect(await outcomes[3]).toBe('SERVICE_UNAVAILABLE');
    await turn();
    expect(queue.waiting).toBe(3);
    expect(ours.running()).toEqual([]);
  });

  test('rejects no task that has begun, and starts it first when it resumes', async () => {
    const queue = new FairQueue({ running: 1, waiting: 1, errorMessage: 'Too much.' });
    const { slots, running } = enterAll(queue, [of('a', 'x'), of('b', 'x')]);
    await turn();
    slots[0]?.pause();
    await turn();
    expect(running()).toEqual([0, 1]);
    const others = enterAll(queue, [of('c', 'y')]);
    let isResumed = false;
    const resumed = slots[0]?.resume().then(() => {
      isResumed = true;
    });
    await turn();
    expect([queue.waiting, isResumed]).toEqual([2, false]);
    expect(await Promise.all(enterAll(queue, [of('d', 'y')]).outcomes)).toEqual(['SERVICE_UNAVAILABLE']);
    slots[1]?.release();
    await resumed;
    expect(others.running()).toEqual([]);
    slots[0]?.release();
    await turn();
    expect(others.running()).toEqual([0]);
  });
});
