import { expect, test } from 'vitest';
import { type IdSpan, spansAbove, spansBelow } from './search-spans.ts';

const sizes = [2, 6];
const idsIn = ({ above, below }: IdSpan) => Array.from({ length: below - above - 1 }, (_, n) => above + 1 + n);

test('the spans on one side of an id have each id once, nearest first, as far as there are messages', () => {
  const below = [...spansBelow(101, 75, sizes)];
  expect(below).toEqual([
    { above: 98, below: 101, isRest: false },
    { above: 92, below: 99, isRest: false },
    { above: 74, below: 93, isRest: true },
  ]);
  expect(below.flatMap((span) => idsIn(span).reverse())).toEqual(Array.from({ length: 26 }, (_, n) => 100 - n));
  const above = [...spansAbove(100, 126, sizes)];
  expect(above.map(({ isRest }) => isRest)).toEqual([false, false, true]);
  expect(above.flatMap(idsIn)).toEqual(Array.from({ length: 26 }, (_, n) => 101 + n));
});

test('there is no span beyond the messages', () => {
  expect([...spansBelow(101, 96, sizes)].map(({ above }) => above)).toEqual([98, 95]);
  expect([...spansBelow(75, 75, sizes), ...spansAbove(126, 126, sizes)]).toEqual([]);
});
