import { expect, test } from 'vitest';
import { escapeHtml } from '../../text/escape-html.ts';
import { highlight, htmlToText, listWords } from './rules/highlight.ts';
import { parseNarrow, parseSearchWords } from './rules/narrow.ts';

test.each([
  ['stream by name', ['stream', ' kitchen '], { is_a: 'stream', stream: 'kitchen' }],
  ['stream by id', ['stream', 7], { is_a: 'stream', stream: 7 }],
  ['streams', ['streams', 'web-public'], { is_a: 'streams', streams: 'web-public' }],
  ['topic', ['topic', 'Soup'], { is_a: 'topic', topic: 'Soup' }],
  ['sender', ['sender', 'a@x.com'], { is_a: 'sender', user: 'a@x.com' }],
  ['dm', ['dm', [7, 8]], { is_a: 'dm', users: [7, 8] }],
  ['its old name', ['pm-with', 'a@x.com,b@x.com'], { is_a: 'dm', users: ['a@x.com', 'b@x.com'] }],
  ['dm-including', ['dm-including', 7], { is_a: 'dm-including', user: 7 }],
  ['is', ['is', 'unread'], { is_a: 'is', property: 'unread' }],
  ['has', ['has', 'link'], { is_a: 'has', part: 'link' }],
  ['in', ['in', 'home'], { is_a: 'in', scope: 'home' }],
  ['id as text', ['id', '12'], { is_a: 'id', id: 12 }],
  ['near', ['near', 12], { is_a: 'near', id: 12 }],
] as const)('a term is valid: %s', (_case, [operator, operand], meaning) => {
  const value = Array.isArray(operand) ? [...operand] : (operand as string | number);
  expect(parseNarrow([[operator, value]])).toEqual({ terms: [{ ...meaning, negated: false }] });
  expect(parseNarrow([{ operator, operand: value, negated: true }])).toEqual({
    terms: [{ ...meaning, negated: true }],
  });
});

test.each([
  ['an unknown operator', 'flavour', 'soup'],
  ['a stream without a name', 'stream', ' '],
  ['several streams', 'stream', [1, 2]],
  ['streams that are private', 'streams', 'private'],
  ['a topic that is a number', 'topic', 7],
  ['several senders', 'sender', [1, 2]],
  ['nobody', 'dm', []],
  ['two users for dm-including', 'dm-including', [1, 2]],
  ['an unknown property', 'is', 'tasty'],
  ['an unknown part', 'has', 'salt'],
  ['an unknown place', 'in', 'kitchen'],
  ['an id that is no number', 'id', 'twelve'],
  ['a negative id', 'near', -1],
  ['a search for nothing', 'search', ' '],
  ['a conversation of more than 1,000 users', 'dm', Array.from({ length: 1001 }, (_, n) => n)],
])('a term is invalid: %s', (_case, operator, operand) => {
  expect(parseNarrow([[operator, operand]])).toEqual({ problem: expect.stringContaining(operator) });
});

test('the search terms of a narrow have at most 50 words together', () => {
  const termsOf = (...words: number[]) => words.map((count) => ['search', 'soup '.repeat(count)]);
  expect(parseNarrow(termsOf(30, 20))).toHaveProperty('terms');
  const problem = 'A narrow can search for at most 50 words.';
  expect(parseNarrow(termsOf(51))).toEqual({ problem });
  expect(parseNarrow(termsOf(30, 21))).toEqual({ problem });
});

test('the search terms of a narrow have at most 10000 characters together, as a message has', () => {
  const termsOf = (...lengths: number[]) => lengths.map((length) => ['search', `"${'a '.repeat(length / 2 - 1)}to"`]);
  expect(parseNarrow(termsOf(6_000, 4_000))).toHaveProperty('terms');
  const problem = 'A narrow can search for at most 10000 characters.';
  expect(parseNarrow(termsOf(10_002))).toEqual({ problem });
  expect(parseNarrow(termsOf(6_000, 4_002))).toEqual({ problem });
});

test('a search consists of words and quoted phrases', () => {
  expect(parseSearchWords('hot "pea soup" ""')).toEqual([
    { text: 'hot', phrase: false },
    { text: 'pea soup', phrase: true },
  ]);
});

const mark = (text: string) => `<span class="highlight">${text}</span>`;
test.each([
  ['words', '<p>Hot soup</p>', ['soup'], [], `<p>Hot ${mark('soup')}</p>`],
  ['no part of a word', '<p>soups</p>', ['soup'], [], '<p>soups</p>'],
  [
    'nothing inside tags',
    '<a href="/soup">x soup</a>',
    ['soup', 'a', 'href'],
    ['href'],
    `<a href="/soup">x ${mark('soup')}</a>`,
  ],
  ['nothing inside entities', '<p>salt &amp; amp</p>', ['amp'], ['amp'], `<p>salt &amp; ${mark('amp')}</p>`],
  ['what is written literally', '<p>example.com/soup</p>', [], ['Example.com'], `<p>${mark('example.com')}/soup</p>`],
  ['special characters', '<p>1 &lt; 2</p>', [], ['<'], `<p>1 ${mark('&lt;')} 2</p>`],
  ['nothing twice', '<p>soup</p>', ['soup'], ['soup', 'sou'], `<p>${mark('soup')}</p>`],
  [
    'words in quotes, spoilers, code and times',
    '<blockquote>\n<p>soup</p>\n</blockquote><div class="soup"><pre><span></span><code><span class="n">soup</span></code></pre></div><time datetime="soup">soup</time>',
    ['soup'],
    [],
    `<blockquote>\n<p>${mark('soup')}</p>\n</blockquote><div class="soup"><pre><span></span><code><span class="n">${mark('soup')}</span></code></pre></div><time datetime="soup">${mark('soup')}</time>`,
  ],
  [
    'nothing in emoji',
    '<p><span aria-label="soup" class="emoji emoji-1f372" role="img" title="soup">:soup:</span> soup</p>',
    ['soup'],
    ['soup'],
    `<p><span aria-label="soup" class="emoji emoji-1f372" role="img" title="soup">:soup:</span> ${mark('soup')}</p>`,
  ],
  [
    'nothing in formulas, however they are nested',
    '<p>x <span class="katex-display"><span class="katex"><math><mi>x</mi></math><span><span>x</span></span></span></span> x</p>',
    ['x'],
    ['x'],
    `<p>${mark('x')} <span class="katex-display"><span class="katex"><math><mi>x</mi></math><span><span>x</span></span></span></span> ${mark('x')}</p>`,
  ],
])('highlighting marks %s', (_case, html, found, literal, marked) => {
  expect(highlight(html, new Set(found), literal)).toBe(marked);
});

test('words are found between tags', () => {
  expect(listWords([htmlToText('<p>pea&nbsp;<b>soup</b></p>'), 'Pea soup'])).toEqual(['pea', 'soup', 'Pea']);
  expect(listWords([htmlToText('<p><span class="katex"><mi>x</mi></span> soup</p>')])).toEqual(['soup']);
  expect(escapeHtml('<"&>')).toBe('&lt;&quot;&amp;&gt;');
});
