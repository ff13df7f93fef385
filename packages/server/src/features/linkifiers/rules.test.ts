import { expect, test } from 'vitest';
import { hasEachOnce } from '../../core/order.ts';
import { patternTakenProblem, trimValues, valueProblems } from './rules.ts';

const url = 'https://t.example';

// shows: 2.61
test.each([
  ['#(?P<id>[0-9]+)', `${url}/{id}`],
  ['(?P<org>\\w+)/(?P<id>\\d+)', `${url}{/org,id}`],
  ['#(?P<id>[0-9]+)', `${url}/{id}?again={id:3}`],
  ['soup', `${url}/soup`],
  ['(a|b)', url],
  ['x', 'no address at all'.replaceAll(' ', '-')],
  ['a'.repeat(480), 'b'.repeat(1000)],
])('the pattern %s links to %s', (pattern, url_template) =>
  expect(valueProblems({ pattern, url_template })).toEqual([]),
);

const blank = /blank/;
const notRe2 = /RE2/;
const noTemplate = /RFC 6570/;
test.each<[string, string, string, [string, RegExp][]]>([
  [
    'both blank',
    '',
    '',
    [
      ['pattern', blank],
      ['url_template', blank],
    ],
  ],
  ['a blank pattern', '', url, [['pattern', blank]]],
  ['a blank address', 'a', '', [['url_template', blank]]],
  [
    'a blank URL is reported before an invalid pattern',
    '(',
    '',
    [
      ['url_template', blank],
      ['pattern', notRe2],
    ],
  ],
  ['no RE2', 'a(?=b)', url, [['pattern', notRe2]]],
  ['a back-reference', '(a)\\1', url, [['pattern', notRe2]]],
  ['no URI template', 'a', `${url}/{`, [['url_template', noTemplate]]],
  [
    'both',
    '(',
    '}',
    [
      ['pattern', notRe2],
      ['url_template', noTemplate],
    ],
  ],
  ['a pattern that is too long', 'a'.repeat(501), url, [['pattern', /at most 500/]]],
  ['a pattern that is too large', '.{1000}', url, [['pattern', /too large/]]],
  ['an address that is too long', 'a', 'a'.repeat(1001), [['url_template', /at most 1000/]]],
  ['a variable too many', '(?P<a>x)', `${url}/{a}/{c}/{b}`, [['__all__', /no group "b"/]]],
  ['a group too many', '(?P<b>x)(?P<c>y)(?P<a>z)', `${url}/{b}`, [['__all__', /group "a"/]]],
  ['both, and the variable is named', '(?P<a>x)', `${url}/{z}`, [['__all__', /no group "z"/]]],
  ['another case', '(?P<id>x)', `${url}/{ID}`, [['__all__', /"ID"/]]],
  ['no rule about several fields while one of them is invalid', '(?P<a>x', `${url}/{b}`, [['pattern', notRe2]]],
])('%s', (_case, pattern, url_template, problems) =>
  expect(valueProblems({ pattern, url_template })).toEqual(
    problems.map(([field, text]) => ({ field, text: expect.stringMatching(text) })),
  ),
);

test('spaces around values are ignored', () =>
  expect(trimValues({ pattern: ' a b\n', url_template: '\tc ' })).toEqual({ pattern: 'a b', url_template: 'c' }));

test('patterns are compared exactly', () => {
  const others = [{ pattern: 'a', url_template: url }];
  expect(patternTakenProblem({ pattern: 'a', url_template: 'x' }, others)).toMatchObject([{ field: 'pattern' }]);
  expect(patternTakenProblem({ pattern: 'A', url_template: url }, others)).toEqual([]);
});

test.each([
  [[1, 2, 3], true],
  [[3, 1, 2], true],
  [[], false],
  [[1, 2], false],
  [[1, 2, 2], false],
  [[1, 2, 3, 3], false],
  [[1, 2, 3, 4], false],
  [[1, 2, 4], false],
])('%j as the order of 1, 2 and 3: %s', (ids, may) =>
  expect(hasEachOnce(ids, [{ id: 1 }, { id: 2 }, { id: 3 }])).toBe(may),
);
