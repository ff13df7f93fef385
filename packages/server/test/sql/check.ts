// Compares the rows of all hand-written statements that the tests ran with the types that the sources declare. `scripts/test.mjs` runs it
// with the folders in which the tests recorded statements, and with `--all` after a run of all tests: then each call of `rows` was seen.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { snapshotFile } from '@parley/db';
import { globSync } from 'tinyglobby';
import ts from 'typescript';
import { compareRows } from './compare-rows.ts';
import { type DeclaredRow, readDeclaredRows, type ValueKind } from './declared-rows.ts';
import { StatementDescriber } from './describe-statement.ts';
import type { SeenLine } from './record-statements.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

interface Seen {
  readonly texts: Set<string>;
  readonly kinds: Map<string, Set<ValueKind>>;
}

const words = process.argv.slice(2);
const seen = readSeen(words.filter((word) => word !== '--all'));
const declared = readDeclared();
const faults = [
  ...listUnknown(declared),
  ...(words.includes('--all') ? listUnseen(declared) : []),
  ...(await compareAll(declared)),
];
for (const fault of faults) console.log(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

function readSeen(folders: readonly string[]): Map<string, Seen> {
  const found = new Map<string, Seen>();
  for (const folder of folders)
    for (const name of readdirSync(folder))
      for (const line of readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean))
        note(found, JSON.parse(line));
  return found;
}

function note(found: Map<string, Seen>, line: SeenLine): void {
  const one = found.get(line.at) ?? { texts: new Set(), kinds: new Map() };
  found.set(line.at, one);
  if ('text' in line) one.texts.add(line.text);
  else one.kinds.set(line.column, (one.kinds.get(line.column) ?? new Set()).add(line.kind));
}

function readDeclared(): DeclaredRow[] {
  const { config } = ts.readConfigFile(join(root, 'packages/server/tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, join(root, 'packages/server'));
  const paths = globSync(['packages/{db,server}/src/**/*.ts', '!**/*.test.ts'], { cwd: root, absolute: true });
  return readDeclaredRows(root, paths, options);
}

/** Places that run statements without a call of `rows` that says what the rows are. */
function listUnknown(rows: readonly DeclaredRow[]): string[] {
  const known = new Set(rows.map(({ at }) => at));
  return [...seen.keys()].filter((at) => !known.has(at)).map((at) => `${at}: no call of \`rows\` is here.`);
}

/** The calls that say what their rows are and that no test reached. */
function listUnseen(rows: readonly DeclaredRow[]): string[] {
  return rows
    .filter(({ at, columns }) => columns && !seen.has(at))
    .map(({ at }) => `${at}: no test runs this statement.`);
}

async function compareAll(rows: readonly DeclaredRow[]): Promise<string[]> {
  const describer = await StatementDescriber.open(snapshotFile());
  const found = new Set<string>();
  for (const row of rows.filter(({ columns }) => columns)) {
    const { texts = [], kinds = new Map() } = seen.get(row.at) ?? {};
    for (const text of texts)
      try {
        for (const fault of compareRows(row, await describer.describe(text), kinds)) found.add(`${row.at}: ${fault}`);
      } catch (error) {
        found.add(`${row.at}: ${error}\n${text}`);
      }
  }
  await describer.close();
  return [...found];
}
