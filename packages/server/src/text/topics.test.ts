import { expect, test } from 'vitest';
import { isResolved, stripCheckMarks, topicKey, topicLength, withoutResolvedPrefix } from './topics.ts';

test.each([
  ['Lunch', 'lunch', true],
  ['ÉTÉ', 'été', true],
  ['lunch', 'lunch ', false],
  ['lunch', '✔ lunch', false],
])('topics that differ only in case are one topic: %j and %j', (one, other, same) =>
  expect(topicKey(one) === topicKey(other)).toBe(same),
);

test.each([
  ['✔ lunch', true, 'lunch'],
  ['✔lunch', false, '✔lunch'],
  ['lunch ✔ ', false, 'lunch ✔ '],
  ['✔ ✔ lunch', true, '✔ lunch'],
  ['✔ ', true, ''],
])('a topic is resolved by one check mark and a space: %j', (name, resolved, rest) => {
  expect(isResolved(name)).toBe(resolved);
  expect(withoutResolvedPrefix(name)).toBe(rest);
});

test.each([
  ['✔ ✔✔lunch', 'lunch'],
  ['  lunch', 'lunch'],
  ['lunch ✔', 'lunch ✔'],
  ['✔ ', ''],
])('the name of an unresolved topic has no leading check marks or spaces: %j', (name, bare) =>
  expect(stripCheckMarks(name)).toBe(bare),
);

test.each([
  ['lunch', 5],
  ['✔ lunch', 5],
  ['✔lunch', 6],
  ['🍜🍜', 2],
  ['', 0],
])('the length of a topic counts code points without the prefix of resolved topics: %j', (name, length) =>
  expect(topicLength(name)).toBe(length),
);
