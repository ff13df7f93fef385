import { expect, test } from 'vitest';
import { highlightCode, languageLabel } from './code.ts';
import { languages } from './code-languages.ts';
import { collectFacts, render } from './markdown.ts';

const html = (content: string, code_language = '') => render(content, collectFacts({ code_language })).html;
const block = (inside: string, language?: string) =>
  `<div class="codehilite"${language ? ` data-code-language="${language}"` : ''}><pre><span></span><code>${inside}\n</code></pre></div>`;

test.each([
  [
    '```python\ndef f(): return "a" # 1\n```',
    block(
      '<span class="k">def</span> <span class="nf">f</span>(): <span class="k">return</span> <span class="s">&quot;a&quot;</span> <span class="c"># 1</span>',
      'Python',
    ),
  ],
  [
    "~~~ js\nlet a = '<b>';\n~~~",
    block('<span class="k">let</span> a = <span class="s">\'&lt;b&gt;\'</span>;', 'JavaScript'),
  ],
  ['```JSON\n1\n```', block('<span class="m">1</span>', 'JSON')],
  ['```gruel\na < b\n```', block('a &lt; b', 'gruel')],
  ['```a"><b>\nx\n```', block('x', 'a&quot;&gt;&lt;b&gt;')],
  ['```constructor\nx\n```', block('x', 'constructor')],
  ['```text\nlet\n```', block('let', 'Text only')],
  ['```\na <b>\n```', block('a &lt;b&gt;')],
  ['    a', block('a')],
  ['- ```js\n  1\n  ```', `<ul>\n<li>\n${block('<span class="m">1</span>', 'JavaScript')}\n</li>\n</ul>`],
  ['> ```js\n> 1\n> ```', `<blockquote>\n${block('<span class="m">1</span>', 'JavaScript')}\n</blockquote>`],
])('%j is code with the classes of its tokens', (content, expected) => expect(html(content)).toBe(expected));

test('a code block without a language has that of the organization, other code has none', () => {
  const rendered = html('```\na\n```\n```js\nb\n```\n`d`\n\n    e', 'python');
  expect(rendered.match(/data-code-language="\w+"/g)).toEqual([
    'data-code-language="Python"',
    'data-code-language="JavaScript"',
  ]);
});

test.each([
  ['py', 'Python'],
  ['Python', 'Python'],
  ['c++', 'C++'],
  ['C#', 'C#'],
  ['html', 'HTML'],
  ['xml', 'XML'],
  ['sh', 'Bash'],
  ['console', 'Bash Session'],
  ['rs', 'Rust'],
  ['ts', 'TypeScript'],
  ['gruel', 'gruel'],
])('clients name the language %s %s', (typed, label) => expect(languageLabel(typed)).toBe(label));

test.each(languages)('%s is highlighted, without losing a character', (language) => {
  const code = 'function f(a) { return "<b>" + 1; } # a\n@a {b} `c` /* d */ -- e';
  const highlighted = highlightCode(code, language, { ms: 60_000 }, 60_000);
  if (language === 'plaintext') return expect(highlighted).toBeUndefined();
  const shown = highlighted?.replace(/<[^>]*>/g, '');
  expect(shown).toBe('function f(a) { return &quot;&lt;b&gt;&quot; + 1; } # a\n@a {b} `c` /* d */ -- e');
  expect(highlighted?.match(/class="[^"]*"/g) ?? []).toSatisfy((all: string[]) =>
    all.every((one) => /^class="[a-z]{1,3}"$/.test(one)),
  );
});

test('code with very long lines, and code beyond the limit of time, has no classes', () => {
  expect(highlightCode('1', 'js', { ms: 5000 })).toBe('<span class="m">1</span>');
  expect(highlightCode(`${'1 '.repeat(250)}1`, 'js', { ms: 5000 })).toBeUndefined();
  expect(highlightCode('1', 'js', { ms: 0 })).toBeUndefined();
});
