import { expect, test } from 'vitest';
import { lazy, loadLibraries } from './lazy.ts';

test('a library is loaded when it is first used, and once', () => {
  let loads = 0;
  const library = lazy(() => ++loads);
  expect(loads).toBe(0);
  expect([library(), library(), loads]).toEqual([1, 1, 1]);
});

test('a server loads every library at its start, and waits for asynchronous ones', async () => {
  const loaded: string[] = [];
  lazy(() => loaded.push('one'));
  lazy(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    loaded.push('two');
  });
  await loadLibraries();
  expect(loaded).toEqual(['one', 'two']);
});
