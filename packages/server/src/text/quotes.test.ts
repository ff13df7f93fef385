import { expect, test } from 'vitest';
import { collectFacts, references, render } from './markdown.ts';
import { quoteName, quoteText, renderSilentMention } from './quotes.ts';

const ada = { id: 7, full_name: 'Ada' };

test.each([
  ['plain words', 'hot soup'],
  ['a mention', '@**Ada|7** and @**all** and @**topic**'],
  ['an end of bold text and a mention', 'soup** @**all'],
  ['backticks', 'a ` b `` c'],
  ['nothing but backticks', '```'],
  ['a backtick at one end', 'soup`'],
  ['HTML', '<b>soup</b> &amp;'],
] as const)('a name is rendered literally: %s', (_case, text) => {
  for (const content of [`renamed from ${quoteName(text)} to ${quoteName(text)}.`]) {
    const { html, ...rest } = render(content, collectFacts({ users: [ada] }));
    expect(rest).toMatchObject({ mentioned_users: [], stream_wildcard: false, topic_wildcard: false });
    expect(references(content).users).toEqual([]);
    const shown = html.replace(/<[^>]*>/g, '').replace(/&(lt|gt|amp|quot);/g, (_, name) => entities[name] ?? '');
    expect(shown).toContain(text);
  }
});

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };

test('a quote renders its Markdown, and mentions no user or group', () => {
  expect(quoteText('For *soup*.')).toBe('``` quote\nFor *soup*.\n```');
  const content = quoteText('@**Ada|7** and @**all** and @*cooks* like *soup*');
  const { html, ...rest } = render(content, collectFacts({ users: [ada], groups: [{ id: 3, name: 'cooks' }] }));
  expect(rest).toMatchObject({ mentioned_users: [], mentioned_groups: [], stream_wildcard: false });
  expect(html).toMatch(/^<blockquote>.*<em>soup<\/em><\/p>\n<\/blockquote>$/s);
});

test.each(['```', '```quote', '~~~', '  ~~~ hot', '````` hot', 'soup\n```', '- ```'])(
  '%j does not end a quote, and the quote ends after it',
  (text) =>
    expect(render(`${quoteText(text)}\n\nafter`, collectFacts()).html).toMatch(
      /^<blockquote>.*<\/blockquote>\n<p>after<\/p>$/s,
    ),
);

test('a silent mention names a user without mentioning them', () => {
  const { html, mentioned_users } = render(renderSilentMention(ada), collectFacts({ users: [ada] }));
  expect(mentioned_users).toEqual([]);
  expect(html).toContain('data-user-id="7"');
});
