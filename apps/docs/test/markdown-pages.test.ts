// Objects, changes by level, and the Markdown pages.
import { describe, expect, test } from 'vitest';
import { site } from '../src/document.ts';
import { parseGlossary } from '../src/model/glossary.ts';
import * as markdownPages from '../src/model/markdown-pages.ts';
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
  expect(markdownPages.renderChangelog({ ...siteOf(small), levels })).toMatch(
    /## Level 5[\s\S]*## Level 3\n\n- Edit a note: New\./,
  );
});

describe('the Markdown page', () => {
  test('of a page has its address with another suffix', () => {
    expect(markdownUrl('/docs/')).toBe('/docs/index.md');
    expect(markdownUrl('/docs/guides/errors/')).toBe('/docs/guides/errors.md');
    expect(markdownUrl('/docs/404.html')).toBe('/docs/404.md');
  });

  test.each(site.operations.map((page) => [page.id, page] as const))(
    'of %s has all the content of the page',
    (_, page) => {
      const text = markdownPages.renderOperation(page);
      for (const { fields } of page.parameters) for (const { name } of fields) expect(text).toContain(`- \`${name}\``);
      for (const { code } of page.samples) expect(text).toContain(code);
      for (const { code, reasons } of page.errors) {
        expect(text).toContain(`### ${code}`);
        for (const reason of reasons) expect(text).toContain(`\`${reason}\``);
      }
      expect(text).toContain(page.description);
    },
  );

  test('of an error has its reproduction and how to catch it', () => {
    const page = site.errors.find(({ code }) => code === 'BAD_NARROW');
    if (!page) throw new Error('The page is missing');
    const text = markdownPages.renderError(page);
    expect(text).toContain('## Catch it\n\n```ts\n');
    expect(text).toContain("error.body.code !== 'BAD_NARROW'");
  });

  test('of a guide keeps its code, and has the tables of the page', () => {
    const body =
      "import X from 'x';\n\nText.\n\n```ts\nimport { a } from 'b';\n```\n\n<ErrorTable />\n\n<Benchmarks />\n";
    const text = markdownPages.renderGuide(site, { title: 'Title', description: 'About.', body, url: '/docs/x/' });
    expect(text).toContain("# Title\n\nAbout.\n\nText.\n\n```ts\nimport { a } from 'b';\n```");
    expect(text).toContain('- [BAD_REQUEST](/docs/errors/BAD_REQUEST.md)');
    expect(text).toContain('This part is on [the page](/docs/x/).');
    expect(text).not.toContain("from 'x'");
  });

  test('of the first page has its text and its links', () => {
    const body = '<div class="lead">\n  A server.\n</div>\n\n<ReaderGroups />\n';
    const text = markdownPages.renderGuide(site, { title: 'Parley', description: 'About.', body, url: '/docs/' });
    expect(text).toContain('# Parley\n\nAbout.\n\nA server.\n\n## You run a server');
    expect(text).toContain('- [Quickstart](/docs/quickstart.md)');
    expect(text).not.toMatch(/<div|This part is on/);
  });

  test('of a page of results has the results', () => {
    const row = { name: 'send', compared: 'few against many', result: '1.01 times', bar: 'at most 1.10 times' };
    const [cpu, memory, system, node, postgres, settings] = ['Chip', '8 GiB', 'linux 6', 'v22.1.0', '17.2', 'fsync on'];
    const tables = markdownPages.renderGuideTables({
      results: {
        date: '2030-01-02T03:04:05Z',
        scale: 1,
        machine: { cpus: 2, cpu, memory, system, node, postgres, settings },
        rows: [{ ...row, held: true, figures: { 'ms, few': 12 } }],
      },
      variables: [
        { name: 'SALT', default: 'none', about: 'How much.' },
        { name: 'PEPPER', about: 'Or not.' },
      ],
      collectionLimits: [{ name: 'soups', default: 5, per: 'account', counts: 'bowls of soup', room: 'Eat one.' }],
      requestLimits: [
        { what: 'Spoons', default: '2 at once', setting: 'SPOONS', code: 'BAD_REQUEST' },
        { what: 'Salt', default: '1 g' },
      ],
      glossary: parseGlossary(
        '# Words\n\n## Soup\n\n| Term | Meaning | Do not use |\n|---|---|---|\n| bowl | Holds `soup`. | cup |\n| ladle | Serves. | |\n',
      ),
      sections: [
        {
          section: '1.1',
          title: 'Soup',
          statements: [{ id: '1.1.1', says: 'It is hot.', shown_by: [['a.test.ts', 'hot']] }],
        },
      ],
    });
    const body =
      '<Benchmarks />\n\n<Statements />\n\n<Glossary />\n\n<VariableTable />\n\n<CollectionLimitTable />\n\n<RequestLimitTable />\n';
    const text = markdownPages.renderGuide(site, { title: 'Results', description: '', body, url: '/docs/x/' }, tables);
    expect(text).toContain('1 of 1 bars held. Measured on 2030-01-02 on 2 × Chip');
    expect(text).toContain('- `send` few against many: **1.01 times** (bar: at most 1.10 times, held). ms, few: 12');
    expect(text).toContain('- `SALT` (default `none`): How much.\n- `PEPPER` (no default): Or not.');
    expect(text).toContain('- `soups` (default 5, per account): bowls of soup. To make room: Eat one.');
    expect(text).toContain('- Spoons: 2 at once. Changed with `SPOONS`. A client gets `BAD_REQUEST`.\n- Salt: 1 g.');
    expect(text).toContain('## Soup\n\n- bowl: Holds `soup`. Do not use: cup.\n- ladle: Serves.');
    expect(text).toContain('1 statements, shown by 1 tests.\n\n## 1.1 Soup\n\n- 1.1.1 It is hot.\n  - `a` hot');
  });

  test.each([
    ['[a](streams.md#who-can-post)', '[a](/docs/behaviour/streams.md#who-can-post)'],
    ['[a](index.md)', '[a](/docs/behaviour.md)'],
    ['[a](/docs/guides/limits/)', '[a](/docs/guides/limits/)'],
  ])('links the files of the behaviour reference at their addresses: %s', (body, linked) => {
    const page = { title: 'Rules', description: '', body, url: '/docs/behaviour/' };
    expect(markdownPages.renderGuide(site, page)).toContain(linked);
  });

  test('of each page is listed for programs that look for it', () => {
    const text = markdownPages.renderLlmsTxt(site, [{ title: 'A guide', url: '/docs/a/', description: 'About.' }]);
    expect(text).toContain('- [A guide](/docs/a.md): About.');
    for (const { id } of site.operations) expect(text).toContain(`(/docs/reference/${id}.md)`);
  });
});
