// libfaketime of Debian: a process that sees another time of day than its machine. Its timers run as they do without
// it.
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, freshFolder } from '../parley.ts';

const libraries = ['x86_64', 'aarch64'].map((cpu) => `/usr/lib/${cpu}-linux-gnu/faketime/libfaketimeMT.so.1`);
const library = libraries.find((path) => existsSync(path));
export const hasFakeClock = library !== undefined;

export interface FakeClock {
  /** The environment of processes that use this clock. */
  readonly environment: Environment;
  /** Sets it this many seconds ahead of the machine's clock, or behind it. */
  set(seconds: number): void;
  remove(): void;
}

export function createFakeClock(seconds: number): FakeClock {
  const folder = freshFolder();
  const file = join(folder.path, 'offset');
  const set = (offset: number) => {
    // Written by a rename, so that no process reads half of it.
    writeFileSync(`${file}.new`, `${offset < 0 ? '' : '+'}${offset}s`);
    renameSync(`${file}.new`, file);
  };
  set(seconds);
  return {
    environment: {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
    remove: folder.remove,
  };
}
