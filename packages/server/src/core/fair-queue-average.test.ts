// A lane that has had more than one task running on average gets one at a time, while other lanes run tasks, too.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { enterAll } from '../../test/fixtures/queue-entries.ts';
import { FairQueue } from './fair-queue.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());
const turn = () => new Promise(setImmediate);

const heavy = { lane: 'heavy', group: 'x' };
const light = { lane: 'light', group: 'x' };

const limits = { running: 8, group: 7, lane: 4, laneAverage: 1, waiting: 2, errorMessage: 'Too much.' };

/** A queue in which the heavy lane has had four tasks running for a second, with or without one of another lane. */
async function usedQueue({ isAlone = false } = {}) {
  const queue = new FairQueue(limits);
  const others = enterAll(queue, isAlone ? [] : [light]);
  const { slots } = enterAll(queue, [heavy, heavy, heavy, heavy]);
  await turn();
  vi.advanceTimersByTime(1_000);
  return { queue, slots, other: others.slots[0] };
}

test('while other lanes run tasks it gets one at a time, and they start at once', async () => {
  const { queue, slots } = await usedQueue();
  for (const slot of slots.slice(1)) slot?.release();
  const { running, slots: next } = enterAll(queue, [heavy, heavy, light]);
  await turn();
  expect(running()).toEqual([2]);
  slots[0]?.release();
  await turn();
  expect(running()).toEqual([0, 2]);
  next[0]?.release();
  await turn();
  expect(running()).toEqual([0, 1, 2]);
});

test('a lane that is alone keeps its share', async () => {
  const { queue, slots } = await usedQueue({ isAlone: true });
  for (const slot of slots) slot?.release();
  const { running } = enterAll(queue, [heavy, heavy, heavy, heavy]);
  await turn();
  expect(running()).toEqual([0, 1, 2, 3]);
});

test('after a rest it has its share again', async () => {
  const { queue, slots } = await usedQueue();
  for (const slot of slots) slot?.release();
  vi.advanceTimersByTime(1_500);
  const { running } = enterAll(queue, [heavy, heavy, heavy, heavy]);
  await turn();
  expect(running()).toEqual([0, 1, 2, 3]);
});

test('a task that was paused goes on beside another one of its lane; one that comes from another lane waits', async () => {
  const { queue, slots, other } = await usedQueue();
  slots[0]?.pause();
  for (const slot of slots.slice(2)) slot?.release();
  await slots[0]?.resume();
  let hasMoved = false;
  const moved = other?.moveTo(heavy).then(() => {
    hasMoved = true;
  });
  await turn();
  expect([queue.running, hasMoved]).toEqual([2, false]);
  slots[0]?.release();
  slots[1]?.release();
  await moved;
  expect([queue.running, hasMoved]).toEqual([1, true]);
});

test('its requests are rejected before they are parsed when too many wait, and those of others are not', async () => {
  const { queue, slots } = await usedQueue();
  for (const slot of slots.slice(1)) slot?.release();
  enterAll(queue, [heavy, heavy]);
  expect([queue.isClosedTo(heavy), queue.isClosedTo(light)]).toEqual([true, false]);
  const late = enterAll(queue, [heavy, light]);
  expect(await late.outcomes[0]).toBe('SERVICE_UNAVAILABLE');
  await turn();
  expect(late.running()).toEqual([1]);
});
