import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CoalescedTask } from './coalesced-task.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const INTERVAL = 25;

/** A task that notes when it begins, and ends when `finish` is called. */
function createTask(results: boolean[] = []) {
  const begun: number[] = [];
  const started = performance.now();
  let finish: () => void = () => {};
  const task = new CoalescedTask(async () => {
    begun.push(performance.now() - started);
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return results.shift() ?? false;
  }, INTERVAL);
  const end = async () => {
    finish();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { task, begun, end };
}

test('a request begins at once if there was none for an interval', async () => {
  const { task, begun, end } = createTask();
  void task.request();
  expect(begun).toEqual([0]);
  await end();
  await vi.advanceTimersByTimeAsync(INTERVAL);
  void task.request();
  expect(begun).toEqual([0, INTERVAL]);
});

test('requests during a run are served by one more, an interval after the beginning of the first', async () => {
  const { task, begun, end } = createTask();
  void task.request();
  for (let n = 0; n < 5; n++) void task.request();
  await end();
  await vi.advanceTimersByTimeAsync(INTERVAL - 1);
  void task.request();
  expect(begun).toEqual([0]);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toEqual([0, INTERVAL]);
  await end();
  await vi.advanceTimersByTimeAsync(10 * INTERVAL);
  expect(begun).toHaveLength(2);
});

test('a run that took longer than the interval is followed at once', async () => {
  const { task, begun, end } = createTask();
  void task.request();
  void task.request();
  await vi.advanceTimersByTimeAsync(3 * INTERVAL);
  await end();
  expect(begun).toEqual([0, 3 * INTERVAL]);
});

test('a run that left something to do is followed at once', async () => {
  const { task, begun, end } = createTask([true, true]);
  void task.request();
  await end();
  await end();
  await end();
  expect(begun).toEqual([0, 0, 0]);
});

test('a failed run rejects the request, and the next request runs again', async () => {
  let fails = true;
  let runs = 0;
  const task = new CoalescedTask(async () => {
    runs++;
    if (fails) throw new Error('no database');
    return false;
  }, INTERVAL);
  await expect(task.request()).rejects.toThrow('no database');
  fails = false;
  const again = task.request();
  await vi.advanceTimersByTimeAsync(INTERVAL);
  await again;
  expect(runs).toBe(2);
});
