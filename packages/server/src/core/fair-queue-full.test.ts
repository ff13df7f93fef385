import { describe, expect, test } from 'vitest';
import { enterAll, turn } from '../../test/fixtures/queue-entries.ts';
import type { Lane } from './admission-limits.ts';
import { FairQueue } from './fair-queue.ts';

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
