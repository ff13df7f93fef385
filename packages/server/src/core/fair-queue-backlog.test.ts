import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { enterAll, turn } from '../../test/fixtures/queue-entries.ts';
import { FairQueue } from './fair-queue.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** A queue in which one task runs and so many wait, each in a lane of its own, and `next` ends the running one. */
async function openBacklog(waiting: number) {
  const queue = new FairQueue({ running: 1, group: 1, waiting: 100, errorMessage: 'Too much.' });
  const enter = (lanes: readonly string[]) =>
    enterAll(
      queue,
      lanes.map((lane) => ({ lane, group: 'x' })),
    );
  const entries = [enter(['running', ...Array.from({ length: waiting }, (_, n) => `old ${n}`)])];
  await turn();
  const ended = new Set<unknown>();
  const release = () => {
    const slot = entries.flatMap(({ slots }) => slots).find((one) => one && !ended.has(one));
    ended.add(slot);
    slot?.release();
  };
  return {
    add: (lanes: readonly string[]) => void entries.push(enter(lanes)),
    /** Ends the running task and returns the lane of the one that starts. */
    next: async (): Promise<string | undefined> => {
      release();
      await turn();
      return entries.flatMap(({ slots }) => slots).find((one) => one && !ended.has(one))?.lane.lane;
    },
  };
}

test('the newest task of a backlog starts first', async () => {
  const { add, next } = await openBacklog(40);
  vi.advanceTimersByTime(50);
  add(['new 1']);
  vi.advanceTimersByTime(50);
  add(['new 2']);
  expect([await next(), await next(), await next()]).toEqual(['new 2', 'new 1', 'old 0']);
});

test('no task of a backlog is overtaken for longer than 0.2 s', async () => {
  const { add, next } = await openBacklog(40);
  vi.advanceTimersByTime(200);
  add(['new']);
  expect(await next()).toBe('old 0');
});

test('in a backlog, a lane with many tasks comes after newer ones', async () => {
  const { add, next } = await openBacklog(0);
  add(Array(40).fill('many'));
  vi.advanceTimersByTime(50);
  add(['a', 'many', 'b']);
  expect([await next(), await next(), await next()]).toEqual(['a', 'b', 'many']);
});

test('the oldest of a few waiting tasks starts first', async () => {
  const { add, next } = await openBacklog(20);
  vi.advanceTimersByTime(50);
  add(['new']);
  expect(await next()).toBe('old 0');
});
