import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBriefYield, createYield } from './slices.ts';

let now = 0;
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => void vi.restoreAllMocks());

/** Does a hundred steps of a millisecond each beside what takes so long in each turn; returns the turns that this had. */
async function countTurns(milliseconds: number, create = createYield): Promise<number> {
  let turns = 0;
  const other = () => {
    turns++;
    now += milliseconds;
    timer = setImmediate(other);
  };
  let timer = setImmediate(other);
  const yieldIfDue = create();
  for (let n = 0; n < 100; n++) {
    now += 1;
    await yieldIfDue();
  }
  clearImmediate(timer);
  return turns;
}

test('work goes on after each turn while there is nothing else to do', async () => {
  expect(await countTurns(0)).toBe(50);
});

test('work waits four times as long as it went on while there is something else to do', async () => {
  expect(await countTurns(1)).toBe(50 * 8);
});

test('work that requests of others wait for lets others work in one turn after ten milliseconds', async () => {
  expect(await countTurns(1, createBriefYield)).toBe(10);
});

test('work that waited for long itself waits for other work as briefly as after a long slice', async () => {
  let turns = 0;
  const other = () => {
    turns++;
    now += 1;
    timer = setImmediate(other);
  };
  let timer = setImmediate(other);
  const yieldIfDue = createYield();
  now += 10_000;
  await yieldIfDue();
  clearImmediate(timer);
  expect(turns).toBe(40);
});
