// A later release: this one as it was built, with more migrations. Its servers know the later schema.
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLaterMigrations } from '../../db/test/later-migrations.ts';
import { freshFolder } from './parley.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface LaterRelease {
  /** Its `parley`. */
  readonly program: string;
  /** The names of its migrations that this release does not have. */
  readonly migrations: readonly string[];
  remove(): void;
}

/** `files`: the statements of each migration. */
export function createLaterRelease(...files: readonly string[]): LaterRelease {
  const folder = freshFolder();
  const later = createLaterMigrations(...files);
  const copy = (path: string, from = join(root, path)) => cpSync(from, join(folder.path, path), { recursive: true });
  for (const path of ['package.json', 'bin', 'dist', 'generated']) copy(`packages/server/${path}`);
  for (const path of ['package.json', 'dist']) copy(`packages/db/${path}`);
  copy('packages/db/migrations', later.folder);
  later.remove();
  const link = (name: string, target: string) => symlinkSync(target, join(folder.path, 'node_modules', name));
  mkdirSync(join(folder.path, 'node_modules/@parley'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@parley') link(name, join(root, 'node_modules', name));
  }
  for (const name of ['client', 'openapi']) link(`@parley/${name}`, join(root, 'node_modules/@parley', name));
  link('@parley/db', join(folder.path, 'packages/db'));
  return {
    program: join(folder.path, 'packages/server/bin/parley.mjs'),
    migrations: later.names,
    remove: folder.remove,
  };
}
