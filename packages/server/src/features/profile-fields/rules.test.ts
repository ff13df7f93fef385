import { expect, test } from 'vitest';
import { fieldProblem, parseOptions, serializeFieldData, TYPE } from './rules/fields.ts';
import { isEmptyValue, serializeValue, takesMarkdown, valueProblem } from './rules/values.ts';

const text = (length: number) => 'é'.repeat(length);
const option = (text: string, order = '1') => ({ text, order });
const good = { name: 'Team', hint: '', field_type: 1, field_data: {} };
const list = (field_data: Record<string, unknown>) => ({ field_type: TYPE.list, field_data });
const account = (field_data: Record<string, unknown>) => ({ field_type: TYPE.account, field_data });
const url_pattern = 'https://git.example/%(username)s';

test.each<[object]>([
  [{}],
  [{ name: text(40), hint: text(80) }],
  ...[2, 4, 5, 6, 8].map((field_type): [object] => [{ field_type }]),
  [list({ a: option('A') })],
  [list({ a: option(text(50)), [text(50)]: option('B', '999999999') })],
  [list(Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`k${n}`, option(`Option ${n}`)])))],
  [account({ subtype: 'github' })],
  [account({ subtype: 'twitter' })],
  [account({ subtype: 'custom', url_pattern })],
  [account({ subtype: 'custom', url_pattern: 'http://%(username)s.example/' })],
])('a field is valid: %j', (change) => expect(fieldProblem({ ...good, ...change })).toBeUndefined());

test.each<[object, RegExp]>([
  [{ name: '' }, /^name: .*blank/],
  [{ name: text(41) }, /^name: .*40/],
  [{ hint: text(81) }, /^hint: .*80/],
  ...[1, 2, 4, 5, 6, 8].map((field_type): [object, RegExp] => [
    { field_type, field_data: { a: option('A') } },
    /^field_data: .*none/,
  ]),
  [list({}), /^field_data: .*at least one option/],
  [list(Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`k${n}`, option(`${n}`)]))), /at most 200/],
  [list({ ' ': option('A') }), /key/],
  [list({ [text(51)]: option('A') }), /key/],
  [list({ a: option('A'), b: option(' A ') }), /"A" is there twice/],
  ...[null, 'A', [], {}, { text: 'A' }, { order: '1' }, option(' '), option(text(51)), option('A', 'first')].map(
    (one): [object, RegExp] => [list({ a: one }), /option "a"/],
  ),
  [list({ a: { text: 'A', order: 1 } }), /option "a"/],
  [list({ a: { ...option('A'), colour: 'red' } }), /option "a"/],
  [account({}), /subtype/],
  [account({ subtype: 'forge' }), /subtype/],
  [account({ subtype: 'github', url_pattern }), /no "url_pattern"/],
  [account({ subtype: 'github', icon: 'x' }), /no "icon"/],
  ...[
    undefined,
    1,
    'https://git.example/',
    `${url_pattern}%(username)s`,
    'javascript:%(username)s',
    'git.example/%(username)s',
    `https://${text(1000)}/%(username)s`,
  ].map((pattern): [object, RegExp] => [account({ subtype: 'custom', url_pattern: pattern }), /url_pattern/]),
])('a field is invalid: %j', (change, problem) => expect(fieldProblem({ ...good, ...change })).toMatch(problem));

test('field_data is stored as JSON with trimmed strings; types without it have an empty string', () => {
  expect(serializeFieldData(list({ a: option(' A ') }))).toBe('{"a":{"text":"A","order":"1"}}');
  expect(serializeFieldData(account({ subtype: 'github' }))).toBe('{"subtype":"github"}');
  expect(serializeFieldData({ field_type: 1, field_data: {} })).toBe('');
  expect(parseOptions('{"a":{"text":"A","order":"1"},"b":{}}')).toEqual(['a', 'b']);
});

const field = (type: number, field_data = '') => ({ type: type as 1, field_data });
const castles = '{"e":{"text":"Elsinore","order":"1"}}';

test.each<[number, string | number[]]>([
  [1, text(50)],
  [1, ` ${text(50)} `],
  [2, text(500)],
  [3, 'e'],
  [4, '2024-02-29'],
  [4, '0999-12-31'],
  [5, 'https://example.com/a?b#c'],
  [5, 'HTTP://example.com'],
  [6, [1]],
  [6, Array.from({ length: 100 }, (_, n) => n)],
  [7, 'hamlet'],
  [8, 'they/them'],
])('a value of type %i can be %j', (type, value) =>
  expect(valueProblem(field(type, type === 3 ? castles : ''), value)).toBeUndefined(),
);

test.each<[number, string | number[], RegExp]>([
  [1, text(51), /50/],
  [2, text(501), /500/],
  [3, 'Elsinore', /no option "Elsinore"/],
  [3, 'toString', /no option/],
  [3, '__proto__', /no option/],
  [4, '2023-02-29', /YYYY-MM-DD/],
  [4, '2023-2-9', /YYYY-MM-DD/],
  [4, '29.02.2024', /YYYY-MM-DD/],
  [4, '2024-01-01T00:00:00Z', /YYYY-MM-DD/],
  [4, '2024-13-01', /YYYY-MM-DD/],
  [5, 'example.com', /http/],
  [5, 'ftp://example.com', /http/],
  [5, 'javascript:alert(1)', /http/],
  [5, 'https://', /http/],
  [5, 'https://a b.example', /http/],
  [5, `https://example.com/${text(1000)}`, /1000/],
  [6, '[1]', /list of user ids/],
  [6, Array.from({ length: 101 }, (_, n) => n), /100/],
  [7, text(51), /50/],
  [8, text(51), /50/],
  ...[1, 2, 3, 4, 5, 7, 8].map((type): [number, number[], RegExp] => [type, [1], /must be a text/]),
])('a value of type %i cannot be %j', (type, value, problem) =>
  expect(valueProblem(field(type, type === 3 ? castles : ''), value)).toMatch(problem),
);

test('null, an empty string and an empty list remove the value', () => {
  for (const nothing of [null, '', ' \n', []]) expect(isEmptyValue(nothing)).toBe(true);
  for (const something of ['0', [0]]) expect(isEmptyValue(something)).toBe(false);
});

test('strings are stored trimmed, users as a list in which each is once', () => {
  expect(serializeValue(' a b ')).toBe('a b');
  expect(serializeValue([3, 1, 3])).toBe('[3,1]');
});

test('short and long texts are rendered as Markdown', () => {
  const types = [1, 2, 3, 4, 5, 6, 7, 8] as const;
  expect(types.filter((type) => takesMarkdown({ type }))).toEqual([1, 2]);
});
