// The built pages at /docs as Markdown: each page has one, with all its content, and with its code as it is.
import { readdirSync, readFileSync } from 'node:fs';
import { readDocument } from '@parley/openapi';
import { describe, expect, test } from 'vitest';
import type { Field } from '../../../../apps/docs/src/model/fields.ts';
import { siteOf } from '../../../../apps/docs/src/model/site.ts';
import { markdownUrl } from '../../../../apps/docs/src/model/urls.ts';

const PAGES = new URL('../../../../apps/docs/dist/', import.meta.url);
const site = siteOf(readDocument());
const read = (name: string) => readFileSync(new URL(name, PAGES), 'utf8');
const listFiles = (suffix: string) =>
  readdirSync(PAGES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(suffix));
const markdownNameOf = (page: string) => markdownUrl(`/docs/${page}`).slice('/docs/'.length);

/** Code in a fence, which can be part of a list item. */
const FENCE = /^( *)(`{3,})([^`\n]*)\n(.*?)\n?^\1\2$/gms;
const CHARACTERS: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#x3C': '<',
  '#x26': '&',
};

const codeOfMarkdown = (text: string) =>
  [...text.matchAll(FENCE)].map(([, indent = '', , language = '', code = '']) => ({
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));

const codeOfHtml = (html: string) =>
  [...html.matchAll(/<pre\b[^>]*><code(?: class="language-(\w+)")?[^>]*>(.*?)<\/code><\/pre>/gs)].map(
    ([, language = '', code = '']) => ({
      language,
      code: code
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/&(#?\w+);/g, (entity, name: string) => CHARACTERS[name] ?? entity),
    }),
  );

const withoutCode = (text: string) =>
  text.replaceAll(FENCE, '').replaceAll(/(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)/gs, '');

/** Text without the marks of Markdown. */
const plain = (text: string) =>
  text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*\\]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

const namesOf = (fields: readonly Field[]): string[] =>
  fields.flatMap(({ name, fields: inside }) => [name, ...namesOf(inside)]);

describe('the pages as Markdown', () => {
  const pages = listFiles('.html');

  test('are as many as the pages', () => {
    expect(pages.length).toBeGreaterThan(250);
    expect(pages.map(markdownNameOf).toSorted()).toEqual(listFiles('.md').toSorted());
  });

  test.each(pages)('begin with the title of %s, and have its code and no HTML', (page) => {
    const [html, text] = [read(page), read(markdownNameOf(page))];
    expect(text).toMatch(/^# \S.*\n\n\S/);
    expect(codeOfMarkdown(text)).toEqual(codeOfHtml(html));
    expect(html.split('<pre').length - 1).toBe(codeOfHtml(html).length);
    expect(withoutCode(text).match(/(?<!\\)<\/?[a-z][^>]*>/gi)).toBeNull();
  });

  test.each(site.operations.map((page) => [page.id, page] as const))('have all that %s has', (id, page) => {
    const text = read(`reference/${id}.md`);
    for (const { fields } of page.parameters)
      for (const name of namesOf(fields)) expect(text).toContain(`- \`${name}\``);
    for (const name of namesOf(page.response.fields)) expect(text).toContain(`- \`${name}\``);
    for (const { code } of page.samples) expect(text).toContain(code);
    for (const { json } of page.response.examples) expect(text).toContain(json);
    for (const { status, code, reasons, example } of page.errors) {
      expect(text).toContain(`### ${status} \`${code}\`\n`);
      for (const reason of reasons) expect(text).toContain(`\`${reason}\``);
      expect(text).toContain(example.json);
    }
    expect(plain(text)).toContain(plain(page.description));
    expect(text).toContain(`\`/api/v1${page.path}\``);
  });

  test('have the reproduction of an error, and how to catch it', () => {
    const text = read('errors/BAD_NARROW.md');
    expect(text).toContain('1. Hamlet: [Register an event queue](/docs/reference/registerQueue.md) `POST /register`');
    expect(text).toContain('## Handle it\n\n```ts\n');
    expect(text).toContain("error.body.code !== 'BAD_NARROW'");
  });

  test('have the variants of an event, with the fields inside of fields', () => {
    const text = read('events/typing.md');
    expect(text).toContain('## op start, stop (stream)\n');
    expect(text).toMatch(
      /- `sender` \(object \[TypingPerson\]\(\/docs\/objects\/TypingPerson\.md\)\): .*\n {2}- `user_id`/,
    );
  });

  test('have the tables that components make', () => {
    expect(read('guides/errors.md')).toContain('\n| [`BAD_REQUEST`](/docs/errors/BAD_REQUEST.md) | 400 | ');
    expect(read('guides/tokens.md')).toContain('### `read`\n');
    expect(read('guides/tokens.md')).toContain('- [`GET /messages`](/docs/reference/getMessages.md)');
    expect(read('guides/operating.md')).toContain('| Variable | Default | Meaning |\n| - | - | - |\n');
    expect(read('guides/limits.md')).toContain('\n| `drafts` | 1,000 | account | drafts | Delete a draft. |\n');
    expect(read('guides/benchmarks.md')).toMatch(/\d+ of \d+ thresholds were met\. Measured on /);
    expect(read('guides/benchmarks.md')).toMatch(
      /\n\| `send` time of a send: .*\(ms, few: .*\) \| .* \*\*met\*\* \|\n/,
    );
    expect(read('statements.md')).toMatch(/\d+ statements, which \d+ tests verify\.\n\n## 1 /);
    expect(read('statements.md')).toMatch(/\n\| 1\.1 .* \| `test\/contract` .*; `test\/roles` .* \|\n/);
    expect(read('glossary.md')).toContain('| Term | Meaning | Do not use |\n| - | - | - |\n');
    expect(read('reference/permissions.md')).toMatch(
      /\| \[Register an application\]\(.*\) \| ✓ \| ✓ \| UNAUTHORIZED_PRINCIPAL \|/,
    );
  });

  test('have the text and the links of the first page', () => {
    const text = read('index.md');
    expect(text).toMatch(/^# Parley\n\nA team messaging server .*\n\nParley is /);
    expect(text).toContain('\n## You run a server\n');
    expect(text).toContain('- [Quickstart](/docs/quickstart.md)\n');
    expect(text).toContain('\n- [**Drafts** Unsent messages');
  });

  test('are listed in llms.txt, but for those that are lists themselves', () => {
    const listed = [...read('llms.txt').matchAll(/\]\(\/docs\/([^)]*)\)/g)].map(([, name = '']) => name);
    const lists = ['reference', 'reference/permissions', 'changelog', 'objects', 'events', 'errors', 'guides', '404'];
    expect([...listed, ...lists.map((name) => `${name}.md`)].toSorted()).toEqual(listFiles('.md').toSorted());
  });
});
