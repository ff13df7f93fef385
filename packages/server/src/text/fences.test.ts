import { expect, test } from 'vitest';
import { collectFacts, references, render } from './markdown.ts';

const facts = collectFacts({
  users: [{ id: 7, full_name: 'Ada' }],
  emoji: (name) => (name === 'tada' ? { code: '1f389' } : undefined),
});
const html = (content: string) => render(content, facts).html;
const quote = (inside: string) => `<blockquote>\n${inside}\n</blockquote>`;
const spoiler = (header: string, inside: string) =>
  `<div class="spoiler-block"><div class="spoiler-header">\n${header}</div><div class="spoiler-content" aria-hidden="true">\n${inside}\n</div></div>`;
const code = (inside: string) => `<div class="codehilite"><pre><span></span><code>${inside}\n</code></pre></div>`;

test.each([
  ['```quote\nHot *soup*.\n```', quote('<p>Hot <em>soup</em>.</p>')],
  ['``` quote\na\n\nb\n```\nc', `${quote('<p>a</p>\n<p>b</p>')}\n<p>c</p>`],
  ['a\n```quote\nb\n```', `<p>a</p>\n${quote('<p>b</p>')}`],
  ['~~~ QUOTE\na\n~~~', quote('<p>a</p>')],
  ['```quote\na', quote('<p>a</p>')],
  ['```quote\n- a\n```', quote('<ul>\n<li>a</li>\n</ul>')],
  ['```quote\n> a\n```', quote(quote('<p>a</p>'))],
  ['```quote\n```quote\na\n```\nb\n```\nc', `${quote(`${quote('<p>a</p>')}\n<p>b</p>`)}\n<p>c</p>`],
  ['````quote\n```\na\n```\n````', quote(code('a'))],
  ['~~~quote\n```\n~~~quote\n```\n~~~\nb', `${quote(code('~~~quote'))}\n<p>b</p>`],
  ['- ```quote\n  a\n  ```\n- b', `<ul>\n<li>\n${quote('<p>a</p>')}\n</li>\n<li>b</li>\n</ul>`],
  ['- ```quote\n  a\n- b', `<ul>\n<li>\n${quote('<p>a</p>')}\n</li>\n<li>b</li>\n</ul>`],
  ['> ```quote\n> a\n> ```\n> b', quote(`${quote('<p>a</p>')}\n<p>b</p>`)],
  ['> ```quote\n> a\n\nb', `${quote(quote('<p>a</p>'))}\n<p>b</p>`],
])('%j is a quote that contains Markdown', (content, expected) => expect(html(content)).toBe(expected));

test.each([
  ['```spoiler\na\n```', spoiler('', '<p>a</p>')],
  ['```spoiler The *end*\na\n```\nb', `${spoiler('<p>The <em>end</em></p>\n', '<p>a</p>')}\n<p>b</p>`],
  ['```spoiler <b>\na\n```', spoiler('<p>&lt;b&gt;</p>\n', '<p>a</p>')],
  ['```spoiler a\n```spoiler b\nc\n```\n```', spoiler('<p>a</p>\n', spoiler('<p>b</p>\n', '<p>c</p>'))],
  ['```spoiler a\n```quote\nb\n```\n```', spoiler('<p>a</p>\n', quote('<p>b</p>'))],
  ['- ```spoiler a\n  b\n  ```', `<ul>\n<li>\n${spoiler('<p>a</p>\n', '<p>b</p>')}\n</li>\n</ul>`],
])('%j is a spoiler, whose header and content are Markdown', (content, expected) =>
  expect(html(content)).toBe(expected),
);

test.each([
  ['```quotes\na\n```', 'quotes'],
  ['```quote-a\na\n```', 'quote-a'],
  ['`````\n```quote\na\n```\n`````', undefined],
])('%j is code', (content, language) => {
  expect(html(content)).not.toContain('<blockquote>');
  expect(/data-code-language="([^"]*)"/.exec(html(content))?.[1]).toBe(language);
});

test.each(['`` ```quote ``', '```quote`', '    ```quote', '\\```quote'])('%j is no block of these kinds', (content) =>
  expect(html(content)).not.toMatch(/<blockquote>|spoiler/),
);

test.each([
  '```quote\n@**Ada** :tada: https://a.example\n```',
  '```spoiler @**Ada**\n:tada: https://a.example\n```',
  '> ```spoiler a\n> - @**Ada** :tada: https://a.example\n> ```',
])('mentions, emoji and links work in %j', (content) => {
  expect(render(content, facts)).toMatchObject({ mentioned_users: [7], has_link: true, is_me_message: false });
  expect(references(content).users).toEqual([{ name: 'Ada', silent: false }]);
  expect(html(content)).toContain('emoji-1f389');
});

test('alert words are searched in quotes and spoilers, not in code and formulas', () => {
  const content =
    '```quote\nalpha\n```\n```spoiler beta\ngamma\n```\n```\ndelta\n```\n$$epsilon$$ :tada:\n```math\nzeta\n```';
  const { shown } = render(content, facts);
  for (const word of ['alpha', 'beta', 'gamma']) expect(shown).toContain(word);
  for (const word of ['delta', 'epsilon', 'zeta', 'tada']) expect(shown).not.toContain(word);
  expect(render('pea:tada:soup $$x$$ pea$$x$$', facts).shown).not.toContain('peasoup');
});

test('the depth of nested blocks is limited, and deeper text is kept', () => {
  for (const kind of ['quote', 'spoiler', 'spoiler a']) {
    const content = `${`\`\`\`${kind}\n`.repeat(200)}treasure`;
    expect(html(content).match(/<blockquote>|<div class="spoiler-block">/g)?.length).toBeLessThanOrEqual(21);
    expect(html(content)).toContain('treasure');
  }
});
