// Allows one process at a time on a directory. PGlite has no lock of its own: of two processes that write the same
// directory, both see their writes succeed, and half of the writes are gone when it is opened again.
import { randomUUID } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { maskNewFiles } from './data-directory.ts';

/** The address of the holder's control server. */
export interface ControlAddress {
  readonly port: number;
  readonly token: string;
}

/** The holder of the directory. */
export interface LockHolder {
  readonly pid: number;
  /** When it locked the directory. */
  readonly since: string;
  readonly command: string;
  readonly door?: ControlAddress;
}

export interface DirectoryLock {
  /**
   * The holder of the directory that this one was copied from, if that process still runs: the copy contains its lock.
   */
  readonly copied_from: LockHolder | undefined;
  /** Stores in the lock the address at which its holder runs commands. */
  publishControlAddress(address: ControlAddress): void;
  release(): void;
}

/** Another process holds the directory. */
export class DirectoryInUse extends Error {
  override name = 'DirectoryInUse';
  constructor(
    readonly directory: string,
    readonly holder: LockHolder,
  ) {
    super(
      `The embedded database in ${directory} is in use by process ${holder.pid} (${holder.command}) since ${holder.since}.`,
    );
  }
}

interface LockFile extends LockHolder {
  /** Unique to this lock. */
  readonly nonce: string;
  /** When the process started: its pid may belong to another process by now. */
  readonly born: string;
  /** The scope of the pid: this boot, this container. */
  readonly space: string;
  /** Device and inode of the directory that was locked. */
  readonly directory: string;
}

const FILE = 'parley.lock';
const HEARTBEAT = 2000;
/** A holder in another pid scope that does not touch its lock for this long is gone. */
const SILENCE = 10_000;
/** A lock that cannot be parsed is just being written, unless it is older than this. */
const WRITING = 3000;

/** Locks the directory, or throws `DirectoryInUse`. The lock of a dead holder is taken over at once. */
export async function lockDirectory(directory: string, command: string): Promise<DirectoryLock> {
  // The directory contains everything that users wrote.
  maskNewFiles();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, FILE);
  const own: LockFile = {
    nonce: randomUUID(),
    pid: process.pid,
    born: birthOf(process.pid),
    space: space(),
    directory: directoryOf(path),
    since: new Date().toISOString(),
    command,
  };
  const found = read(path);
  held.add(own.nonce);
  const holder = await claim(path, own);
  if (holder) {
    held.delete(own.nonce);
    throw new DirectoryInUse(directory, holder);
  }
  const heart = setInterval(() => touch(path), HEARTBEAT);
  heart.unref();
  return {
    copied_from: found && isCopied(path, found) && isRunning(found) ? found : undefined,
    publishControlAddress: (address) => replace(path, { ...own, door: address }),
    release() {
      clearInterval(heart);
      held.delete(own.nonce);
      if (read(path)?.nonce === own.nonce) rmSync(path, { force: true });
    },
  };
}

/** The present holder of the directory, if there is one. */
export async function holderOf(directory: string): Promise<LockHolder | undefined> {
  const path = join(directory, FILE);
  const found = read(path);
  return found && (await lives(path, found)) ? found : undefined;
}

// The locks of this process: without /proc, only these distinguish its own lock from an old one with the same pid.
const held = new Set<string>();

/**
 * Creates the file, or takes over a dead holder's; otherwise returns the holder. To take over lock N, a process must
 * first create N's takeover file, a lock like any other. So no process can remove a lock that is younger than the one
 * it examined, however long it was suspended in between.
 */
async function claim(path: string, own: LockFile): Promise<LockHolder | undefined> {
  for (;;) {
    if (created(path, own)) return undefined;
    const found = read(path);
    if (!found) continue;
    if (await lives(path, found)) return found;
    const takeover = `${path}.${found.nonce}`;
    if (await claim(takeover, own)) {
      await pause(10);
      continue;
    }
    try {
      if (read(path)?.nonce === found.nonce) {
        replace(path, own);
        return undefined;
      }
    } finally {
      rmSync(takeover, { force: true });
    }
  }
}

/** A hard link makes the file appear atomically with its content. */
function created(path: string, entry: LockFile): boolean {
  const fresh = written(path, entry);
  try {
    linkSync(fresh, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    return createdPlainly(path, entry);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** For file systems without hard links. */
function createdPlainly(path: string, entry: LockFile): boolean {
  try {
    writeFileSync(path, JSON.stringify(entry), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

const replace = (path: string, entry: LockFile): void => renameSync(written(path, entry), path);

function written(path: string, entry: LockFile): string {
  const fresh = `${path}.${randomUUID()}.new`;
  // The token of the control server gives its reader all permissions of an operator.
  writeFileSync(fresh, JSON.stringify(entry), { mode: 0o600 });
  return fresh;
}

const UNREADABLE: LockFile = {
  nonce: 'unreadable',
  pid: 0,
  born: '',
  space: '',
  directory: '',
  since: 'an unknown time',
  command: 'unknown',
};

/** Undefined: there is no lock. */
function read(path: string): LockFile | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  return entryOf(text) ?? UNREADABLE;
}

function entryOf(text: string): LockFile | undefined {
  try {
    const entry = JSON.parse(text) as Partial<LockFile> | null;
    return typeof entry?.pid === 'number' && /^[\w-]+$/.test(entry.nonce ?? '') ? (entry as LockFile) : undefined;
  } catch {
    return undefined;
  }
}

async function lives(path: string, entry: LockFile): Promise<boolean> {
  if (entry.nonce === 'unreadable') return stirs(path, WRITING);
  if (entry.space !== space()) return stirs(path, SILENCE);
  if (!isRunning(entry)) return false;
  // A file system can change the number of a directory, but the holder keeps touching the lock in it.
  return !isCopied(path, entry) || stirs(path, SILENCE);
}

/** Whether the process that wrote the entry runs, here or for another directory. */
function isRunning(entry: LockFile): boolean {
  if (entry.space !== space() || !exists(entry.pid)) return false;
  const born = birthOf(entry.pid);
  if (entry.born === '' || born === '') return entry.pid !== process.pid || held.has(entry.nonce);
  return born === entry.born;
}

/** Whether the lock was written in another directory: a copy of a directory contains a copy of its lock. */
const isCopied = (path: string, { directory }: LockFile): boolean =>
  Boolean(directory) && directory !== directoryOf(path);

function directoryOf(path: string): string {
  const { dev, ino } = statSync(dirname(path), { bigint: true });
  return `${dev}:${ino}`;
}

/** Whether a process touches the file before it is `silence` old. */
async function stirs(path: string, silence: number): Promise<boolean> {
  const first = modified(path);
  while (first !== undefined && Date.now() - first < silence) {
    await pause(100);
    if (modified(path) !== first) return true;
  }
  return false;
}

function modified(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

function touch(path: string): void {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch {
    // The directory was removed meanwhile; the database will report that better.
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** The start time of a process in clock ticks since boot; empty where the system does not provide it. */
function birthOf(pid: number): string {
  const stat = quietly(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field is the program's name in parentheses and can contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // Killed, but not yet reaped by its parent.
  return fields[0] === 'Z' ? 'dead' : (fields[19] ?? '');
}

function space(): string {
  const boot = quietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  return `${boot} ${quietly(() => readlinkSync('/proc/self/ns/pid'))}`;
}

function quietly(work: () => string): string {
  try {
    return work();
  } catch {
    return '';
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | null)?.code;
