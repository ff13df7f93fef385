import { expect, test } from 'vitest';
import { toErrorContent } from './errors.ts';

const repeated = (message: string, sent: unknown) => toErrorContent({ message, extras: {} }, sent).message;

test('an error response repeats at most 100 characters of a value, as it was sent, as JSON or trimmed', () => {
  for (const value of ['x'.repeat(500), '"'.repeat(300), ` ${'y'.repeat(500)} `]) {
    for (const form of [value, JSON.stringify(value), value.trim()]) {
      const message = repeated(`The name ${form} is taken.`, { name: value });
      expect(message.length).toBeLessThan(140);
      expect(message).toMatch(/^The name.*is taken\.$/);
    }
  }
});

test('a request with very many long values gets a short error message, without a search for each value', () => {
  const values = Array.from({ length: 80_000 }, (_, n) => `${n}`.padEnd(101, 'x'));
  const message = repeated(`The name ${'y'.repeat(4_000_000)} is taken.`, { values });
  expect(message.length).toBeLessThanOrEqual(101);
});
