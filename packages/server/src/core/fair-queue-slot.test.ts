import { expect, test } from 'vitest';
import { enterAll, turn } from '../../test/fixtures/queue-entries.ts';
import { FairQueue } from './fair-queue.ts';

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
