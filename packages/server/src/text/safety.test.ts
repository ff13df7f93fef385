import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultIn } from '../../test/html-faults.ts';
import { collectFacts, references, render } from './markdown.ts';

const evilNames = ['"><script>', "a' onclick='x", '&lt;b&gt;', 'a]b(c)', '\ud800', 'Ada'];
const facts = collectFacts({
  users: evilNames.map((full_name, index) => ({ id: index + 1, full_name })),
  groups: evilNames.map((name, index) => ({ id: index + 1, name })),
  streams: evilNames.map((name, index) => ({ id: index + 1, name })),
  linkifiers: [
    {
      weight: 1,
      find: (text) =>
        [...text.matchAll(/#\S{1,20}|javascript:\S*/g)].map(({ 0: match, index }) => ({
          start: index,
          end: index + match.length,
          url: match.startsWith('#') ? `https://t.example/${match}` : match,
        })),
    },
  ],
  emoji: (name) => (name === 'cat' ? { image: '/emoji/cat.png' } : { code: name.length > 4 ? '26' : '3c' }),
});

const words = [
  '<script> </script> <a <img onerror=y <!-- --> < > " \' & &lt; &#60; &#x22; &quot; &amp; &Tab; &colon; \\ ` `` ```',
  '~~~ ~~ * ** _ @** @_** @* #** @**all** @**|1** #**Ada> | |- |:-:| - --- [ ] ( ) ![ ]( [a]( [a]() [a]: [[ ]] ](< >)',
  '{ } javascript: JaVaScRiPt: data:text/html, vbscript: http:// https://a.b/ https://a.b/"onclick= mailto: // .. %2e',
  'mailto:a@b.c //a.b /user_uploads/ /user_uploads/../ #narrow : :cat: :tada: :bravo: #1 a 日 🍜 \ud800 \udc00 \u0000',
];
const fragments = [
  ...words.join(' ').split(' '),
  ...['java\tscript:', ' "', '\n', '\n\n', '\r\n', ' ', '    ', '\t', '\u00a0', '\u2028', '\u202e', '/me '],
  ...['> ', '- ', '1. ', '999. ', '# '],
  ...['\n```quote\n', '\n```spoiler ', '\n```math\n', '\n```html\n', '\n```js\n', '\n```\n', '\n~~~quote\n', '\n~~~\n'],
  ...[
    '$$',
    '$',
    '{',
    '}',
    '\\href{javascript:x}{',
    '\\htmlData{a=b}{',
    '\\color{red;x:url(//a.b)}',
    '\\url{',
    '\\def\\a{',
  ],
  ...['\\sqrt{', '\\text{', '\\frac', '\\begin{matrix}', '\\includegraphics{//a.b/c.png}', '\\verb|'],
  ...['<time:', '<time:2020-01-01>', '<time:"><script>>', 'https://a.b/c.png', '/user_uploads/1/a/"b.png'],
  ...evilNames,
  ...evilNames.map((name) => `@**${name}**`),
  ...evilNames.map((name) => `#**${name}>${name}**`),
];
const nasty = fc.array(fc.constantFrom(...fragments), { maxLength: 60 }).map((parts) => parts.join(''));
const anything = fc.string({ unit: 'binary', maxLength: 300 });

describe('any typed text', () => {
  test.each([
    ['fragments of attacks', nasty, 3000],
    ['any characters', anything, 1000],
    ['attacks inside a link', nasty.map((text) => `[${text}](https://a.b/${text})`), 1000],
    ['attacks as an address', nasty.map((text) => `[a](${text}) ![a](<${text}>) <${text}> http://${text}`), 1000],
    ['attacks as names', nasty.map((text) => `@**${text}** @*${text}* #**${text}>${text}** :${text}:`), 1000],
    ['attacks in a table', nasty.map((text) => `a|b\n-|:-:\n${text}|${text}`), 500],
    ['attacks as TeX', nasty.map((text) => `$$${text}$$ $$x${text}$$\n\`\`\`math\n${text}\n\n${text}\n\`\`\``), 1000],
    ['attacks as a time', nasty.map((text) => `<time:${text}>`), 500],
    ['attacks as pictures', nasty.map((text) => `[${text}](https://a.b/${text}.png) https://a.b/${text}.png`), 500],
    ['attacks in a spoiler', nasty.map((text) => `\`\`\`spoiler ${text}\n${text}\n\`\`\``), 1000],
    ['attacks as code', nasty.map((text) => `\`\`\`html\n${text}\n\`\`\`\n~~~js\n${text}\n~~~`), 1000],
    ['attacks as a language', nasty.map((text) => `\`\`\`${text}\n${text}\n\`\`\``), 500],
  ] as const)('renders to allowed tags, attributes and URLs only: %s', (_title, texts, numRuns) =>
    fc.assert(
      fc.property(texts, (text) => {
        expect(faultIn(render(text, facts).html)).toBeUndefined();
      }),
      { numRuns },
    ),
  );

  test('mentions only users whom its references name', () =>
    fc.assert(
      fc.property(nasty, (text) => {
        const { users, groups, stream_wildcard, topic_wildcard } = references(text);
        const rendered = render(text, facts);
        expect({ stream_wildcard, topic_wildcard }).toEqual({
          stream_wildcard: rendered.stream_wildcard,
          topic_wildcard: rendered.topic_wildcard,
        });
        const loud = users.filter(({ silent }) => !silent);
        expect(rendered.mentioned_users.length).toBeLessThanOrEqual(loud.length);
        expect(rendered.mentioned_groups.length).toBeLessThanOrEqual(groups.length);
      }),
    ));
});

test.each([
  ['<script>'],
  ['<p onclick="x">a</p>'],
  ['<a href="javascript:x">a</a>'],
  ['<a href="/settings">a</a>'],
  ['<p>a'],
  ['a > b'],
  ['<img class="emoji" src="https://example.com/a">'],
  ['<img src="javascript:x.png">'],
  ['<span style="background:url(//a.b);">a</span>'],
  ['<p style="color:red;">a</p>'],
  ['<time datetime="now">a</time>'],
  ['<script/>'],
])('the check of this test finds %s', (html) => expect(faultIn(html)).toBeDefined());

const longest = 10_000;
const fill = (piece: string) => piece.repeat(Math.ceil(longest / piece.length)).slice(0, longest);

const costly = [
  '[ ] * _ > " ` ``a` ~ ~~a \\ & < | # : ! ![ [a]( @** @_** #** @* @**a #**a> [[a](b) ]( *a_ http:// http://a/( :a:',
  'mailto:a@ @**|1** #**a]b(c)** $ $$ $$a $$a$$ $$$ $\\ <time: <time:1> <time:a ``` ~~~ ```quote ```spoiler ```math ```js',
];
test.each([
  ...costly.join(' ').split(' '),
  ...['> ', '[a](b "', '**a *', '- ', '1. ', '- > ', '> - ', '* a\n', '> a\n', '#1 ', '\n', '\t'],
  ...[
    '```quote\n',
    '```spoiler\n',
    '```spoiler a\n',
    '```math\n',
    '```js\n',
    '~~~quote\n',
    '```quote\n```\n',
    '```math\n```\n',
  ],
  ...[
    '```quote\n- ',
    '> ```quote\n> ',
    '- ```spoiler\n  ',
    '```js\n```\n',
    '```quote\n~~~\n',
    'https://a.b/c.png ',
    '```\n~~~\n',
  ],
])('the HTML of a long text is bounded when it is full of %j', (piece) => {
  const { html } = render(fill(piece), facts);
  expect(faultIn(html)).toBeUndefined();
  expect(html.length).toBeLessThan(20 * longest);
});

test('the depth of nested quotes and lists is limited, and deeper text is kept', () => {
  for (const marker of ['> ', '- ', '1. ', '> - ']) {
    const { html } = render(`${marker.repeat(1000)}treasure`, facts);
    expect(html.match(/<(?:blockquote|ul|ol)>/g)?.length).toBeLessThanOrEqual(21);
    expect(html).toContain('treasure');
  }
  const staircase = Array.from({ length: 100 }, (_, step) => `${'  '.repeat(step)}- step${step}.`).join('\n');
  const { html } = render(staircase, facts);
  for (let step = 0; step < 100; step += 1) expect(html).toContain(`step${step}.`);
});

test('the number of table cells is limited, and no row is lost', () => {
  const wide = `${'a|'.repeat(300)}\n${'-|'.repeat(300)}\n`;
  const many = `${'a|'.repeat(20)}\n${'-|'.repeat(20)}\n${'b\n'.repeat(50)}\n`;
  for (const content of [`${wide}${'b\n'.repeat(4000)}`.slice(0, longest), many.repeat(50).slice(0, longest)]) {
    const { html } = render(content, facts);
    expect(html.match(/<t[hd]/g)?.length).toBeLessThanOrEqual(5000);
    expect(html.match(/b/g)?.length).toBeGreaterThanOrEqual(content.match(/b/g)?.length ?? 0);
  }
});

test('a text cannot repeat one long URL', () => {
  const content = `[a]: https://a.b/${'c'.repeat(5000)}\n\n${'[a] '.repeat(1000)}`;
  expect(render(content, facts).html.length).toBeLessThan(2 * longest);
});
