// Migrations of a later release: the folder of this one with more files in it, applied by the same code.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const own = fileURLToPath(new URL('../migrations', import.meta.url));

interface Journal {
  entries: { idx: number; version: string; when: number; tag: string; breakpoints: boolean }[];
}

export interface LaterMigrations {
  readonly folder: string;
  /** Their names. */
  readonly names: readonly string[];
  remove(): void;
}

/** `statements` are of one migration each; they name tables of earlier migrations. */
export function createLaterMigrations(...files: readonly string[]): LaterMigrations {
  const folder = mkdtempSync(join(tmpdir(), 'parley-migrations-'));
  cpSync(own, folder, { recursive: true });
  const path = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(path, 'utf8')) as Journal;
  const names = files.map((text) => {
    const idx = journal.entries.length;
    const name = String(idx).padStart(4, '0');
    const when = (journal.entries.at(-1)?.when ?? 0) + 1;
    journal.entries.push({ idx, version: '7', when, tag: `${name}_later`, breakpoints: true });
    writeFileSync(join(folder, `${name}_later.sql`), text);
    return name;
  });
  writeFileSync(path, JSON.stringify(journal));
  return { folder, names, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The names of the migrations of this release, oldest first. */
export function listOwnNames(): string[] {
  const { entries } = JSON.parse(readFileSync(join(own, 'meta/_journal.json'), 'utf8')) as Journal;
  return entries.map((_, idx) => String(idx).padStart(4, '0'));
}

/** The name of the newest migration of this release. */
export const newestName = (): string => listOwnNames().at(-1) ?? '';

/** The oldest schema whose servers can run on that of this release. */
export function newestMinimum(): string {
  const { entries } = JSON.parse(readFileSync(join(own, 'meta/_journal.json'), 'utf8')) as Journal;
  const text = readFileSync(join(own, `${entries.at(-1)?.tag}.sql`), 'utf8');
  return /^-- minimum: (\d{4})$/m.exec(text)?.[1] ?? newestName();
}

/** For the servers that can run on the schema of this release. */
export const compatible = (...statements: string[]) =>
  [`-- minimum: ${newestMinimum()}\n${statements[0]}`, ...statements.slice(1)].join('\n--> statement-breakpoint\n');

/** For servers of the release that has it only. */
export const incompatible = (...statements: string[]) => statements.join('\n--> statement-breakpoint\n');
