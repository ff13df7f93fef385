import { describe, expect, test } from 'vitest';
import { collectFacts, render } from '../../text/markdown.ts';
import { codePoints } from '../../text/names.ts';
import { parseAddress, parseStreamId, toContent, toSlug, toTopic } from './rules.ts';

const email = { message_id: '', from: 'Ada (ada@example.com)', subject: 'Soup', text: 'It is ready.', files: [] };
const known = collectFacts({
  users: [{ id: 7, full_name: 'Ada' }],
  groups: [{ id: 8, name: 'cooks' }],
  streams: [{ id: 9, name: 'leads' }],
});
const shown = (text: string) => render(toContent({ ...email, text }), known);

test.each([
  ['general', 'general'],
  ['Köche & Kellner', 'koche-kellner'],
  ['  R&D -- 2026 ', 'r-d-2026'],
  ['会议', 'stream'],
  ['a very long name that goes on and on', 'a-very-long-name-that-goe'],
])('a stream called %j has %j in its address', (name, slug) => expect(toSlug(name)).toBe(slug));

test.each([
  ['general.abc@localhost', { token: 'abc', host: 'localhost' }],
  [' GENERAL.ABC@Acme.Localhost ', { token: 'abc', host: 'acme.localhost' }],
  ['abc@localhost', { token: 'abc', host: 'localhost' }],
  ['general.@localhost', undefined],
  ['general', undefined],
  ['a@b@c', undefined],
])('the address %j is parsed', (address, parts) => expect(parseAddress(address)).toEqual(parts));

test.each([
  [`${'a'.repeat(24)}2s`, 100],
  [`${'a'.repeat(24)}02s`, undefined],
  ['a'.repeat(24), undefined],
  ['', undefined],
])('the token %j names the stream %j', (token, id) => expect(parseStreamId(token)).toBe(id));

test.each([
  ['Soup', 'Soup'],
  ['Re: RE: Fwd: AW: Soup', 'Soup'],
  ['Soup\r\n is\tready', 'Soup is ready'],
  ['', '(no subject)'],
  [' Re: ', '(no subject)'],
  ['s'.repeat(61), `${'s'.repeat(59)}…`],
])('the subject %j is the topic %j', (subject, topic) => expect(toTopic(subject)).toBe(topic));

describe('the content of a message from an email', () => {
  test('begins with the sender that the email states', () => {
    expect(shown('It is ready.\nCome!').html).toBe(
      '<p>Email from Ada (ada@example.com):</p>\n<p>It is ready.<br>\nCome!</p>',
    );
  });

  test.each([
    '@**all**',
    '@**topic**',
    '@**Ada**',
    '@**Ada|7** @_**Ada|7**',
    '@*cooks*',
    '\\@**all**',
    '#**leads**',
    '#**leads>topic**',
    'https://example.com/#**leads**',
    'https://example.com/@**all**',
    'https://example.com/@_**Ada|7**',
    'https://example.com/@ada/@**all**',
    'https://example.com/a@*cooks*',
    'https://example.com/#!/#**leads**',
    'https://example.com/!#**leads>topic**',
    'https://example.com/$@**Ada|7**$',
    '    @**all**',
    '> @**all**',
    '[@**all**](https://example.com/)',
    '<b>@**all**</b>',
    '```\n@**all**\n```\n@**all**',
  ])('mentions no user and links no stream: %j', (text) => {
    const { html, mentioned_users, mentioned_groups, stream_wildcard, topic_wildcard } = shown(text);
    expect({ mentioned_users, mentioned_groups, stream_wildcard, topic_wildcard }).toEqual({
      mentioned_users: [],
      mentioned_groups: [],
      stream_wildcard: false,
      topic_wildcard: false,
    });
    expect(html).not.toMatch(/mention|data-stream-id/);
  });

  test('looks as it was written, with its URLs as links', () => {
    expect(shown('*a* _b_ `c` https://example.com/a_b_c?d=e#f').html).toContain(
      '<p>*a* _b_ `c` <a href="https://example.com/a_b_c?d=e#f">https://example.com/a_b_c?d=e#f</a></p>',
    );
    expect(shown('a\n    b').html).toContain(`a<br>\n${'\u00a0'.repeat(4)}b`);
  });

  test.each([
    'https://medium.com/@ada/soup',
    'https://example.com/@ada_lovelace/x',
    'https://example.com/@_ada',
    'https://example.com/#!/soup',
    'https://example.com/!soup!/a',
    'https://example.com/?$filter=a&$top=1',
  ])('has links to URLs with characters that have a meaning in Markdown: %s', (address) => {
    const written = address.replaceAll('&', '&amp;');
    expect(shown(`See ${address} or not.`).html).toContain(`See <a href="${written}">${written}</a> or not.`);
  });

  test('shows no picture for a URL', () => {
    expect(shown('https://example.com/![soup](https://example.com/soup.png)').html).not.toMatch(/<img|>soup</);
  });

  test('is cut at the maximum length of a message, and says so', () => {
    for (const text of ['*'.repeat(20_000), 'a'.repeat(20_000), '🎉'.repeat(20_000)]) {
      const content = toContent({ ...email, text, from: '*'.repeat(1000), files: ['*'.repeat(1000)] });
      expect(codePoints(content)).toBeLessThanOrEqual(10_000);
      expect(content).toMatch(/The email is truncated/);
    }
    expect(toContent({ ...email, text: 'a'.repeat(8000) })).not.toMatch(/truncated/);
  });

  test('can be empty, and names the files', () => {
    expect(toContent({ ...email, text: ' \n', files: ['soup_1.png', 'menu.pdf'] })).toBe(
      'Email from Ada (ada\\@example.com):\n\n(The email has no plain text.)\n\nOmitted attachments: soup\\_1.png, menu.pdf',
    );
  });
});
