// Escaped texts with the server's own renderer: they render as the text, and nothing else.
import { escapeMarkdown } from '@parley/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeHtml } from '../../src/text/escape-html.ts';
import { collectFacts, references, render } from '../../src/text/markdown.ts';

const names = ['Ada', 'all', 'cooks', 'kitchen', 'topic'];
const facts = collectFacts({
  users: names.map((full_name, index) => ({ id: index + 1, full_name })),
  groups: names.map((name, index) => ({ id: index + 1, name })),
  streams: names.map((name, index) => ({ id: index + 1, name })),
  emoji: () => ({ code: '1f372' }),
});

/** The HTML of a text without Markdown: paragraphs between blank lines, and line breaks. */
function plainHtml(text: string): string {
  const lines = text.replaceAll('\0', '\ufffd').split(/\r\n?|\n/);
  const paragraphs: string[][] = [];
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    if (index === 0 || lines[index - 1] === '' || paragraphs.length === 0) paragraphs.push([]);
    paragraphs.at(-1)?.push(escapeHtml(line));
  }
  return paragraphs.map((paragraph) => `<p>${paragraph.join('<br>\n')}</p>`).join('\n');
}

function expectPlain(text: string) {
  const markdown = escapeMarkdown(text);
  expect(render(markdown, facts)).toMatchObject({
    html: plainHtml(text),
    mentioned_users: [],
    mentioned_groups: [],
    stream_wildcard: false,
    topic_wildcard: false,
    is_me_message: false,
    has_link: false,
    has_image: false,
    uploads: [],
  });
  expect(references(markdown)).toEqual({
    users: [],
    groups: [],
    streams: [],
    stream_wildcard: false,
    topic_wildcard: false,
  });
}

const words = [
  ...['@**Ada**', '@_**Ada|1**', '@**all**', '@*cooks*', '#**kitchen**', '#**kitchen>soup**', ':soup:', ':+1:'],
  ...['*soup*', '**soup**', '_soup_', '~~soup~~', '`soup`', '``', '```', '~~~', '```quote', '```spoiler x', '$$x^2$$'],
  ...[
    '[soup](https://a.b/c)',
    '![soup](/user_uploads/1/a/b.png)',
    '<https://a.b>',
    'https://a.b/c.png',
    '//a.b',
    'mailto:a@b.c',
  ],
  ...['<time:2026-01-01T00:00:00Z>', '<b>', '&amp;', '&#65;', '&', '\\', '\\*', '/me eats', '/', '[a]: https://a.b'],
  ...[
    '- ',
    '+ ',
    '* ',
    '1. ',
    '1) ',
    '999999999. ',
    '# ',
    '###### ',
    '> ',
    '---',
    '***',
    '___',
    '===',
    '|a|b|',
    '|-|-|',
    ':-:',
  ],
  ...[
    '\n',
    '\r\n',
    '\r',
    '\n\n',
    ' ',
    '  ',
    '    ',
    '\t',
    '\u00a0',
    '\u2003',
    '\ufeff',
    '\u2028',
    '\f',
    'a',
    '1',
    '日',
    '🍜',
    '.',
    ')',
  ],
];
const marked = fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((parts) => parts.join(''));

describe('an escaped text', () => {
  test.each(words)('%j renders as itself', (word) => {
    expectPlain(word);
    expectPlain(`${word} soup`);
    expectPlain(`soup ${word}`);
    expectPlain(`soup\n${word} soup\n${word}`);
  });

  test.each([
    ['made of what Markdown knows', marked, 3000],
    ['of any characters', fc.string({ unit: 'grapheme', maxLength: 200 }), 2000],
    ['of ASCII', fc.string({ unit: 'grapheme-ascii', maxLength: 60 }), 3000],
  ])('renders as itself, %s', (_what, texts, numRuns) => {
    fc.assert(fc.property(texts, expectPlain), { numRuns });
  });

  test('renders as itself inside other Markdown', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 60 }), (text) => {
        const html = escapeHtml(text);
        expect(render(`a **b${escapeMarkdown(text)}b** c`, facts).html).toBe(`<p>a <strong>b${html}b</strong> c</p>`);
        expect(render(`- b${escapeMarkdown(text)}`, facts).html).toBe(`<ul>\n<li>b${html}</li>\n</ul>`);
        expect(render(`[b${escapeMarkdown(text)}](https://a.b/)`, facts).html).toBe(
          `<p><a href="https://a.b/">b${html}</a></p>`,
        );
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['a mention', '@', '**Ada**', '<p>@<strong>Ada</strong></p>'],
    ['a picture', '!', '[soup](https://a.b/)', '<p>!<a href="https://a.b/">soup</a></p>'],
    ['an address', '<', 'https://a.b>', '<p>&lt;<a href="https://a.b">https://a.b</a>&gt;</p>'],
    ['an entity', '&', 'amp;', '<p>&amp;amp;</p>'],
    ['a table', 'a|b\n-|-', '\n', '<p>a|b<br>\n-|-</p>'],
    ['a table', '|a|b|\n|-|-|\n', '|c|d|', '<p>|a|b|<br>\n|-|-|<br>\n|c|d|</p>'],
  ])('forms no %s with the Markdown after it', (_what, text, after, html) => {
    expect(render(escapeMarkdown(text) + after, facts).html).toBe(html);
  });

  test('stays readable: common punctuation is unchanged', () => {
    expect(escapeMarkdown("It's done, isn't it? (Yes; 100% of it.) 3.5/5 – re-run {now}")).toBe(
      "It's done, isn't it? (Yes; 100% of it.) 3.5/5 – re-run {now}",
    );
    expect(escapeMarkdown('snake_case & #4')).toBe('snake\\_case \\& \\#4');
  });
});
