import ts from 'typescript';
import { expect, test } from 'vitest';
import { readFiles } from './read-files.ts';

/** Views of PostgreSQL that have rows of all databases of a server. */
const VIEW = /\bpg_(locks|stat_activity)\b/;
const ITS_OWN = /\b(datname|database|usename)\b|\bpid = \$/;

/** The statements in a module that read such a view of all databases. */
function findStatements(path: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (!ts.isTemplateLiteral(node) && !ts.isStringLiteral(node)) {
      ts.forEachChild(node, visit);
      return;
    }
    const statement = node.getText();
    if (VIEW.test(statement) && /\bfrom\b/.test(statement) && !ITS_OWN.test(statement))
      found.push(`${path}: ${statement}`);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return found;
}

test('no statement reads locks and sessions of other databases: others use the same server, as tests do', () => {
  const sources = readFiles('packages/*.ts', 'bench/*.ts', 'scripts/*.ts', ':!scripts/other-databases.test.ts');
  expect(sources.flatMap(({ path, text }) => findStatements(path, text))).toEqual([]);
});

test.each([
  ['sql`select from pg_locks where not granted`', 1],
  ["sql`select from pg_stat_activity where state = 'active' and pid <> pg_backend_pid()`", 1],
  ['sql`select from pg_stat_activity where datname = current_database()`', 0],
  ["'the view pg_locks'", 0],
])('finds %s: %i', (text, count) => {
  expect(findStatements('a.ts', text)).toHaveLength(count);
});
