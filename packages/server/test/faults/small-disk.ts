// A file system in memory with little space, which a test can fill and make read-only. Only root can mount one.
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder } from '../parley.ts';

/** Bytes. */
export const MIB = 2 ** 20;

export interface SmallDisk {
  readonly path: string;
  /** Uses all its space except for so many bytes. */
  fill(free: number): void;
  /** Frees the space. */
  empty(): void;
  makeReadOnly(isReadOnly: boolean): void;
  remove(): void;
}

const run = (program: string, ...words: string[]) => execFileSync(program, words, { stdio: 'pipe' });

export function mountSmallDisk(mebibytes: number): SmallDisk {
  const folder = freshFolder();
  const { path } = folder;
  run('mount', '-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path);
  chmodSync(path, 0o755);
  const ballast = join(path, 'ballast');
  return {
    path,
    fill(free) {
      const { bavail, bsize } = statfsSync(path);
      writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - free)), { flag: 'a' });
    },
    empty: () => rmSync(ballast, { force: true }),
    makeReadOnly: (isReadOnly) => void run('mount', '-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, path),
    remove() {
      run('umount', '--lazy', path);
      folder.remove();
    },
  };
}

function canMountDisk(): boolean {
  try {
    const disk = mountSmallDisk(1);
    disk.remove();
    return true;
  } catch {
    return false;
  }
}

export const canMount = canMountDisk();
