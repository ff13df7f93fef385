import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseUrlTemplate } from './url-template.ts';

/** The values that the examples of RFC 6570 use, as far as they are strings. */
const values: Record<string, string> = {
  var: 'value',
  hello: 'Hello World!',
  half: '50%',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
  dub: 'me/too',
  code: '日本 #1 (a*b) "x" <y>\'s',
};
const expand = (template: string) => parseUrlTemplate(template)?.expand((name) => values[name]);

// shows: 2.62
test.each([
  ['{var}', 'value'],
  ['{hello}', 'Hello%20World%21'],
  ['{half}', '50%25'],
  ['O{empty}X', 'OX'],
  ['O{undef}X', 'OX'],
  ['{x,y}', '1024,768'],
  ['{x,hello,y}', '1024,Hello%20World%21,768'],
  ['?{x,empty}', '?1024,'],
  ['?{x,undef}', '?1024'],
  ['?{undef,y}', '?768'],
  ['{var:3}', 'val'],
  ['{var:30}', 'value'],
  ['{var*}', 'value'],
  ['{+var}', 'value'],
  ['{+hello}', 'Hello%20World!'],
  ['{+half}', '50%25'],
  ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
  ['{+base}index', 'http://example.com/home/index'],
  ['O{+empty}X', 'OX'],
  ['{+path}/here', '/foo/bar/here'],
  ['here?ref={+path}', 'here?ref=/foo/bar'],
  ['up{+path}{var}/here', 'up/foo/barvalue/here'],
  ['{+x,hello,y}', '1024,Hello%20World!,768'],
  ['{+path,x}/here', '/foo/bar,1024/here'],
  ['{+path:6}/here', '/foo/b/here'],
  ['{#var}', '#value'],
  ['{#hello}', '#Hello%20World!'],
  ['foo{#empty}', 'foo#'],
  ['foo{#undef}', 'foo'],
  ['{#path,x}/here', '#/foo/bar,1024/here'],
  ['{.who}', '.fred'],
  ['{.who,who}', '.fred.fred'],
  ['{.half,who}', '.50%25.fred'],
  ['X{.empty}', 'X.'],
  ['X{.undef}', 'X'],
  ['{/who}', '/fred'],
  ['{/half,who}', '/50%25/fred'],
  ['{/who,dub}', '/fred/me%2Ftoo'],
  ['{/var,empty}', '/value/'],
  ['{/var,undef}', '/value'],
  ['{/var:1,var}', '/v/value'],
  ['{;who}', ';who=fred'],
  ['{;half}', ';half=50%25'],
  ['{;empty}', ';empty'],
  ['{;v,empty,who}', ';v=6;empty;who=fred'],
  ['{;v,undef,who}', ';v=6;who=fred'],
  ['{?x,y}', '?x=1024&y=768'],
  ['{?x,y,empty}', '?x=1024&y=768&empty='],
  ['{?x,y,undef}', '?x=1024&y=768'],
  ['{?var:3}', '?var=val'],
  ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
  ['{&x,y,empty}', '&x=1024&y=768&empty='],
])('%s expands to %s', (template, address) => expect(expand(template)).toBe(address));

test('a value cannot leave its part of the URL', () => {
  expect(expand('/{code}')).toBe('/%E6%97%A5%E6%9C%AC%20%231%20%28a%2Ab%29%20%22x%22%20%3Cy%3E%27s');
  expect(expand('/{+code}')).toBe("/%E6%97%A5%E6%9C%AC%20#1%20(a*b)%20%22x%22%20%3Cy%3E's");
  expect(parseUrlTemplate('{+a}')?.expand(() => '%41%zz%')).toBe('%41%25zz%25');
});

test('non-ASCII letters are escaped, in the template and in values, and never split', () => {
  expect(parseUrlTemplate('https://a.example/süß/{a:1}')?.expand(() => '😀😀')).toBe(
    'https://a.example/s%C3%BC%C3%9F/%F0%9F%98%80',
  );
  expect(parseUrlTemplate('{a}{+a}')?.expand(() => '\ud800')).toBe('%EF%BF%BD%EF%BF%BD');
});

test.each([
  ['https://a.example/', []],
  ['', []],
  ['{id}', ['id']],
  ['{id}{?q,id:3}{&q*}', ['id', 'q']],
  ['{a.b}{_}{%41b}', ['a.b', '_', '%41b']],
  ["https://a.example/100%25?it's=[1]&é=日", []],
])('%s has the variables %j', (template, names) => expect(parseUrlTemplate(template)?.variables).toEqual(names));

test.each([
  '{',
  '}',
  '{}',
  '{id',
  'id}',
  '{{id}}',
  '{a{b}c}',
  '{a b}',
  '{ id }',
  '{a,}',
  '{,a}',
  '{a,,b}',
  '{a-b}',
  '{a..b}',
  '{.a.}',
  '{é}',
  '{%4}',
  '{=a}',
  '{!a}',
  '{@a}',
  '{|a}',
  '{??a}',
  '{a:0}',
  '{a:01}',
  '{a:10000}',
  '{a:}',
  '{a:x}',
  '{a*:3}',
  '{a:3*}',
  '{a*b}',
  '{(a)}',
  'a b',
  'a\tb',
  '<a>',
  '"a"',
  'a\\b',
  'a^b',
  'a`b',
  'a|b',
  '100%',
  '%zz',
  'a\u0085b',
  'a\ufffeb',
  'a\ud800b',
])('%j is an invalid URI template', (template) => expect(parseUrlTemplate(template)).toBeUndefined());

test('any text parses to a template or to none, and expanding never fails', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '{a}',
    '{+a:2}',
    ',',
    '?',
    '%41',
    '%',
    'é',
    '\ud800',
    ' ',
    'a',
    '*',
    ':',
    '9',
  );
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(anything, fc.string({ unit: 'binary' }), (template, value) => {
      const address = parseUrlTemplate(template)?.expand(() => value);
      if (address !== undefined) expect(address).toMatch(/^[!#-;=?-[\]_a-z~]*$/);
    }),
  );
});

test('an invalid long template fails in linear time', () => {
  expect(parseUrlTemplate(`{${'a'.repeat(1_000_000)}-}`)).toBeUndefined();
  expect(parseUrlTemplate(`${'a'.repeat(1_000_000)} `)).toBeUndefined();
  expect(parseUrlTemplate(`{${'a.'.repeat(500_000)}}`)).toBeUndefined();
});
