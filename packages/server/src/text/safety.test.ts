import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { factsOf, references, render } from './markdown.ts';

const plainTags = 'p br em strong s ul li blockquote pre hr table thead tbody tr h1 h2 h3 h4 h5 h6'.split(' ');
const allowed: Record<string, string[]> = {
  ...Object.fromEntries(plainTags.map((tag) => [tag, []])),
  ol: ['start'],
  code: ['class'],
  th: ['align'],
  td: ['align'],
  a: ['href', 'title', 'class', 'data-stream-id'],
  span: ['class', 'title', 'data-user-id', 'data-user-group-id'],
  img: ['class', 'alt', 'title', 'src'],
};
const allowedClasses =
  /^(?:(?:user-mention|user-group-mention|topic-mention)(?: silent)?|stream|stream-topic|emoji|language-\S+)$/;
const allowedHrefs =
  /^(?:https?:\/\/\S|mailto:\S|\/user_uploads\/\S|\/#narrow\/stream\/\d+-[\w.-]*(?:\/topic\/[\w.-]*)?$)/i;
const voidTags = ['br', 'hr', 'img'];

const decode = (value: string) =>
  value.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** Reads HTML more strictly than any browser: what is not plainly allowed is a fault, and the fault is returned. */
function faultIn(html: string): string | undefined {
  const open: string[] = [];
  for (const part of html.match(/<[^>]*>?|[^<]+/g) ?? []) {
    if (!part.startsWith('<')) {
      if (part.includes('>') || /&(?!(?:lt|gt|quot|amp);)/.test(part)) return `unescaped text ${part}`;
      continue;
    }
    const [, slash, tag = '', attributes = ''] = /^<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]*")*)>$/.exec(part) ?? [];
    if (!allowed[tag]) return `tag ${part}`;
    if (slash) {
      if (open.pop() !== tag || attributes) return `closing ${part}`;
    } else if (!voidTags.includes(tag)) open.push(tag);
    for (const [, name = '', value = ''] of attributes.matchAll(/ ([a-z-]+)="([^"]*)"/g)) {
      const fault = faultInAttribute(tag, name, value);
      if (fault) return `${fault} in ${part}`;
    }
  }
  return open.length ? `left open: ${open}` : undefined;
}

function faultInAttribute(tag: string, name: string, value: string): string | undefined {
  if (!allowed[tag]?.includes(name)) return `attribute ${name}`;
  if (/&(?!(?:lt|gt|quot|amp);)/.test(value)) return `unescaped ${name}`;
  if (name === 'class' && !allowedClasses.test(value)) return 'class';
  if (name.startsWith('data-') && !/^(?:\d+|\*)$/.test(value)) return name;
  if (name === 'align' && !/^(?:left|center|right)$/.test(value)) return name;
  if (name === 'start' && !/^\d+$/.test(value)) return name;
  if (name === 'src' && value !== '/emoji/cat.png') return name;
  if (name !== 'href') return undefined;
  const href = decode(value);
  if (!allowedHrefs.test(href)) return 'href';
  const { protocol, host, pathname } = new URL(href, 'http://here.invalid');
  if (!['http:', 'https:', 'mailto:'].includes(protocol)) return 'protocol';
  return host === 'here.invalid' && !/^\/(?:$|user_uploads\/.)/.test(pathname) ? 'path' : undefined;
}

const evilNames = ['"><script>', "a' onclick='x", '&lt;b&gt;', 'a]b(c)', '\ud800', 'Ada'];
const facts = factsOf({
  people: evilNames.map((full_name, index) => ({ id: index + 1, full_name })),
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
  ...evilNames,
  ...evilNames.map((name) => `@**${name}**`),
  ...evilNames.map((name) => `#**${name}>${name}**`),
];
const nasty = fc.array(fc.constantFrom(...fragments), { maxLength: 60 }).map((parts) => parts.join(''));
const anything = fc.string({ unit: 'binary', maxLength: 300 });

describe('whatever is typed', () => {
  test.each([
    ['fragments of attacks', nasty, 3000],
    ['any characters', anything, 1000],
    ['attacks inside a link', nasty.map((text) => `[${text}](https://a.b/${text})`), 1000],
    ['attacks as an address', nasty.map((text) => `[a](${text}) ![a](<${text}>) <${text}> http://${text}`), 1000],
    ['attacks as names', nasty.map((text) => `@**${text}** @*${text}* #**${text}>${text}** :${text}:`), 1000],
    ['attacks in a table', nasty.map((text) => `a|b\n-|:-:\n${text}|${text}`), 500],
    ['attacks as a language', nasty.map((text) => `\`\`\`${text}\n${text}\n\`\`\``), 500],
  ] as const)('only allowed tags, attributes and addresses come out: %s', (_title, texts, numRuns) =>
    fc.assert(
      fc.property(texts, (text) => {
        expect(faultIn(render(text, facts).html)).toBeUndefined();
      }),
      { numRuns },
    ),
  );

  test('a text never alerts anyone its references do not name', () =>
    fc.assert(
      fc.property(nasty, (text) => {
        const { people, groups, stream_wildcard, topic_wildcard } = references(text);
        const rendered = render(text, facts);
        expect({ stream_wildcard, topic_wildcard }).toEqual({
          stream_wildcard: rendered.stream_wildcard,
          topic_wildcard: rendered.topic_wildcard,
        });
        const loud = people.filter(({ silent }) => !silent);
        expect(rendered.mentioned_people.length).toBeLessThanOrEqual(loud.length);
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
  ['<img class="emoji" src="https://example.com/a.png">'],
])('the check itself notices %s', (html) => expect(faultIn(html)).toBeDefined());

const longest = 10_000;
const fill = (piece: string) => piece.repeat(Math.ceil(longest / piece.length)).slice(0, longest);

const costly = [
  '[ ] * _ > " ` ``a` ~ ~~a \\ & < | # : ! ![ [a]( @** @_** #** @* @**a #**a> [[a](b) ]( *a_ http:// http://a/( :a:',
  'mailto:a@ @**|1** #**a]b(c)**',
];
test.each([
  ...costly.join(' ').split(' '),
  ...['> ', '[a](b "', '**a *', '- ', '1. ', '- > ', '> - ', '* a\n', '> a\n', '#1 ', '\n', '\t'],
])('a long text costs no more than in proportion when it is full of %j', (piece) => {
  const { html } = render(fill(piece), facts);
  expect(faultIn(html)).toBeUndefined();
  expect(html.length).toBeLessThan(20 * longest);
});

test('a text nests quotes and lists only so deep, and loses no word of what is deeper', () => {
  for (const marker of ['> ', '- ', '1. ', '> - ']) {
    const { html } = render(`${marker.repeat(1000)}treasure`, facts);
    expect(html.match(/<(?:blockquote|ul|ol)>/g)?.length).toBeLessThanOrEqual(21);
    expect(html).toContain('treasure');
  }
  const staircase = Array.from({ length: 100 }, (_, step) => `${'  '.repeat(step)}- step${step}.`).join('\n');
  const { html } = render(staircase, facts);
  for (let step = 0; step < 100; step += 1) expect(html).toContain(`step${step}.`);
});

test('a text gets a limited number of table cells, and loses no row', () => {
  const wide = `${'a|'.repeat(300)}\n${'-|'.repeat(300)}\n`;
  const many = `${'a|'.repeat(20)}\n${'-|'.repeat(20)}\n${'b\n'.repeat(50)}\n`;
  for (const content of [`${wide}${'b\n'.repeat(4000)}`.slice(0, longest), many.repeat(50).slice(0, longest)]) {
    const { html } = render(content, facts);
    expect(html.match(/<t[hd]/g)?.length).toBeLessThanOrEqual(5000);
    expect(html.match(/b/g)?.length).toBeGreaterThanOrEqual(content.match(/b/g)?.length ?? 0);
  }
});

test('a text cannot repeat one long address', () => {
  const content = `[a]: https://a.b/${'c'.repeat(5000)}\n\n${'[a] '.repeat(1000)}`;
  expect(render(content, facts).html.length).toBeLessThan(2 * longest);
});
