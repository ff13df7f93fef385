import { expect, test } from 'vitest';
import { enterAll, turn } from '../../test/fixtures/queue-entries.ts';
import { FairQueue } from './fair-queue.ts';

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
