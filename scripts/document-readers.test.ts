import { expect, test } from 'vitest';
import { findDocumentReaders } from './document-readers.ts';
import { readFiles } from './read-files.ts';

test('only @parley/openapi/document follows references of the document', () => {
  expect(findDocumentReaders(readFiles('*.ts', '*.mjs', '*.astro', ':!openapi/released'))).toEqual([]);
});

test.each([
  ['a property', 'const name = node.$ref.slice(2);'],
  ['an optional property', 'if (node?.$ref === undefined) walk(node);'],
  ['a key', "const name = node['$ref'];"],
  ['a name in a pattern', 'const { $ref, ...beside } = node;'],
  ['another name in a pattern', "const resolve = ({ '$ref': name }) => at(name);"],
])('reading a reference is found: %s', (_case, text) => {
  const problem = 'scripts/new.mjs:2: use `@parley/openapi/document` instead of reading $ref.';
  expect(findDocumentReaders([{ path: 'scripts/new.mjs', text: `\n${text}` }])).toEqual([problem]);
});

test('reading a reference in a component of the pages is found', () => {
  const text = '---\nconst name = node.$ref;\n---\n<p>{name}</p>\n';
  expect(findDocumentReaders([{ path: 'apps/docs/src/components/New.astro', text }])).toHaveLength(1);
});

test.each([
  ['writing one', 'scripts/new.ts', "const schema = { $ref: '#/components/schemas/Soup' };"],
  ['the reader', 'openapi/src/document/resolve.ts', 'const name = node.$ref;'],
  ['a test, which breaks documents', 'openapi/scripts/changes.test.ts', 'const name = node.$ref;'],
])('%s is no problem', (_case, path, text) => {
  expect(findDocumentReaders([{ path, text }])).toEqual([]);
});
