// Two PostgreSQL servers that Patroni of Debian manages, with one etcd: it promotes the standby when the primary is
// lost.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
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
import { vi } from 'vitest';
import { type Account, findAccount } from './faults/postgres-programs.ts';
import { findServerPort } from './server-port.ts';

const DEBIAN = '/usr/lib/postgresql';
const [newest] = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
export const hasPatroni =
  newest !== undefined && ['/usr/bin/patroni', '/usr/bin/etcd'].every((path) => existsSync(path));

/**
 * What a proxy needs of each: the port of PostgreSQL, and the port at which Patroni reports whether it is the primary.
 */
export interface PatroniNode {
  readonly url: string;
  readonly port: number;
}

export interface PatroniCluster {
  readonly nodes: readonly PatroniNode[];
  /** Ends all processes of the node that is the primary, like a power failure. */
  killPrimary(): Promise<void>;
  stop(): Promise<void>;
}

interface Files {
  readonly folder: string;
  readonly account: Account | undefined;
}

/** The shortest times that Patroni allows for noticing that a primary is lost. Values are JSON, which is YAML. */
const configuration = (folder: string, name: string, ports: { etcd: number; api: number; postgres: number }) => ({
  scope: 'parley',
  name,
  etcd3: { host: `127.0.0.1:${ports.etcd}` },
  restapi: { listen: `127.0.0.1:${ports.api}`, connect_address: `127.0.0.1:${ports.api}` },
  bootstrap: {
    dcs: {
      ttl: 20,
      loop_wait: 2,
      retry_timeout: 3,
      synchronous_mode: true,
      postgresql: { parameters: { fsync: 'off' } },
    },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, { auth: 'trust' }, 'no-sync'],
  },
  postgresql: {
    listen: `127.0.0.1:${ports.postgres}`,
    connect_address: `127.0.0.1:${ports.postgres}`,
    data_dir: join(folder, name),
    bin_dir: join(DEBIAN, newest ?? '', 'bin'),
    pgpass: join(folder, `${name}.pgpass`),
    parameters: { unix_socket_directories: folder },
    authentication: { superuser: { username: 'postgres' }, replication: { username: 'postgres' } },
    pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
  },
});

/** The state of a node that Patroni reports. */
const hasRole = (role: 'primary' | 'synchronous', port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/${role}`).then(
    ({ status }) => status === 200,
    () => false,
  );

interface Node extends PatroniNode {
  readonly child: ChildProcess;
  /** The directory of its PostgreSQL. */
  readonly data: string;
}

function launch({ folder, account }: Files, program: string, words: readonly string[]): ChildProcess {
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  return spawn(program, words, { ...account, cwd: folder, env, stdio: 'ignore' });
}

export async function startPatroni(): Promise<PatroniCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-patroni-'));
  const files: Files = { folder, account: findAccount() };
  chmodSync(folder, 0o755);
  if (files.account) chownSync(folder, files.account.uid, files.account.gid);
  const [etcd, peer] = [await findServerPort(), await findServerPort()];
  const address = (port: number) => `http://127.0.0.1:${port}`;
  const store = launch(files, '/usr/bin/etcd', [
    ...['--data-dir', join(folder, 'etcd'), '--log-level', 'error'],
    ...['--listen-client-urls', address(etcd), '--advertise-client-urls', address(etcd)],
    ...['--listen-peer-urls', address(peer), '--initial-advertise-peer-urls', address(peer)],
    ...['--initial-cluster', `default=${address(peer)}`],
  ]);
  const nodes: Node[] = [];
  for (const name of ['one', 'two']) {
    const ports = { etcd, api: await findServerPort(), postgres: await findServerPort() };
    const file = join(folder, `${name}.yml`);
    writeFileSync(file, JSON.stringify(configuration(folder, name, ports)));
    const child = launch(files, '/usr/bin/patroni', [file]);
    const url = `postgres://postgres@127.0.0.1:${ports.postgres}/postgres`;
    nodes.push({ child, port: ports.api, url, data: join(folder, name) });
    // The first one becomes the primary.
    if (name === 'one') await vi.waitUntil(() => hasRole('primary', ports.api), { timeout: 120_000, interval: 200 });
  }
  await vi.waitUntil(() => hasRole('synchronous', nodes[1]?.port ?? 0), { timeout: 120_000, interval: 200 });
  return {
    nodes,
    async killPrimary() {
      for (const node of nodes) if (await hasRole('primary', node.port)) return killNode(node);
    },
    async stop() {
      for (const node of nodes) await killNode(node);
      await kill(store);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL would go on without its Patroni. */
async function killNode({ child, data }: Node): Promise<void> {
  await kill(child);
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n', 1)[0]);
  // An immediate shutdown is a crash for all sessions; SIGKILL would leave those that run a statement.
  process.kill(pid, 'SIGQUIT');
  await vi.waitUntil(() => !isRunning(pid), { timeout: 60_000, interval: 20 });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
