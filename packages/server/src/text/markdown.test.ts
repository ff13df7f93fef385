import { expect, test } from 'vitest';
import { collectFacts, type EmojiPicture, type RenderFacts, references, render, renderPlain } from './markdown.ts';

const emoji: Record<string, EmojiPicture> = {
  tada: { code: '1f389' },
  working_on_it: { code: '1f6e0' },
  cat: { image: '/emoji/cat.png' },
};
const tickets: RenderFacts['linkifiers'][number] = {
  weight: 1,
  find: (text) =>
    [...text.matchAll(/#\d+/g)].map(({ 0: match, index }) => ({
      start: index,
      end: index + match.length,
      url: `https://t.example/${match.slice(1)}`,
    })),
};
const facts = collectFacts({
  users: [
    { id: 7, full_name: 'Ada Lovelace' },
    { id: 8, full_name: 'Ben' },
    { id: 9, full_name: 'Ben' },
    { id: 10, full_name: 'cleo' },
    { id: 11, full_name: 'Cleo' },
    { id: 12, full_name: 'Tom & <b' },
  ],
  groups: [{ id: 3, name: 'ops' }],
  streams: [{ id: 5, name: 'Design' }],
  linkifiers: [tickets],
  emoji: (name) => emoji[name],
});
const html = (content: string) => render(content, facts).html;

test.each([
  ['', ''],
  ['  \n ', ''],
  ['hello', '<p>hello</p>'],
  ['a\nb', '<p>a<br>\nb</p>'],
  ['a\n\nb', '<p>a</p>\n<p>b</p>'],
  ['*a* **b** ~~c~~', '<p><em>a</em> <strong>b</strong> <s>c</s></p>'],
  ['snake_case_name', '<p>snake_case_name</p>'],
  ['- a\n- b', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>'],
  ['3. a\n4. b', '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'],
  ['> a', '<blockquote>\n<p>a</p>\n</blockquote>'],
  ['`a <b>`', '<p><code>a &lt;b&gt;</code></p>'],
  ['# a', '<h1>a</h1>'],
  ['a\n---', '<p>a</p>\n<hr>'],
  ['\\*a\\*', '<p>*a*</p>'],
  ['&copy; &lt;', '<p>© &lt;</p>'],
])('%j is rendered', (content, expected) => expect(html(content)).toBe(expected));

test('a table keeps the alignment of its columns without inline styles', () => {
  const table = html('a|b\n-|:-:\n1|2');
  expect(table).toContain('<th>a</th>\n<th align="center">b</th>');
  expect(table).toContain('<td>1</td>\n<td align="center">2</td>');
});

test.each([
  ['<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
  ['<b onclick="x">a</b>', '<p>&lt;b onclick=&quot;x&quot;&gt;a&lt;/b&gt;</p>'],
  ['<!-- a -->', '<p>&lt;!-- a --&gt;</p>'],
  ['[a]: https://example.com', '<p>[a]: <a href="https://example.com">https://example.com</a></p>'],
])('no typed text is lost or becomes HTML: %j', (content, expected) => expect(html(content)).toBe(expected));

test.each([
  ['[a](https://example.com "b")', '<a href="https://example.com" title="b">a</a>'],
  ['[a](mailto:ada@example.com)', '<a href="mailto:ada@example.com">a</a>'],
  ['[a](/user_uploads/1/x.txt)', '<a href="/user_uploads/1/x.txt">a</a>'],
  ['<https://example.com>', '<a href="https://example.com">https://example.com</a>'],
  ['see https://example.com/a_b_c.', 'see <a href="https://example.com/a_b_c">https://example.com/a_b_c</a>.'],
  ['https://a.example/?b="c"', '<a href="https://a.example/?b=%22c%22">https://a.example/?b=&quot;c&quot;</a>'],
  ['https://xn--e1a.example/%61', '<a href="https://xn--e1a.example/%61">https://xn--e1a.example/%61</a>'],
  ['![a](https://example.com/b)', '<a href="https://example.com/b">a</a>'],
  ['wow![a', 'wow![a'],
])('a link is only a URL: %s', (content, expected) => expect(html(content)).toBe(`<p>${expected}</p>`));

test.each([
  '[a](javascript:alert)',
  '[a](JaVaScRiPt:alert)',
  '[a](vbscript:x)',
  '[a](data:text/html,x)',
  '![a](data:image/png;base64,x)',
  '[a](/settings)',
  '[a](//example.com)',
  '[a](/user_uploads/../settings)',
  '[a](#b)',
  '[a]()',
  '![a]()',
  'javascript:alert',
  'ftp://example.com',
  '//example.com',
  'example.com',
  'ada@example.com',
])('any other URL stays text: %s', (content) => expect(html(content)).toBe(`<p>${content}</p>`));

test.each([
  '[a](java&#115;cript:x)',
  '[a](&#x6A;avascript:x)',
  '[a](java&Tab;script:x)',
  '<javascript:x>',
  '[a](\\javascript:x)',
])('a disguised URL stays text: %s', (content) => expect(html(content)).not.toContain('<a'));

const ada = '<span class="user-mention" data-user-id="7">@Ada Lovelace</span>';
test.each([
  ['@**Ada Lovelace**', ada],
  ['@**ada lovelace**', ada],
  ['@**Ada Lovelace|7**', ada],
  ['@**ada lovelace|7**', ada],
  ['@**|7**', ada],
  ['**@**Ada Lovelace** now**', `<strong>${ada} now</strong>`],
  ['@_**Ada Lovelace**', '<span class="user-mention silent" data-user-id="7">Ada Lovelace</span>'],
  ['@**Cleo**', '<span class="user-mention" data-user-id="11">@Cleo</span>'],
  ['@**Ben|9**', '<span class="user-mention" data-user-id="9">@Ben</span>'],
  ['@**Tom & <b**', '<span class="user-mention" data-user-id="12">@Tom &amp; &lt;b</span>'],
  ['@*ops*', '<span class="user-group-mention" data-user-group-id="3">@ops</span>'],
  ['@_*ops*', '<span class="user-group-mention silent" data-user-group-id="3">ops</span>'],
  ['@**all**', '<span class="user-mention" data-user-id="*">@all</span>'],
  ['@_**everyone**', '<span class="user-mention silent" data-user-id="*">everyone</span>'],
  ['@**topic**', '<span class="topic-mention">@topic</span>'],
  ['#**design**', '<a class="stream" data-stream-id="5" href="/#narrow/stream/5-Design">#Design</a>'],
  [
    '#**DESIGN>lunch?**',
    '<a class="stream-topic" data-stream-id="5" href="/#narrow/stream/5-Design/topic/lunch.3F">#Design &gt; lunch?</a>',
  ],
])('a known user or group is rendered as a mention: %s', (content, expected) =>
  expect(html(content)).toBe(`<p>${expected}</p>`),
);

test.each([
  '@**Nobody**',
  '@**Ben**',
  '@**ben**',
  '@**CLEO**',
  '@**Ada Lovelace|8**',
  '@**Ada|7**',
  '@**|99**',
  '@_**Nobody|7**',
  '@*Ops*',
  '@*nobody*',
  '#**secret**',
  '#**a*b**',
])('unknown or ambiguous names stay text as typed: %s', (content) => expect(html(content)).toBe(`<p>${content}</p>`));

test.each([
  ['@**Ada Lovelace** @**Ben|9** @**|7**', { mentioned_users: [7, 9] }],
  ['@**Ben|9** @**Ada Lovelace**', { mentioned_users: [7, 9] }],
  ['@*ops* @*ops*', { mentioned_groups: [3] }],
  ['@**stream**', { stream_wildcard: true }],
  ['@**topic**', { topic_wildcard: true }],
  ['> @**Ada Lovelace**', { mentioned_users: [7] }],
  ['a|b\n-|-\n@**all**|', { stream_wildcard: true }],
])('a mention sets its flag and no other: %j', (content, flags) =>
  expect(render(content, facts)).toMatchObject({
    mentioned_users: [],
    mentioned_groups: [],
    stream_wildcard: false,
    topic_wildcard: false,
    ...flags,
  }),
);

test.each([
  '@_**Ada Lovelace** @_*ops* @_**all** @_**topic**',
  '`@**Ada Lovelace** @*ops* @**all** @**topic**`',
  '```\n@**Ada Lovelace** @*ops* @**all** @**topic**\n```',
  '    @**Ada Lovelace** @*ops* @**all** @**topic**',
  '[@**Ada Lovelace** @*ops* @**all** @**topic**](https://example.com)',
  '\\@**Ada Lovelace** \\@*ops* \\@**all** \\@**topic**',
  'https://example.com/@**all**',
])('silent forms, code, links and escapes mention no user: %j', (content) => {
  expect(render(content, facts)).toMatchObject({ mentioned_users: [], mentioned_groups: [] });
  expect(render(content, facts)).toMatchObject({ stream_wildcard: false, topic_wildcard: false });
  expect(references(content)).toMatchObject({ stream_wildcard: false, topic_wildcard: false });
  expect(references(content).users.filter(({ silent }) => !silent)).toEqual([]);
});

test('references have each name once, as typed', () =>
  expect(
    references('@**Ada** @**Ada** @_**Ben|8** @**|7** @*ops* @_*Ops* #**a>b** #**a** #**A** @**all** `@**Eve**`'),
  ).toEqual({
    users: [
      { name: 'Ada', silent: false },
      { name: 'Ben', id: 8, silent: true },
      { name: '', id: 7, silent: false },
    ],
    groups: [
      { name: 'ops', silent: false },
      { name: 'Ops', silent: true },
    ],
    streams: ['a', 'A'],
    stream_wildcard: true,
    topic_wildcard: false,
  }));

const tada = '<span aria-label="tada" class="emoji emoji-1f389" role="img" title="tada">:tada:</span>';
test.each([
  [':tada:', tada],
  [
    ':working_on_it:',
    '<span aria-label="working on it" class="emoji emoji-1f6e0" role="img" title="working on it">:working_on_it:</span>',
  ],
  [':cat:', '<img class="emoji" alt=":cat:" title="cat" src="/emoji/cat.png">'],
  ['[:tada:](https://a.example)', `<a href="https://a.example">${tada}</a>`],
  [':nope: 10:30:45', ':nope: 10:30:45'],
  ['`:tada:` \\:tada:', '<code>:tada:</code> :tada:'],
  ['https://a.example/:tada:/', '<a href="https://a.example/:tada:/">https://a.example/:tada:/</a>'],
])('known emoji are rendered outside code and URLs: %s', (content, expected) =>
  expect(html(content)).toBe(`<p>${expected}</p>`),
);

test.each([
  ['see #12', 'see <a href="https://t.example/12">#12</a>'],
  ['*#12*', '<em><a href="https://t.example/12">#12</a></em>'],
  ['#1 :tada: #2', `<a href="https://t.example/1">#1</a> ${tada} <a href="https://t.example/2">#2</a>`],
  ['`#12` \\#12', '<code>#12</code> #12'],
  ['[#12](https://a.example)', '<a href="https://a.example">#12</a>'],
  ['https://a.example/#12', '<a href="https://a.example/#12">https://a.example/#12</a>'],
])('linkifiers work in text, not in code, links or after a backslash: %s', (content, expected) =>
  expect(html(content)).toBe(`<p>${expected}</p>`),
);

test.each([
  ['hello', {}],
  ['#**design** @**all** :cat:', {}],
  ['`https://example.com`', {}],
  ['[a](/settings) [a]()', {}],
  ['https://example.com', { has_link: true }],
  ['#12', { has_link: true }],
  ['![a](https://example.com/b)', { has_link: true, has_image: true }],
  ['https://example.com/b.png', { has_link: true, has_image: true }],
  ['[a](/user_uploads/1/b.txt)', { has_link: true, has_attachment: true }],
  ['[a](/user_uploads/1/b.png)', { has_link: true, has_image: true, has_attachment: true }],
])('flags for has:link, has:image and has:attachment of %j: %j', (content, flags) =>
  expect(render(content, facts)).toMatchObject({
    has_link: false,
    has_image: false,
    has_attachment: false,
    ...flags,
  }),
);

test.each([
  ['/me waves', true],
  ['/me *waves*\nand goes', true],
  ['/me waves\n\nand goes', false],
  ['/me waves\n- and goes', false],
  ['/me', false],
  ['/meow', false],
  [' /me waves', false],
  ['then /me waves', false],
])('a /me message begins with /me and is one paragraph: %j', (content, isMe) => {
  expect(render(content, facts).is_me_message).toBe(isMe);
  if (isMe) expect(html(content)).toContain('<p>/me ');
});

// shows: 2.4
test.each([
  ['', ''],
  ['   ', ''],
  ['All about **design**', '<p>All about <strong>design</strong></p>'],
  ['Ask @**Ada Lovelace**, not #**design**', '<p>Ask @**Ada Lovelace**, not #**design**</p>'],
])('a description is rendered without mentions: %j', (content, expected) =>
  expect(renderPlain(content)).toBe(expected),
);
