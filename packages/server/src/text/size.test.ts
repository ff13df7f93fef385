// The HTML of any text is bounded in proportion to it, and ordinary texts are never cut.
import { expect, test } from 'vitest';
import { collectFacts, render } from './markdown.ts';
import { renderMathBlock } from './math.ts';
import { createRenderState } from './render-state.ts';

const LONGEST = 10_000;
const fill = (piece: string, length = LONGEST) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
const bytesOf = (text: string) => Buffer.byteLength(text);

const long = '\u{1f35c}'.repeat(100);
const facts = collectFacts({
  users: [
    { id: 1, full_name: long },
    ...Array.from({ length: 2000 }, (_, n) => ({ id: 100 + n, full_name: `Person ${n}` })),
  ],
  groups: [{ id: 1, name: 'g' }],
  streams: [{ id: 1, name: 's' }],
  linkifiers: [
    {
      weight: 1,
      find: (text) =>
        [...text.matchAll(/#\d/g)].map(({ index }) => ({
          start: index,
          end: index + 2,
          url: `https://t.example/${'&'.repeat(1900)}`,
        })),
    },
  ],
  emoji: (name) => (name === 'c' ? { image: `/emoji/${'x'.repeat(100)}.png` } : { code: '1f170' }),
  code_language: 'x'.repeat(40),
});

test.each([
  [':a:'],
  [':a: '],
  [':c:'],
  [':a::c:'],
  ['@**|1**'],
  ['@_**|1**'],
  ['@*g*'],
  ['@_*g*'],
  ['@**all**'],
  ['@**topic**'],
  ['#**s**'],
  ['#**s>日日日日日日日日日日日日**'],
  ['#1 '],
  ['#1\n'],
  ['"'],
  ['<'],
  ['> '],
  ['>\n\n'],
  ['- '],
  ['-\n+\n'],
  ['- ```\n+ ```\n'],
  ['> - ```\n>\n'],
  ['```\n```\n'],
  ['#\n'],
  ['*a*'],
  ['`a`'],
  ['a|b\n-|:-:\n\n'],
  [`${'a|'.repeat(70)}\n${':-:|'.repeat(70)}\n${'b\n'.repeat(70)}\n`],
  ['http://a.b/&&&& '],
  ['<http://a.b/""">'],
  ['[:a:](http://a.b/日)'],
  [':a:- \n+ :a:\n'],
  ['```quote\n```\n'],
  ['```spoiler\n```\n'],
  ['```spoiler a\n'],
  ['```js\n1\n```\n'],
  [`\`\`\`js\n${'1,'.repeat(45)}\n`],
  ['```"""""\n```\n'],
  ['<time:>'],
  ['<time:1>'],
  ['$$}$$ '],
  ['![](http://a.b/c.png) '],
])('the HTML of a text full of %j is bounded by its length', (piece) => {
  for (const length of [500, LONGEST]) {
    const content = fill(piece, length);
    expect(bytesOf(render(content, facts).html)).toBeLessThanOrEqual(25 * bytesOf(content) + 35_000);
  }
});

test.each([
  ['$$x$$ '],
  ['$$\\frac12$$ '],
  ['$$\\sqrt{\\sqrt{\\sqrt{x}}}$$ '],
  ['```math\n\\frac12\n```\n'],
  ['```math\nx\n\nx\n\n'],
  [`$$\\def\\a{${'x'.repeat(400)}}${'\\a'.repeat(30)}$$ `],
])('the HTML of formulas is bounded by their length, and the others are shown as typed: %j', (piece) => {
  for (const length of [500, LONGEST]) {
    const content = fill(piece, length);
    expect(bytesOf(render(content, facts).html)).toBeLessThanOrEqual(65 * bytesOf(content) + 135_000);
  }
});

test('formulas whose macros repeat a text very often use up the limit of all, within any time', () => {
  const formula = `\\def\\a{${'x'.repeat(100)}}${'\\a'.repeat(60)}`;
  const draft = { ...createRenderState(formula, facts), time: { ms: 20_000 } };
  const sizes = [1, 2, 3].map(() => bytesOf(renderMathBlock(draft, formula)));
  expect(sizes[0]).toBeGreaterThan(50_000);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(120_000);
});

test('code of tokens only has their classes up to a limit', () => {
  const content = `\`\`\`json\n${`${'['.repeat(400)}\n`.repeat(24)}`;
  const { html } = render(content, facts);
  expect(bytesOf(html)).toBeLessThanOrEqual(12 * bytesOf(content) + 20_000);
  expect(html).not.toContain('<span class="p">');
  expect(render(`\`\`\`json\n${'['.repeat(400)}`, facts).html.match(/<span class="p">/g)).toHaveLength(400);
});

test('a text of emoji only has emoji up to a limit, and the rest as typed', () => {
  const { html } = render(fill(':a:'), facts);
  expect(bytesOf(html)).toBeLessThanOrEqual(13 * LONGEST);
  const shown = html.match(/<span aria-label="a" class="emoji /g)?.length ?? 0;
  expect(shown).toBeGreaterThan(1200);
  expect(html.replace(/<[^>]*>/g, '').match(/:a:/g)).toHaveLength(3333);
});

test('a short text has all of its emoji, mentions and links', () => {
  const { html } = render(`${':a: '.repeat(100)}${'@**|1** '.repeat(20)}${'#**s** '.repeat(50)}`, facts);
  expect(html.match(/class="emoji /g)).toHaveLength(100);
  expect(html.match(/class="user-mention"/g)).toHaveLength(20);
  expect(html.match(/class="stream"/g)).toHaveLength(50);
});

test('all users named in a text are mentioned, also beyond the limit of other elements', () => {
  const names = Array.from({ length: 400 }, (_, n) => `@**|${100 + n}**`).join('');
  const content = `${fill(':c:', LONGEST - names.length - 30)}${names}@*g*@**all**@**topic**`;
  const { mentioned_users, mentioned_groups, stream_wildcard, topic_wildcard, html } = render(content, facts);
  expect(mentioned_users).toEqual(Array.from({ length: 400 }, (_, n) => 100 + n));
  expect(html.match(/class="user-mention"/g)).toHaveLength(401);
  expect({ mentioned_groups, stream_wildcard, topic_wildcard }).toEqual({
    mentioned_groups: [1],
    stream_wildcard: true,
    topic_wildcard: true,
  });
  expect(html).toContain(':c:');
});

test('missing cells of a table are added only in proportion to the text', () => {
  const content = `${'a|'.repeat(70)}\n${':-:|'.repeat(70)}\n${'b\n'.repeat(70)}`;
  const { html } = render(content, facts);
  expect(html.match(/<t[hd]/g)?.length).toBeLessThanOrEqual(500 + content.length / 2);
  expect(html.match(/b/g)?.length).toBeGreaterThanOrEqual(70);
});
