// Writes the statements of the specification, with the tests that show each, for the page "Specification coverage" of
// the documentation.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { readStatements } from './statements.ts';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const listFiles = (pattern: string): string[] =>
  globSync(pattern, { cwd: root, ignore: ['**/node_modules/**', '**/dist/**'] }).sort();

const paths = ['packages/**/*.test.ts', 'apps/docs/test/**/*.test.ts'].flatMap(listFiles);
const sections = readStatements(
  read('docs/statements.md'),
  paths.map((path) => ({ path, text: read(path) })),
);
mkdirSync(new URL('docs/generated/', root), { recursive: true });
writeFileSync(new URL('docs/generated/statements.json', root), `${JSON.stringify(sections, null, 1)}\n`);
