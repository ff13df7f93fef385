import { expect, test } from 'vitest';
import { runWithin } from './time-limit.ts';

test('work within the budget returns its result, and reduces the budget', () => {
  const budget = { ms: 10_000 };
  expect(runWithin(budget, () => 'soup')).toBe('soup');
  expect(budget.ms).toBeLessThan(10_000);
  expect(budget.ms).toBeGreaterThan(0);
});

test('endless work is stopped, in a regular expression too, and later work runs', () => {
  const budget = { ms: 10_000 };
  const loop = () => {
    for (;;);
  };
  expect(runWithin(budget, loop)).toBeUndefined();
  expect(runWithin(budget, () => /^(a+)+$/.test(`${'a'.repeat(100)}b`))).toBeUndefined();
  expect(runWithin(budget, () => 1)).toBe(1);
});

test('work that throws, exhausts the stack or has no budget returns no result', () => {
  const deep = (): number => deep() + 1;
  const fail = () => {
    throw new Error('soup');
  };
  expect(runWithin({ ms: 1000 }, deep)).toBeUndefined();
  expect(runWithin({ ms: 1000 }, fail)).toBeUndefined();
  expect(runWithin({ ms: 0.5 }, () => 1)).toBeUndefined();
});

test('stopped work has used up its budget', () => {
  const budget = { ms: 50 };
  const loop = () => {
    for (;;);
  };
  runWithin(budget, loop);
  expect(runWithin(budget, () => 1)).toBeUndefined();
});
