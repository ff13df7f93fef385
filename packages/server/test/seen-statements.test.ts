// The comparison that ends a whole run: the statements that ran on PostgreSQL and never on the embedded database.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const script = new URL('../scripts/seen-statements.mjs', import.meta.url).href;
const { onlyOnPostgres } = (await import(script)) as { onlyOnPostgres(folders: string[]): string[] };

const folder = mkdtempSync(join(tmpdir(), 'parley-statements-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a statement that no process ran on the embedded database is listed', () => {
  writeFileSync(join(folder, 'postgres-1'), '"select 1"\n"select 2"\n');
  writeFileSync(join(folder, 'postgres-2'), '"select 3"\n');
  writeFileSync(join(folder, 'embedded-3'), '"select 1"\n"select 3"\n"select 4"\n');
  expect(onlyOnPostgres([folder])).toEqual(['"select 2"']);
});
