import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { compilePattern } from './patterns.ts';

function found(source: string, text: string): string[] {
  const pattern = compilePattern(source);
  if (typeof pattern === 'string') throw new Error(pattern);
  return [...pattern.find(text)].map(({ start, end }) => text.slice(start, end));
}

test.each([
  ['#(?P<id>[0-9]+)', ['id']],
  ['(?P<project>[A-Z]+)-(?P<id>\\d+)', ['project', 'id']],
  ['(\\w+)/(?:x|y)', []],
  ['(?i)bug', []],
  ['\\pL+[[:digit:]]\\p{Greek}?', []],
  ['(?P<__proto__>a)(?P<constructor>b)', ['__proto__', 'constructor']],
  ['[a-z]{1,240}', []],
  ['{a}[{9999}]', []],
  ['\\Q((\\E', []],
  ['\\Q((', []],
])('%s has the groups %j', (source, groups) => expect(compilePattern(source)).toMatchObject({ groups }));

test.each([
  ['(', /missing closing \)/],
  [')', /unexpected \)/],
  ['[', /missing closing \]/],
  ['*', /repetition/],
  ['a++', /\+\+/],
  ['a(?=b)', /\(\?=/],
  ['a(?!b)', /\(\?!/],
  ['(?<=a)b', /\(\?<=/],
  ['(?<!a)b', /\(\?<!/],
  ['(?>a)', /\(\?>/],
  ['(a)\\1', /\\1/],
  ['(?P<a>x)(?P=a)', /\(\?P/],
  ['(?P<a>x)(?P<a>y)', /duplicate/],
  ['(?P<a-b>x)', /\(\?P<a-b>/],
  ['\\', /backslash/],
  ['[z-a]', /z-a/],
  ['a{2,1}', /\{2,1\}/],
  ['a{1001}', /too large/],
])('%s fails with a reason', (source, reason) => expect(compilePattern(source)).toEqual(expect.stringMatching(reason)));

test.each([
  ['.{1000}'.repeat(71)],
  ['((((.{10}){10}){10}))'],
  [`(?:${'ab|'.repeat(150)}c){1000}`],
  ['\\pL'.repeat(166)],
  ['(?:a?){1000}'.repeat(41)],
  ['[a-z]{0,1000}'.repeat(38)],
])('a pattern that would become too large fails before it is compiled: %s', (source) => {
  const compile = vi.spyOn(RE2JS, 'compile');
  onTestFinished(() => compile.mockRestore());
  expect(compilePattern(source)).toMatch(/too large/);
  expect(compile).not.toHaveBeenCalled();
});

test('a pattern that became too large fails', () => expect(compilePattern('[a-z]{1,300}')).toMatch(/too large/));

test.each([
  ['#\\d+', '#1 #2,#3 x#4 #5x (#6) #7#8 #9\n#10', ['#1', '#2', '#3', '#6', '#7', '#9', '#10']],
  ['#\\d+?', '#123', ['#123']],
  ['foo|foobar', 'foobar foo', ['foobar', 'foo']],
  ['a*', 'aa b a', ['aa', 'a']],
  ['x*', '😀 x', ['', 'x']],
  ['^a|b$', 'a a b b', ['a', 'b']],
  ['(?i)bug', 'BUG bug debug', ['BUG', 'bug']],
  ['\\Qa(b', 'a(b a(b', ['a(b', 'a(b']],
  ['.+', 'one two', ['one two']],
])('%s finds separate matches in %j', (source, text, matches) => expect(found(source, text)).toEqual(matches));

test('a match has the texts of its named groups', () => {
  const pattern = compilePattern('(?P<what>[a-z]+) (?P<id>\\d+)(?P<part>[a-z])?( later)?');
  const matches = typeof pattern === 'string' ? [] : [...pattern.find('bug 12, bug 13b later')];
  expect(matches.map(({ groups }) => ({ ...groups }))).toEqual([
    { what: 'bug', id: '12', part: null },
    { what: 'bug', id: '13', part: 'b' },
  ]);
});

test.each([['(a*)*b'], ['(a|a)*b'], ['(a|aa)+$b'], ['(.*)*b'], ['a.*a.*a.*a.*b']])(
  '%s ends on a text on which backtracking engines do not end',
  (source) => expect(found(source, 'a'.repeat(500))).toEqual([]),
);

test('any text is a pattern or fails with a sentence, and searching ends', () => {
  const pieces = fc.constantFrom(
    ...'( ) [ ] { } * + ? | \\ ^ $ . a - : < > P 1 , \\Q \\E \\pL {2,3} (?P<a> (?: (?i) [^ é 😀 \ud800'.split(' '),
  );
  const source = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.array(pieces, { maxLength: 20 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(source, fc.string({ unit: 'binary', maxLength: 40 }), (pattern, text) => {
      const compiled = compilePattern(pattern);
      if (typeof compiled === 'string') expect(compiled).toMatch(/^It is .*\.$/s);
      let last = 0;
      for (const { start, end } of typeof compiled === 'string' ? [] : compiled.find(text)) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThanOrEqual(start);
        last = start === end ? end + 1 : end;
      }
    }),
    { numRuns: 2000 },
  );
});
