// The embedded database's directory: created atomically, and inaccessible to other users of the machine.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { createGunzip } from 'node:zlib';
import { migrationFiles } from './migration-files.ts';

/**
 * Creates the directory unless it contains a database. It is filled under another name and then renamed: a process that
 * is killed meanwhile leaves nothing that could be opened. The caller holds the lock of the directory above it.
 */
export async function createDataDirectory(
  directory: string,
  initialize: (fresh: string) => Promise<void>,
): Promise<void> {
  maskNewFiles();
  if (!existsSync(join(directory, 'PG_VERSION'))) {
    const fresh = `${directory}.new`;
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true, mode: 0o700 });
    await fill(fresh, initialize);
    // Fails for a directory with other files: files that Parley did not create are not deleted.
    if (existsSync(directory)) rmdirSync(directory);
    renameSync(fresh, directory);
  }
  closeToOthers(directory);
}

/**
 * Files that are created without a mode, as earlier releases of PGlite created all of theirs, would have the mode 0666. A
 * worker thread cannot set the umask, so the main thread, which takes the lock, sets it.
 */
export function maskNewFiles(): void {
  if (isMainThread) process.umask(0o077);
}

/** Removes the permissions of other users that earlier releases, a copy or an unpacked archive granted. */
function closeToOthers(directory: string): void {
  chmodSync(directory, 0o700);
  for (const { parentPath, name } of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(parentPath, name);
    const { mode } = statSync(path);
    if ((mode & 0o077) !== 0) chmodSync(path, mode & 0o700);
  }
}

/** Unpacking takes a tenth of the time and a third of the memory of initializing and migrating. */
async function fill(directory: string, initialize: (fresh: string) => Promise<void>): Promise<void> {
  const snapshot = snapshotFile();
  if (!existsSync(snapshot)) return initialize(directory);
  const { unpackTar } = await import('modern-tar/fs');
  await pipeline(createReadStream(snapshot), createGunzip(), unpackTar(directory, { dmode: 0o700, fmode: 0o600 }));
}

/**
 * A migrated, empty database, made by the build. Its name changes with the migrations and with PGlite, so an older one is
 * never used.
 */
export function snapshotFile(): string {
  const key = createHash('sha256');
  for (const { hash } of migrationFiles()) key.update(hash);
  key.update(pgliteVersion());
  return fileURLToPath(new URL(`../dist/snapshot-${key.digest('hex').slice(0, 16)}.tar.gz`, import.meta.url));
}

function pgliteVersion(): string {
  const main = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  return (JSON.parse(readFileSync(join(main, '../../package.json'), 'utf8')) as { version: string }).version;
}
