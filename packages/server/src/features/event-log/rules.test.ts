import { expect, test } from 'vitest';
import { countWithinWeight } from './rules.ts';

test.each([
  [[], 0],
  [[1, 2, 3], 3],
  [[4, 6, 1], 2],
  [[4, 7, 1], 1],
  [[99, 1], 1],
])('of events that weigh %o as many are read at once as stay within ten, and always one: %d', (weights, length) => {
  expect(countWithinWeight(weights, 10)).toBe(length);
});
