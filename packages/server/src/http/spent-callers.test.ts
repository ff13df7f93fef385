import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SpentCallers } from './spent-callers.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2030-01-01T12:00:00Z') }));
afterEach(() => void vi.useRealTimers());

const verdict = (wait: number) => ({ limit: 5, remaining: 0, reset: Date.now() + wait * 1000, wait });
const later = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

test('a rejected caller is remembered until its window ends, with the time that is left', () => {
  const callers = new SpentCallers();
  callers.remember('ada', verdict(60));
  later(20);
  expect(callers.find('ada')).toMatchObject({ wait: 40, limit: 5 });
  expect(callers.find('ben')).toBeUndefined();
  later(40);
  expect(callers.find('ada')).toBeUndefined();
});

test('a clock that is set back ends the wait', () => {
  const callers = new SpentCallers();
  callers.remember('ada', verdict(60));
  later(-7200);
  expect(callers.find('ada')).toBeUndefined();
});

test('beyond the capacity the oldest caller is removed', () => {
  const callers = new SpentCallers(2);
  for (const caller of ['ada', 'ben', 'ada', 'cleo']) callers.remember(caller, verdict(60));
  expect(['ada', 'ben', 'cleo'].map((caller) => callers.find(caller) !== undefined)).toEqual([true, false, true]);
});
