import { expect, test } from 'vitest';
import { codePoints, findBadCharacter, fullNameProblem } from './names.ts';

test.each([
  ['', 0],
  ['ada', 3],
  ['🍜', 1],
  ['e\u0301', 2],
  ['\ud800', 1],
])('length counts code points: %j', (text, length) => expect(codePoints(text)).toBe(length));

test.each([
  ['design', undefined],
  ['日本語 🍜 ✔', undefined],
  ['a\u200bb', undefined],
  ['\ufdcf\ufdf0\ufffd', undefined],
  ['a\nb', 2],
  ['\u0000', 1],
  ['🍜\u007f', 2],
  ['ab\ud800', 3],
  ['\udc00a', 1],
  ['a\ufdd0', 2],
  ['a\ufdef', 2],
  ['\ufffe', 1],
  ['\uffff', 1],
  ['🍜🍜\u{1fffe}', 3],
  ['\u{10ffff}', 1],
])('the error has the position of the first control, surrogate or non-character: %j', (name, position) =>
  expect(findBadCharacter(name)?.position).toBe(position),
);

test.each([
  ['Ada Lovelace', undefined],
  ['  Al  ', undefined],
  ["Conan O'Brien-Smith, Jr. (he)", undefined],
  ['李明', undefined],
  ['Ada|x', undefined],
  ['Ada|7 b', undefined],
  ['🍜'.repeat(100), undefined],
  ['', 'at least 2'],
  [' A ', 'at least 2'],
  ['a'.repeat(101), 'at most 100'],
  ['Ada*', 'character *'],
  ['A`da', 'character `'],
  ['A\\da', 'character \\'],
  ['A>da', 'character >'],
  ['A"da', 'character "'],
  ['@Ada', 'character @'],
  ['Ada\u0000b', 'position 4'],
  ['A\u0007da', 'position 2'],
  ['Ada\udfff', 'position 4'],
  ['Ada|7', 'vertical bar'],
  ['Ada|', undefined],
  ['Ada|12345 ', 'vertical bar'],
])('a full name that cannot be shown or mentioned fails with a reason: %j', (name, problem) => {
  if (problem) expect(fullNameProblem(name)).toContain(problem);
  else expect(fullNameProblem(name)).toBeUndefined();
});
