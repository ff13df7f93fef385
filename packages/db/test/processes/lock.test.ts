import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DirectoryInUse, holderOf, lockDirectory } from '../../src/lock.ts';

const program = fileURLToPath(new URL('lock-holder.ts', import.meta.url));
const children: ChildProcess[] = [];
let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-lock-'));
  file = join(directory, 'parley.lock');
});
afterEach(async () => {
  for (const child of children.splice(0)) await end(child, 'SIGKILL');
  rmSync(directory, { recursive: true });
});

function start(name: string, at = 0) {
  const child = spawn(process.execPath, ['--import', 'tsx', program, directory, name, String(at)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const said = once(createInterface(child.stdout), 'line').then(([line]) => line as string);
  return { child, said };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

const entry = (changes: object = {}) => ({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...changes });

/** Leaves the lock of this process behind, changed, like one of a holder that is gone. */
async function leave(changes: object): Promise<void> {
  const lock = await lockDirectory(directory, 'gone');
  const text = JSON.stringify(entry(changes));
  lock.release();
  writeFileSync(file, text);
}

describe('the lock of a directory', () => {
  test('the error of a second process has the holder, since when and what for', async () => {
    const before = Date.now();
    const { child, said } = start('parley serve');
    expect(await said).toBe('taken');
    const errorResponse = await lockDirectory(directory, 'parley migrate').catch((error: unknown) => error);
    expect(errorResponse).toBeInstanceOf(DirectoryInUse);
    const { holder, message } = errorResponse as DirectoryInUse;
    expect(holder).toMatchObject({ pid: child.pid, command: 'parley serve' });
    expect(Date.parse(holder.since)).toBeGreaterThanOrEqual(before);
    expect(message).toMatch(new RegExp(`process ${child.pid} \\(parley serve\\) since 20`));
  });

  test('a copy of the directory is free, and its lock names the original', async () => {
    const { child, said } = start('parley serve');
    expect(await said).toBe('taken');
    const copy = `${directory}-copy`;
    cpSync(directory, copy, { recursive: true });
    // As old as copies are that keep the times of files; for a newer one the lock waits for a heartbeat.
    utimesSync(join(copy, 'parley.lock'), new Date(0), new Date(0));
    expect(await holderOf(copy)).toBeUndefined();
    const lock = await lockDirectory(copy, 'parley realm list');
    expect(lock.copied_from).toMatchObject({ pid: child.pid, command: 'parley serve' });
    expect(await holderOf(copy)).toMatchObject({ pid: process.pid });
    expect(await holderOf(directory)).toMatchObject({ pid: child.pid });
    lock.release();
    rmSync(copy, { recursive: true });
  });

  test('a holder whose directory has another inode meanwhile keeps it while it touches the lock', async () => {
    const lock = await lockDirectory(directory, 'parley serve');
    expect(lock.copied_from).toBeUndefined();
    writeFileSync(file, JSON.stringify(entry({ directory: '1:2' })));
    expect(await holderOf(directory)).toMatchObject({ pid: process.pid });
    lock.release();
  });

  test('a release leaves the directory to the next holder, without any file', async () => {
    const { child, said } = start('first');
    await said;
    child.stdin?.write('x');
    await once(child, 'exit');
    expect(readdirSync(directory)).toEqual([]);
    (await lockDirectory(directory, 'second')).release();
  });

  test('the lock of a killed holder is free at once', async () => {
    const { child, said } = start('parley serve');
    await said;
    await end(child, 'SIGKILL');
    // A check of the heartbeat would wait for this one.
    const heart = setInterval(() => utimesSync(file, new Date(), new Date()), 50);
    const lock = await lockDirectory(directory, 'parley serve');
    clearInterval(heart);
    expect(await holderOf(directory)).toMatchObject({ pid: process.pid });
    lock.release();
  });

  test('a pid that belongs to another process meanwhile holds nothing', async () => {
    const { child, said } = start('bystander');
    await said;
    await end(child, 'SIGKILL');
    await leave({ pid: process.ppid, born: '1' });
    expect(await holderOf(directory)).toBeUndefined();
    (await lockDirectory(directory, 'next')).release();
  });

  test("this process's pid in a lock of an earlier container holds nothing", async () => {
    await leave({ pid: process.pid, born: '1' });
    (await lockDirectory(directory, 'next')).release();
  });

  test('the same process cannot take a directory twice', async () => {
    const lock = await lockDirectory(directory, 'first');
    await expect(lockDirectory(directory, 'second')).rejects.toBeInstanceOf(DirectoryInUse);
    lock.release();
  });

  test('a holder in another container is known by its heartbeat: without one for ten seconds it does not count', async () => {
    await leave({ space: 'elsewhere' });
    const past = new Date(Date.now() - 11_000);
    utimesSync(file, past, past);
    (await lockDirectory(directory, 'next')).release();

    await leave({ space: 'elsewhere' });
    const heart = setInterval(() => utimesSync(file, new Date(), new Date()), 50);
    await expect(lockDirectory(directory, 'next')).rejects.toBeInstanceOf(DirectoryInUse);
    clearInterval(heart);
  });

  test('an old lock that cannot be parsed is replaced', async () => {
    writeFileSync(file, '{"pid":');
    const past = new Date(Date.now() - 4000);
    utimesSync(file, past, past);
    (await lockDirectory(directory, 'next')).release();
  });

  test('the address of the control server is in the lock, readable by its owner only', async () => {
    const lock = await lockDirectory(directory, 'parley serve');
    lock.publishControlAddress({ port: 4000, token: 'secret' });
    expect((await holderOf(directory))?.door).toEqual({ port: 4000, token: 'secret' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    lock.release();
    expect(await holderOf(directory)).toBeUndefined();
  });
});

describe('concurrent starters', () => {
  test.each(['an empty directory', 'a dead lock', 'a dead lock whose takeover died too'])(
    '%s: exactly one has the lock',
    async (what) => {
      if (what !== 'an empty directory') await leave({ pid: process.pid, born: '1', nonce: 'dead' });
      if (what.endsWith('too')) writeFileSync(`${file}.dead`, JSON.stringify(entry({ nonce: 'dead-too' })));
      const at = Date.now() + 4000;
      const starters = Array.from({ length: 6 }, (_, n) => start(`starter ${n}`, at));
      const said = await Promise.all(starters.map((one) => one.said));
      const winner = starters[said.indexOf('taken')];
      expect(said.filter((line) => line === 'taken')).toHaveLength(1);
      expect(said.filter((line) => line === `refused ${winner?.child.pid}`)).toHaveLength(5);
      expect(readdirSync(directory)).toEqual(['parley.lock']);
    },
  );
});
