import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LaneUsage } from './lane-usage.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());
const pass = (ms: number) => vi.advanceTimersByTime(ms);

/** Runs so many tasks of the lane for so long. */
function use(usage: LaneUsage, lane: string, tasks: number, ms: number): void {
  for (let n = 0; n < tasks; n++) usage.record(lane, 1);
  pass(ms);
  for (let n = 0; n < tasks; n++) usage.record(lane, -1);
}

test('a lane exceeds an average after more tasks than that have been running for a while, and no longer when it has rested', () => {
  const usage = new LaneUsage();
  usage.record('light', 1);
  usage.record('heavy', 1);
  usage.record('heavy', 1);
  expect(usage.exceeds('heavy', 1)).toBe(false);
  pass(600);
  expect(usage.exceeds('heavy', 1)).toBe(false);
  pass(200);
  expect([usage.exceeds('heavy', 1), usage.exceeds('light', 1)]).toEqual([true, false]);
  usage.record('heavy', -1);
  usage.record('heavy', -1);
  expect(usage.exceeds('heavy', 1)).toBe(true);
  pass(300);
  expect(usage.exceeds('heavy', 1)).toBe(false);
});

test('a lane with one task at a time never exceeds an average of one', () => {
  const usage = new LaneUsage();
  for (let n = 0; n < 50; n++) {
    use(usage, 'light', 1, 10);
    use(usage, 'heavy', 1, 990);
    expect(usage.exceeds('heavy', 1)).toBe(false);
  }
});

test('a lane exceeds nothing while it is the only one, nor when others had a few milliseconds a second ago', () => {
  const usage = new LaneUsage();
  use(usage, 'only', 4, 2_000);
  expect(usage.exceeds('only', 1)).toBe(false);
  use(usage, 'other', 1, 8);
  expect(usage.exceeds('only', 0.5)).toBe(false);
  use(usage, 'other', 1, 20);
  expect(usage.exceeds('only', 0.5)).toBe(true);
  expect(usage.exceeds('unknown', 0)).toBe(false);
});

test('lanes that are no longer used are forgotten', () => {
  const usage = new LaneUsage();
  usage.record('running', 1);
  for (let n = 0; n < 100; n++) use(usage, `lane ${n}`, 1, 100);
  expect(usage.size).toBeLessThan(60);
  pass(10_000);
  use(usage, 'last', 1, 1);
  expect(usage.size).toBe(2);
});
