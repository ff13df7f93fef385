import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

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
