// Objects, changes by level, and the Markdown pages.
import { describe, expect, test } from 'vitest';
import { htmlToMarkdown } from '../src/build/html-to-markdown.ts';
import { findMarkdownProblems } from '../src/build/page-problems.ts';
import { toMarkdownLink } from '../src/build/prepare-for-markdown.ts';
import { site } from '../src/document.ts';
import { toSiteUrl } from '../src/model/behaviour.ts';
import { renderLlmsTxt } from '../src/model/llms.ts';
import { siteOf } from '../src/model/site.ts';
import { markdownUrl } from '../src/model/urls.ts';
import { small } from './document.ts';

test('an object with a name has a page, which lists where it is used; errors, events and envelopes have none here', () => {
  const { objects } = siteOf(small);
  expect(objects.map(({ name }) => name)).toEqual(['Label']);
  expect(objects[0]).toMatchObject({
    fields: [{ name: 'name' }, { name: 'hidden' }],
    operations: [{ id: 'editNote' }],
  });
});

test('a field names its object, in lists and unions too', () => {
  const labels = siteOf(small).operations[1]?.parameters[1]?.fields[1];
  expect(labels).toMatchObject({ name: 'labels', object: 'Label' });
  const names = new Set(site.objects.map(({ name }) => name));
  for (const { fields } of site.objects) for (const { object } of fields) if (object) expect(names).toContain(object);
});

test('changes are collected by level, newest first, with links to where they apply', () => {
  const doc = structuredClone(small);
  const operation = doc.paths['/notes/{note_id}']?.patch;
  if (operation) operation['x-changes'] = [{ level: 3, kind: 'added', text: 'New.' }];
  const label = doc.components.schemas.Label?.properties?.hidden;
  if (label) label['x-changes'] = [{ level: 5, kind: 'added', text: 'Labels can be hidden.' }];
  doc.info['x-changes'] = [{ level: 4, kind: 'removed', text: '`dropNote` is no more.' }];
  const { levels } = siteOf(doc);
  expect(levels.map(({ level }) => level)).toEqual([5, 4, 3]);
  expect(levels[1]?.changes).toEqual([expect.objectContaining({ where: 'The API', text: '`dropNote` is no more.' })]);
  expect(levels[0]?.changes).toContainEqual({
    where: 'Label: hidden',
    url: '/docs/objects/Label/',
    text: 'Labels can be hidden.',
  });
  expect(levels[2]?.changes).toContainEqual(expect.objectContaining({ where: 'Edit a note', text: 'New.' }));
});

/** A page as the build writes it, with this content. */
const pageOf = (content: string, description = 'About.') =>
  `<html><head><meta name="description" content="${description}"/></head><body><nav><h1>Navigation</h1></nav>
  <main><h1 id="_top">Title</h1><div class="sl-markdown-content">${content}</div><footer>Next</footer></main></body></html>`;

describe('the Markdown page', () => {
  test('of a page has its address with another suffix', () => {
    expect(markdownUrl('/docs/')).toBe('/docs/index.md');
    expect(markdownUrl('/docs/guides/errors/')).toBe('/docs/guides/errors.md');
    expect(markdownUrl('/docs/404.html')).toBe('/docs/404.md');
  });

  test('has the title, the description and the content, and nothing from around them', () => {
    expect(htmlToMarkdown(pageOf('<p>Text.</p>'))).toBe('# Title\n\nAbout.\n\nText.\n');
    expect(htmlToMarkdown(pageOf('<p>Text.</p>', 'Tom &amp; Jerry.'))).toContain('# Title\n\nTom & Jerry.\n\n');
  });

  test('does not repeat a description that the content has, with its marks as HTML', () => {
    const content = '<p>See <a href="/docs/a/"><code>a</code></a>\n  and <strong>b</strong>.</p>';
    const text = htmlToMarkdown(pageOf(content, 'See `a` and **b**.'));
    expect(text).toBe('# Title\n\nSee [`a`](/docs/a.md) and **b**.\n');
  });

  test.each(['const a = `b`;', '{\n  "a": 1\n}', 'a\n```\nb\n```', 'data: 1\n\n: heartbeat\n', '  <a>\n\tb &amp;'])(
    'has code as it is, in its language, without the tokens: %j',
    (code) => {
      const html = code
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replace(/\w+/, '<span class="t-name">$&</span>');
      const content = `<div class="code"><pre tabindex="0"><code class="language-ts">${html}</code></pre></div>`;
      const fence = code.includes('```') ? '````' : '```';
      expect(htmlToMarkdown(pageOf(content))).toBe(`# Title\n\nAbout.\n\n${fence}ts\n${code}\n${fence}\n`);
    },
  );

  test('has fields as a list, with their types, values and the fields inside', () => {
    const content = `<dl class="fields"> <div class="field"> <dt> <code class="name">a_<wbr>b</code>
      <span class="type"> object <a href="/docs/objects/A/">A</a> </span> <span class="required">required</span> </dt>
      <dd> <p>The <em>first</em>.</p> <p class="values"> <span>One of</span> <code>x</code><code>y</code> </p>
      <ul><li>Level 3 New.</li></ul>
      <details><summary data-markdown="omit">Fields inside (1)</summary>
      <dl><div><dt><code>c</code> <span> string </span></dt><dd></dd></div></dl></details></dd> </div></dl>`;
    expect(htmlToMarkdown(pageOf(content))).toContain(
      [
        '- `a_b` (object [A](/docs/objects/A.md), required): The *first*. One of `x`, `y`.',
        '  - Level 3 New.',
        '  * `c` (string)\n',
      ].join('\n'),
    );
  });

  test('has who may call an operation as a list', () => {
    const content = '<dl> <div> <dt><span>May</span></dt> <dd> <span>owner</span><span>guest</span> </dd> </div></dl>';
    expect(htmlToMarkdown(pageOf(content))).toContain('- May: owner, guest\n');
  });

  test('has the errors of an operation below headings', () => {
    const content = `<details><summary data-markdown="h3"> <span>400</span> <code>BAD_REQUEST</code> </summary>
      <p>It fails.</p></details>`;
    expect(htmlToMarkdown(pageOf(content))).toContain('### 400 `BAD_REQUEST`\n\nIt fails.\n');
  });

  test('has tables, with abbreviations in full and the paragraphs of a cell in one line', () => {
    const content = `<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr>
      <td><abbr title="BAD_REQUEST">1</abbr> or a|b</td><td><p> one </p><p>two</p></td></tr></tbody></table>`;
    expect(htmlToMarkdown(pageOf(content))).toContain('| A | B |\n| - | - |\n| BAD_REQUEST or a\\|b | one; two |\n');
  });

  test('omits what is useful only in a browser', () => {
    const content = `<h2 id="a">A</h2><a class="sl-anchor-link" href="#a">Section titled A</a><script>1</script>
      <section class="console"><button>Try it here</button></section><svg><text>drawn</text></svg>
      <fieldset><legend>Language</legend><input type="radio" checked/><label>curl</label><p>sample</p></fieldset>
      <span aria-hidden="true">400</span>`;
    expect(htmlToMarkdown(pageOf(content))).toBe('# Title\n\nAbout.\n\n## A\n\nsample\n');
  });

  test('marks text that is neither Markdown nor HTML', () => {
    expect(htmlToMarkdown(pageOf('<p>1 * 2 * 3, [a](b), &lt;b&gt;</p>'))).toContain('1 \\* 2 \\* 3, \\[a]\\(b), \\<b>');
  });

  test('cannot be made of a page without content', () => {
    expect(() => htmlToMarkdown('<main><h1>Title</h1></main>')).toThrow('no content');
  });

  test.each([
    ['/docs/', '/docs/index.md'],
    ['/docs/guides/limits/#collections', '/docs/guides/limits.md#collections'],
    ['/docs/404.html', '/docs/404.md'],
    ['#collections', '#collections'],
    ['/docs/theme.js', '/docs/theme.js'],
    ['/openapi.json', '/openapi.json'],
    ['https://example.com/docs/', 'https://example.com/docs/'],
  ])('links Markdown pages: %s', (href, link) => {
    expect(toMarkdownLink(href)).toBe(link);
  });

  test.each([
    ['streams.md#who-can-post', '/docs/behaviour/streams.md#who-can-post'],
    ['index.md', '/docs/behaviour.md'],
    ['/docs/guides/limits/', '/docs/guides/limits.md'],
  ])('links the files of the behaviour reference at their addresses: %s', (href, link) => {
    expect(toMarkdownLink(toSiteUrl(href))).toBe(link);
  });

  test('of each page is listed for programs that look for it', () => {
    const text = renderLlmsTxt(site, [{ title: 'A guide', url: '/docs/a/', description: 'About.' }]);
    expect(text).toContain('- [A guide](/docs/a.md): About.');
    for (const { id } of site.operations) expect(text).toContain(`(/docs/reference/${id}.md)`);
  });
});

describe('the check of the Markdown pages', () => {
  const problems = (text: string) =>
    findMarkdownProblems(new Map([['/docs/a.md', text]]), (path) => path === '/docs/b.md');

  test.each(['[b](/docs/c.md)', '[b](/docs/b/)', '[b](/docs/b.html)', '[b](b.md)', 'a <br> b', '</div>'])(
    'finds %s',
    (text) => {
      expect(problems(text)).toHaveLength(1);
    },
  );

  test('finds no problem in links to files and other servers, in code, and in escaped text', () => {
    const code = '`<a>`, `` `<b>` ``, \\<c>\n\n- d\n\n  ````html\n  <e>\n  ```\n  [f](/docs/f/)\n  ````\n';
    expect(problems(`[b](/docs/b.md#c) [c](#c) [d](https://example.com/) [e](/openapi.json)\n${code}`)).toEqual([]);
  });
});
