import { expect, test } from 'vitest';
import { collectFacts, render } from './markdown.ts';
import { texToHtml } from './tex.ts';

const html = (content: string) => render(content, collectFacts()).html;
/** With more time than any formula takes. */
const toHtml = (tex: string) => texToHtml(tex, false, { ms: 20_000 });
const source = (rendered: string) =>
  /<annotation encoding="application\/x-tex">(.*?)<\/annotation>/.exec(rendered)?.[1];

test.each([
  ['$$x^2$$', 'x^2'],
  ['so $$ x $$.', ' x '],
  ['($$x$$)', 'x'],
  ['*a $$b*c*d$$*', 'b*c*d'],
  ['$$a\\$b$$', 'a\\$b'],
  ['$$x<y$$', 'x&lt;y'],
  ['[$$x$$](https://a.example)', 'x'],
  ['- $$x$$', 'x'],
  ['> $$x$$', 'x'],
  ['a|b\n-|-\n$$x$$|', 'x'],
])('%j has an inline formula', (content, tex) => {
  expect(html(content)).toContain('<span class="katex"><span class="katex-mathml">');
  expect(html(content)).not.toContain('katex-display');
  expect(source(html(content))).toBe(tex);
});

test.each([
  '$$',
  '$$$$',
  '$x$',
  'a$$x$$',
  '$$x$$b',
  '$$$x$$$',
  '$$x\ny$$',
  '`$$x$$`',
  '```\n$$x$$\n```',
  '\\$$x$$',
  '5$ or $6$',
])('%j has no formula', (content) => expect(html(content)).not.toMatch(/katex|tex-error/));

test.each([
  ['```math\nx^2\n```', ['x^2']],
  ['~~~ math\nx\n~~~', ['x']],
  ['```math\nx\n\n\ny\n```', ['x', 'y']],
  ['- ```math\n  x\n  ```', ['x']],
  ['> ```math\n> x\n> ```', ['x']],
  ['```quote\n```math\nx\n```\n```', ['x']],
])('%j has display formulas', (content, formulas) => {
  const found = html(content).split('<p><span class="katex-display"><span class="katex">').slice(1);
  expect(found.map(source)).toEqual(formulas);
});

test.each([
  ['$$\\frac{a$$', '<p><span class="tex-error">$$\\frac{a$$</span></p>'],
  ['$$<b>}$$', '<p><span class="tex-error">$$&lt;b&gt;}$$</span></p>'],
  ['$$\\nothing$$', '<p><span class="tex-error">$$\\nothing$$</span></p>'],
  [
    '```math\n}\n\n<b>}\n```',
    '<p><span class="tex-error">}</span></p>\n<p><span class="tex-error">&lt;b&gt;}</span></p>',
  ],
])('invalid TeX is shown as typed: %j', (content, expected) => expect(html(content)).toBe(expected));

test.each([
  '\\href{https://a.example}{x}',
  '\\url{https://a.example}',
  '\\includegraphics{https://a.example/b.png}',
  '\\htmlClass{a}{x}',
])('a formula has no links, pictures or HTML: %s', (tex) =>
  expect(toHtml(tex) ?? '').not.toMatch(/<a |<img|class="a"/),
);

test.each([
  ['long', 'x'.repeat(3001)],
  ['deep without an end', '{'.repeat(3000)],
  ['deep', `${'{'.repeat(1400)}x${'}'.repeat(1400)}`],
  ['deep in what is shown', `${'\\sqrt{'.repeat(100)}x${'}'.repeat(100)}`],
  ['long for one with a macro', `\\def\\a{x}${'x'.repeat(500)}`],
  ['a macro without an end', '\\def\\a{\\a}\\a'],
  ['a macro of itself twice', `\\def\\a{xx}${'\\edef\\a{\\a\\a}'.repeat(28)}\\a`],
  ['a long formula with a macro', `\\def\\a{${'x'.repeat(300)}}${'\\a'.repeat(110)}`],
  ['very many macros of KaTeX', '\\iff'.repeat(700)],
])('rendering of a formula that is too expensive is aborted: %s', (_case, tex) => {
  expect(toHtml(tex)).toBeUndefined();
  expect(html(`$$${tex}$$`)).toContain('class="tex-error"');
});

test('a macro is defined in its own formula only', () => {
  expect(toHtml('\\def\\soup{x^2}\\soup')).toContain('<msup>');
  expect(toHtml('\\gdef\\soup{x^2}\\soup')).toContain('<msup>');
  expect(toHtml('\\soup')).toBeUndefined();
});

test('sizes are limited', () => {
  expect(toHtml('\\rule{9999em}{9999em}')).toMatch(/border-right-width:50em;border-top-width:50em;/);
});

test('without time left no formula is rendered', () => expect(texToHtml('x', false, { ms: 0 })).toBeUndefined());
