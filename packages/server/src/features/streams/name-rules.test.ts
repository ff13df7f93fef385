import { expect, test } from 'vitest';
import { descriptionProblem, normalizeDescription, streamNameProblem } from './rules/names.ts';

// shows: 2.2 [sixty characters, however many bytes], 2.2 [sixty-one], 8.2 [sixty characters, however many bytes]
// shows: 8.2 [sixty-one]
test.each([
  ['an ordinary name', 'café 🍲', undefined],
  ['an empty one', '', /empty/],
  ['sixty characters, however many bytes', '🍲'.repeat(60), undefined],
  ['sixty-one', 'x'.repeat(61), /60/],
  ['a control character', 'ab\u0007c', /position 3/],
  ['a non-character', 'a\ufffe', /position 2/],
] as const)('stream names: %s', (_case, name, problem) => {
  if (problem === undefined) expect(streamNameProblem(name)).toBeUndefined();
  else expect(streamNameProblem(name)).toMatch(problem);
});

// shows: 2.3, 8.3
test('a description has at most 1024 characters', () => {
  const of = (length: number) => descriptionProblem({ name: 'soup', description: '🍲'.repeat(length) });
  expect([of(1024), of(1025)]).toEqual([undefined, expect.stringMatching(/"soup".*1024/)]);
});

test('newlines of a description become spaces', () =>
  expect(normalizeDescription(' hot\r\nand\nsalty\r')).toBe('hot and salty'));
