// Programs of PostgreSQL as an operator runs them: dumps, restores, and servers with a standby.
import { execFile, execFileSync, type SpawnSyncReturns } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectPostgres, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { vi } from 'vitest';
import { findServerPort } from '../server-port.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

const DEBIAN = '/usr/lib/postgresql';
const folders = [
  ...(existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []).map((version) =>
    join(DEBIAN, version, 'bin'),
  ),
  ...(process.env.PATH ?? '').split(':'),
];
const PROGRAMS = ['initdb', 'pg_ctl', 'pg_basebackup', 'pg_dump', 'pg_restore'];
const bin = folders.find((folder) => PROGRAMS.every((name) => existsSync(join(folder, name))));
export const hasPostgresPrograms = bin !== undefined;

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL does not run as root. */
export function findAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lines = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const [, , uid, gid] = lines.find(([name]) => name === 'postgres') ?? lines.find(([name]) => name === 'nobody') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

const options = { cwd: tmpdir(), env: { ...process.env, LC_ALL: 'C.UTF-8' } };

function run(program: string, args: readonly string[], account?: Account): Buffer {
  try {
    return execFileSync(join(bin ?? '', program), args, {
      ...account,
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 2 ** 28,
    });
  } catch (error) {
    throw new Error(`${program}: ${(error as SpawnSyncReturns<Buffer>).stderr}`);
  }
}

/** Likewise, but asynchronously: the program connects through a proxy of this process. */
async function runAside(program: string, args: readonly string[], account?: Account): Promise<void> {
  await promisify(execFile)(join(bin ?? '', program), args, { ...account, ...options });
}

/** A dump of the database, in the format of `pg_restore`. */
export function dump(url: string, file: string): void {
  writeFileSync(file, run('pg_dump', ['--format=custom', '--no-owner', url]));
}

export function restore(url: string, file: string, ...options: readonly string[]): void {
  run('pg_restore', ['--no-owner', ...options, `--dbname=${url}`, file]);
}

/** A server of its own, and a copy of it that can be promoted when the server is gone. */
export interface PostgresPair {
  readonly primary: string;
  readonly standby: string;
  /** Copies the primary as it is now: the standby never receives later commits. */
  copy(): void;
  /**
   * Copies the primary and makes the standby follow it. With `isSynchronous` the primary confirms a commit when the
   * standby has it.
   */
  stream(isSynchronous: boolean): Promise<void>;
  /** From now on the standby receives nothing from the primary. */
  holdBack(): void;
  /** Kills the primary and promotes the standby. */
  failOver(): void;
  remove(): void;
}

const SETTINGS = ['fsync=off', 'wal_level=replica', 'max_wal_senders=4', 'listen_addresses=127.0.0.1'];

async function query<Row>(url: string, text: string): Promise<Row[]> {
  const admin = connectPostgres(url, { connections: 1 });
  try {
    return await rows<Row>(admin.db, sql.raw(text));
  } finally {
    await admin.close();
  }
}

export async function startPair(): Promise<PostgresPair> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-pair-'));
  const account = findAccount();
  chmodSync(folder, 0o755);
  if (account) chownSync(folder, account.uid, account.gid);
  const [primary, standby] = [join(folder, 'primary'), join(folder, 'standby')];
  const ports = { primary: await findServerPort(), standby: await findServerPort() };
  const start = (data: string, port: number) => {
    const settings = [...SETTINGS, `port=${port}`, `unix_socket_directories=${folder}`].map((one) => `-c ${one}`);
    run('pg_ctl', ['start', '-w', '-D', data, '-l', `${data}.log`, '-o', settings.join(' ')], account);
  };
  const stop = (data: string) => {
    if (existsSync(join(data, 'postmaster.pid'))) run('pg_ctl', ['stop', '-D', data, '-m', 'immediate'], account);
  };
  let replication: TcpProxy | undefined;
  const addressOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`;
  run(
    'initdb',
    ['-D', primary, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
    account,
  );
  start(primary, ports.primary);
  return {
    primary: addressOf(ports.primary),
    standby: addressOf(ports.standby),
    copy() {
      run('pg_basebackup', ['-D', standby, '-d', addressOf(ports.primary), '-X', 'stream', '-c', 'fast'], account);
      writeFileSync(join(standby, 'standby.signal'), '');
      if (account) chownSync(join(standby, 'standby.signal'), account.uid, account.gid);
      start(standby, ports.standby);
    },
    async stream(isSynchronous) {
      replication = await startTcpProxy(addressOf(ports.primary));
      const source = replication.addressOf(addressOf(ports.primary));
      // With `-R` it writes the settings of a standby.
      await runAside('pg_basebackup', ['-D', standby, '-d', source, '-X', 'stream', '-c', 'fast', '-R'], account);
      start(standby, ports.standby);
      if (isSynchronous) appendFileSync(join(primary, 'postgresql.conf'), "synchronous_standby_names = '*'\n");
      run('pg_ctl', ['reload', '-D', primary], account);
      const isStreaming = `select from pg_stat_replication where sync_state = '${isSynchronous ? 'sync' : 'async'}'`;
      await vi.waitUntil(async () => (await query(addressOf(ports.primary), isStreaming)).length > 0, {
        timeout: 30_000,
      });
    },
    holdBack: () => replication?.fallSilent('both'),
    failOver() {
      stop(primary);
      run('pg_ctl', ['promote', '-w', '-D', standby], account);
    },
    remove() {
      for (const data of [primary, standby]) stop(data);
      void replication?.cut();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
