import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { toArrayLiteral, toLongArrayLiteral } from './array-literal.ts';

const count = (length: number) => Array.from({ length }, (_, n) => n + 1);

test.each([0, 1, 4_999, 5_000, 5_001, 12_345])(
  'a long list of %i numbers is written as a short one is',
  async (length) => {
    expect(await toLongArrayLiteral(count(length))).toBe(toArrayLiteral(count(length)));
  },
);

test('other work has its turns while a very long list is written', async () => {
  let turns = 0;
  let isWriting = true;
  const writing = toLongArrayLiteral(count(3_000_000)).finally(() => {
    isWriting = false;
  });
  while (isWriting) {
    await setImmediate();
    turns++;
  }
  await writing;
  expect(turns).toBeGreaterThan(2);
});
