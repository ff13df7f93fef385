import { expect, test } from 'vitest';
import { parseMentionAt } from './mentions.ts';

const person = (name: string, id?: number, silent = false) =>
  id === undefined ? { kind: 'person', name, silent } : { kind: 'person', name, id, silent };

test.each([
  ['@**Ada Lovelace** hi', person('Ada Lovelace'), ' hi'],
  ['@**Ada|7**', person('Ada', 7), ''],
  ['@**|7**', person('', 7), ''],
  ['@**Ada|x**', person('Ada|x'), ''],
  ['@**Ada|b|7**', person('Ada|b', 7), ''],
  ['@**Ada|99999999999999999999**', person('Ada|99999999999999999999'), ''],
  ['@_**Ada**', person('Ada', undefined, true), ''],
  ['@_**Ada|7**', person('Ada', 7, true), ''],
  ['@*ops*', { kind: 'group', name: 'ops', silent: false }, ''],
  ['@*role:everyone*', { kind: 'group', name: 'role:everyone', silent: false }, ''],
  ['@_*ops* now', { kind: 'group', name: 'ops', silent: true }, ' now'],
  ['@**all**', { kind: 'stream_wildcard', name: 'all', silent: false }, ''],
  ['@**everyone**', { kind: 'stream_wildcard', name: 'everyone', silent: false }, ''],
  ['@_**stream**', { kind: 'stream_wildcard', name: 'stream', silent: true }, ''],
  ['@**topic**', { kind: 'topic_wildcard', name: 'topic', silent: false }, ''],
  ['@**All**', person('All'), ''],
  ['@**all|7**', person('all', 7), ''],
  ['#**design**', { kind: 'stream', name: 'design' }, ''],
  ['#**design>lunch**', { kind: 'stream', name: 'design', topic: 'lunch' }, ''],
  ['#**design>a > b**!', { kind: 'stream', name: 'design', topic: 'a > b' }, '!'],
  ['#**c*d**', { kind: 'stream', name: 'c*d' }, ''],
])('%s is a mention', (text, mention, rest) => {
  const found = parseMentionAt(text, 0);
  expect(found?.mention).toEqual(mention);
  expect(text.slice(found?.end)).toBe(rest);
});

test.each([
  'Ada',
  '@Ada',
  '@**Ada',
  '@**Ada*',
  '@****',
  '@**A\nda**',
  '@**A`da**',
  '@**A@da**',
  '@**A>da**',
  '@**A\\da**',
  '@ **Ada**',
  '@__**Ada**',
  '@**',
  '@*ops',
  '@*o\nps*',
  '@*o`ps*',
  '#*design*',
  '#design',
  '#**>lunch**',
  '#**design>**',
  '#_**design**',
  `@**${'a'.repeat(400)}**`,
])('%j is ordinary text', (text) => expect(parseMentionAt(text, 0)).toBeUndefined());

test('a mention must close before the limit', () => {
  expect(parseMentionAt('@**Ada**', 0, 7)).toBeUndefined();
  expect(parseMentionAt('@**Ada**', 0, 8)?.end).toBe(8);
});

test('a mention can begin in the middle of a text', () => {
  expect(parseMentionAt('hi @**Ada**', 3)?.end).toBe(11);
  expect(parseMentionAt('hi @**Ada**', 2)).toBeUndefined();
});

test('the longest possible names can be mentioned', () => {
  const name = '🍜'.repeat(100);
  expect(parseMentionAt(`@**${name}|9007199254740991**`, 0)?.mention).toEqual(person(name, 9007199254740991));
  const [stream, topic] = ['🍜'.repeat(60), `✔ ${'🍜'.repeat(60)}`];
  expect(parseMentionAt(`#**${stream}>${topic}**`, 0)?.mention).toEqual({ kind: 'stream', name: stream, topic });
});
