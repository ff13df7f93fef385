import { expect, test } from 'vitest';
import type { Linkifier } from './facts.ts';
import { linkifierBudget, linksIn, topicLinks } from './linkifiers.ts';

/** A hand-made linkifier: the server's own engine is not needed to know what is done with its matches. */
function linkifier(pattern: RegExp, prefix: string): Linkifier {
  return {
    find: (text) =>
      [...text.matchAll(new RegExp(pattern, 'g'))].map(({ 0: match, index }) => ({
        start: index,
        end: index + match.length,
        url: `${prefix}${match}`,
      })),
  };
}

const always = (found: ReturnType<Linkifier['find']>): Linkifier => ({ find: () => found });
const url = 'https://t.example/';

test('a topic shows its links from left to right', () =>
  expect(topicLinks('b2 and a1', [linkifier(/a\d/, `${url}a/`), linkifier(/b\d/, `${url}b/`)])).toEqual([
    { text: 'b2', url: `${url}b/b2` },
    { text: 'a1', url: `${url}a/a1` },
  ]));

test('where two linkifiers overlap, the first one in order wins', () => {
  const [long, short] = [linkifier(/[A-Z]+-\d+/, `${url}long/`), linkifier(/\d+/, `${url}short/`)];
  expect(topicLinks('AB-12 34', [long, short])).toEqual([
    { text: 'AB-12', url: `${url}long/AB-12` },
    { text: '34', url: `${url}short/34` },
  ]);
  expect(topicLinks('AB-12', [short, long])).toEqual([{ text: '12', url: `${url}short/12` }]);
});

test('of the matches of one linkifier, the leftmost wins', () => {
  const found = [2, 0, 1].map((start) => ({ start, end: start + 2, url: `${url}${start}` }));
  expect(topicLinks('abcd', [always(found)]).map(({ text }) => text)).toEqual(['ab', 'cd']);
});

test.each([
  ['javascript:alert(1)'],
  ['JAVASCRIPT:alert(1)'],
  ['data:text/html,x'],
  ['//example.com'],
  ['/user_uploads/1/a'],
  ['example.com'],
  [''],
  [`${url}${'a'.repeat(2000)}`],
])('a linkifier cannot lead to %s', (bad) =>
  expect(topicLinks('abc', [always([{ start: 0, end: 3, url: bad }])])).toEqual([]),
);

test('what a linkifier cannot lead to stays free for the next one', () => {
  const bad = always([{ start: 0, end: 3, url: 'javascript:x' }]);
  expect(topicLinks('abc', [bad, linkifier(/b/, url)])).toEqual([{ text: 'b', url: `${url}b` }]);
});

test('spaces and quotes in an address are encoded', () =>
  expect(topicLinks('a', [always([{ start: 0, end: 1, url: `${url}a "b` }])])).toEqual([
    { text: 'a', url: `${url}a%20%22b` },
  ]));

test.each([
  [0, 0],
  [-1, 2],
  [2, 1],
  [1, 9],
  [0.5, 1],
  [Number.NaN, 1],
])('a match from %d to %d of three characters is passed over', (start, end) =>
  expect(topicLinks('abc', [always([{ start, end, url }])])).toEqual([]),
);

test('one message gets a limited number of links', () => {
  const budget = linkifierBudget();
  const count = () => linksIn('a'.repeat(150), [linkifier(/a/, url)], budget).length;
  expect([count(), count(), count()]).toEqual([150, 50, 0]);
});

test('linkifiers look at a limited number of characters, however many there are and however short the lines', () => {
  let characters = 0;
  let looks = 0;
  const counting: Linkifier = {
    find: (text) => {
      characters += text.length;
      looks += 1;
      return [];
    },
  };
  const budget = linkifierBudget();
  const many = Array.from({ length: 1000 }, () => counting);
  linksIn('a'.repeat(10_000), many, budget);
  for (let line = 0; line < 5000; line += 1) linksIn('a', many, budget);
  expect(characters).toBeLessThanOrEqual(500_000);
  expect(looks).toBeLessThanOrEqual(500_000 / 16);
});
