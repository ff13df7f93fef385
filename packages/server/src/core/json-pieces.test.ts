import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toJsonPieces } from './json-pieces.ts';

const joined = (item: object) => String(Buffer.concat(toJsonPieces(item)));

test('the pieces are the bytes of the JSON, wherever a long string is cut', () => {
  const units = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', 'é', '\u2028', '🦊', '\ud83e', '\udd8a') });
  const long = units.map((some) => (some || 'é').repeat(1 + Math.floor(100_000 / (some.length || 1))));
  const value = fc.oneof(long, units, fc.jsonValue(), fc.constant(undefined));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value), long, (fields, content) => {
      for (const item of [{ ...fields, content }, { content, ...fields }, fields])
        expect(joined(item)).toBe(String(Buffer.from(JSON.stringify(item))));
    }),
    { numRuns: 20 },
  );
});

test('no piece of a long string is long', () => {
  const sizes = toJsonPieces({ id: 1, content: 'a'.repeat(200_000), subject: 'b' }).map(({ length }) => length);
  expect(Math.max(...sizes)).toBeLessThan(64 * 1024);
});

test('an item without long strings is one piece', () => {
  expect(toJsonPieces({ id: 1, content: 'a' })).toHaveLength(1);
});
