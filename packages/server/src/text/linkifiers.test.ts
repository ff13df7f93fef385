import { expect, test } from 'vitest';
import { createLinkifierBudget, findLinks, type LinkFound, listTopicLinks } from './linkifiers.ts';
import type { Linkifier } from './render-facts.ts';

/** A linkifier with given matches, independent of the server's engine. */
function linkifier(pattern: RegExp, prefix: string): Linkifier {
  return {
    weight: 1,
    find: (text) =>
      [...text.matchAll(new RegExp(pattern, 'g'))].map(({ 0: match, index }) => ({
        start: index,
        end: index + match.length,
        url: `${prefix}${match}`,
      })),
  };
}

const always = (...found: LinkFound[]): Linkifier => ({ weight: 1, find: () => found });
const url = 'https://t.example/';

test('a topic has its links from left to right', () =>
  expect(listTopicLinks('b2 and a1', [linkifier(/a\d/, `${url}a/`), linkifier(/b\d/, `${url}b/`)])).toEqual([
    { text: 'b2', url: `${url}b/b2` },
    { text: 'a1', url: `${url}a/a1` },
  ]));

test('where two linkifiers overlap, the first one in order wins', () => {
  const [long, short] = [linkifier(/[A-Z]+-\d+/, `${url}long/`), linkifier(/\d+/, `${url}short/`)];
  expect(listTopicLinks('AB-12 34', [long, short])).toEqual([
    { text: 'AB-12', url: `${url}long/AB-12` },
    { text: '34', url: `${url}short/34` },
  ]);
  expect(listTopicLinks('AB-12', [short, long])).toEqual([{ text: '12', url: `${url}short/12` }]);
});

test.each([
  ['#12', ['#12']],
  ['(#12), #13; "#14"/#15-#16.', ['#12', '#13', '#14', '#15', '#16']],
  ['x#12', []],
  ['1#12', []],
  ['_#12', []],
  ['é#12', []],
  ['#12x', []],
  ['#12_', []],
  ['#12é', []],
  ['#12\u0301', []],
  ['#12\u20e3', []],
  ['𝒳#12𝒳 #13', ['#13']],
  ['😀#12😀', ['#12']],
  ['#12#13', ['#12']],
  ['見#12です', ['#12']],
  ['ดู#12ครับ', ['#12']],
  ['см#12', []],
])('a match that touches a word is no link: %s', (text, linked) =>
  expect(listTopicLinks(text, [linkifier(/#\d+/, url)]).map((link) => link.text)).toEqual(linked),
);

test.each([
  ['javascript:alert(1)'],
  ['JAVASCRIPT:alert(1)'],
  ['data:text/html,x'],
  ['//example.com'],
  ['/user_uploads/1/a'],
  ['example.com'],
  [''],
  [`${url}${'a'.repeat(2000)}`],
])('a linkifier cannot link to %s', (bad) =>
  expect(listTopicLinks('abc', [always({ start: 0, end: 3, url: bad })])).toEqual([]),
);

test('text that a linkifier cannot link is available to the next one', () => {
  const bad = always({ start: 0, end: 5, url: 'javascript:x' });
  expect(listTopicLinks('a b c', [bad, linkifier(/b/, url)])).toEqual([{ text: 'b', url: `${url}b` }]);
});

test('spaces and quotes in a URL are encoded', () =>
  expect(listTopicLinks('a', [always({ start: 0, end: 1, url: `${url}a "b` })])).toEqual([
    { text: 'a', url: `${url}a%20%22b` },
  ]));

test('an empty match is no link', () =>
  expect(listTopicLinks('a b', [always({ start: 0, end: 0, url }, { start: 2, end: 3, url })])).toEqual([
    { text: 'b', url },
  ]));

test('the number of links in a message is limited', () => {
  const budget = createLinkifierBudget();
  const count = () => findLinks('a '.repeat(150), [linkifier(/a/, url)], budget).length;
  expect([count(), count(), count()]).toEqual([150, 50, 0]);
});

/** Finds nothing, and records the texts that it searches. */
function watcher(weight = 1) {
  const seen = { looks: 0, characters: 0 };
  const find = (text: string) => {
    seen.looks += 1;
    seen.characters += text.length;
    return [];
  };
  return { seen, linkifier: { weight, find } };
}

test('linkifiers search a limited number of characters, for any number of linkifiers and lines', () => {
  const { seen, linkifier } = watcher();
  const budget = createLinkifierBudget();
  const many = Array.from({ length: 1000 }, () => linkifier);
  findLinks('a '.repeat(5000), many, budget);
  for (let line = 0; line < 5000; line += 1) findLinks('a', many, budget);
  expect(seen.characters).toBeGreaterThan(200_000);
  expect(seen.characters).toBeLessThanOrEqual(250_000);
  expect(seen.looks).toBeLessThanOrEqual(250_000 / 16);
});

test('a linkifier with a large pattern costs more', () => {
  const { seen, linkifier } = watcher(25);
  findLinks(
    'a '.repeat(5000),
    Array.from({ length: 1000 }, () => linkifier),
    createLinkifierBudget(),
  );
  expect(seen.characters).toBeGreaterThan(9000);
  expect(seen.characters).toBeLessThanOrEqual(10_000);
});

test('searching on after a match has a cost as well, and so have long URLs', () => {
  let searches = 0;
  const restless = (address: string): Linkifier => ({
    weight: 1,
    *find() {
      for (; searches < 1_000_000; searches += 1) yield { start: 0, end: 1, url: address };
    },
  });
  findLinks('a '.repeat(200), [restless('javascript:x')], createLinkifierBudget());
  expect(searches).toBeLessThan(1000);
  searches = 0;
  findLinks('a', [restless(`javascript:${'x'.repeat(100_000)}`)], createLinkifierBudget());
  expect(searches).toBeLessThan(4);
});

test('a long line is searched in pieces that end at a space, without losing a link', () => {
  const line = Array.from({ length: 200 }, (_, n) => `#${n} and so on,`).join(' ');
  const { seen, linkifier: watching } = watcher();
  const links = findLinks(line, [watching, linkifier(/#\d+/, url)], createLinkifierBudget());
  expect(links.map(({ start, end }) => line.slice(start, end))).toEqual(Array.from({ length: 200 }, (_, n) => `#${n}`));
  expect(seen.looks).toBeGreaterThan(line.length / 500);
  const word = `${'a'.repeat(800)}b`;
  expect(findLinks(word, [linkifier(/a+b?/, url)], createLinkifierBudget())).toEqual([]);
});
