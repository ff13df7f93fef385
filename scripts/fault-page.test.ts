// The page of figures in the operator guide names the test of each promise, and every test of faults.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = `${root}packages/server/test/faults/`;
const page = readFileSync(`${root}apps/docs/src/content/docs/guides/faults.mdx`, 'utf8');
/** The cells of each row that has four. */
const rows = page
  .split('\n')
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  .filter((cells) => cells.length === 4 && cells[0] !== 'Fault' && !cells[0]?.startsWith('---'));

test('each promise of a fault has a figure, and quotes the title of its test', () => {
  const wrong = rows.filter(([fault, promise, figure, where = '']) => {
    const [, file, title = ''] = /^`([a-z-]+\.test\.ts)`: \*([^*]+)\*$/.exec(where) ?? [];
    if (!fault || !promise || !figure || file === undefined) return true;
    return !readFileSync(folder + file, 'utf8').includes(title);
  });
  expect(rows.length).toBeGreaterThan(30);
  expect(wrong).toEqual([]);
});

test('every test file of faults, and every fault that is drawn by chance, is on the page', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.test.ts'));
  const injections = readFileSync(`${folder}fault-injections.ts`, 'utf8');
  const faults = [...injections.matchAll(/\bfault\(\s*'([^']+)'/g)].map(([, name]) => name);
  const named = new Set(rows.map(([fault]) => fault));
  expect(files.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  expect(faults.length).toBeGreaterThanOrEqual(15);
  expect(faults.filter((name) => !named.has(name))).toEqual([]);
});
