// Common searches find the right page in the index.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import tables from '../../../packages/server/generated/reference-tables.json' with { type: 'json' };
import { site } from '../src/document.ts';
import { variableLines } from '../src/model/reference-tables.ts';
import { createSearch } from '../src/model/search.ts';
import { guideEntry, referenceEntries } from '../src/model/search-index.ts';

const folder = new URL('../src/content/docs/guides/', import.meta.url);
const behaviour = new URL('../../../docs/behaviour/', import.meta.url);
const pagesIn = (pages: URL, under: string) =>
  readdirSync(pages).map((file) => {
    const [, head = '', body = ''] = readFileSync(new URL(file, pages), 'utf8').split(/^---$/m);
    const said = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1] ?? '';
    const url = `/docs/${under}/${file.replace(/\.mdx?$/, '')}/`;
    return { title: said('title'), description: said('description'), body, url };
  });
const guides = [...pagesIn(folder, 'guides'), ...pagesIn(behaviour, 'behaviour')];
const entries = [
  ...guides.map((guide) =>
    guideEntry({ ...guide, body: guide.body.replace('<VariableTable />', variableLines(tables.variables)) }),
  ),
  ...referenceEntries(site),
];
const search = createSearch(entries);
const found = (query: string) => search(query).map(({ url }) => url);

test.each([
  ['POST /messages', '/docs/reference/sendMessage/'],
  ['post /api/v1/messages', '/docs/reference/sendMessage/'],
  ['/users/me', '/docs/reference/getOwnUser/'],
  ['sendMessage', '/docs/reference/sendMessage/'],
  ['429', '/docs/errors/RATE_LIMIT_HIT/'],
  ['BAD_NARROW', '/docs/errors/BAD_NARROW/'],
  ['PARLEY_MAIL', '/docs/guides/operating/'],
  ['DATABASE_URL', '/docs/guides/operating/'],
  ['metrics', '/docs/guides/operating/'],
  ['createTypingNotifier', '/docs/guides/typing/'],
  ['who can post', '/docs/behaviour/streams/'],
  ['time limit of moves', '/docs/behaviour/messages/'],
  ['CORS', '/docs/guides/web-pages/'],
  ['cross-origin', '/docs/guides/web-pages/'],
  ['python', '/docs/guides/python/'],
  ['sendmesage', '/docs/reference/sendMessage/'],
  ['send mess', '/docs/reference/sendMessage/'],
])('"%s" finds %s first', (query, url) => expect(found(query)[0]).toBe(url));

test('a path finds all its operations, and a status all its codes', () => {
  expect(found('/api/v1/messages').slice(0, 2).toSorted()).toEqual([
    '/docs/reference/getMessages/',
    '/docs/reference/sendMessage/',
  ]);
  const codes = site.errors.filter(({ status }) => status === 401).map(({ code }) => `/docs/errors/${code}/`);
  expect(found('401').slice(0, codes.length).toSorted()).toEqual(codes.toSorted());
});

test('the size of the index is limited', () => {
  expect(gzipSync(JSON.stringify(entries)).length).toBeLessThan(250 * 1024);
});
