// A real PgBouncer, of the Debian package `pgbouncer`, in front of the PostgreSQL of the tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { findServerPort } from './server-port.ts';

const PROGRAM = '/usr/sbin/pgbouncer';
export const hasPgBouncer = existsSync(PROGRAM);

export type PoolMode = 'session' | 'transaction';

const settings = (server: URL, users: string, port: number, mode: PoolMode, connections: number) => `
[databases]
* = host=${server.hostname} port=${server.port || 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = ${connections}
max_client_conn = 200
`;

export interface PgBouncer {
  /** The URL of a database through it. */
  addressOf(url: string): string;
  stop(): Promise<void>;
}

/** Starts one. `connections`: how many it opens to the server for each database. */
export async function startPgBouncer(url: string, mode: PoolMode, connections: number): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-pgbouncer-'));
  const port = await findServerPort();
  const file = join(folder, 'pgbouncer.ini');
  const server = new URL(url);
  const users = join(folder, 'users.txt');
  writeFileSync(users, `"${server.username}" "${server.password}"\n`);
  writeFileSync(file, settings(server, users, port, mode, connections));
  chmodSync(folder, 0o755);
  // It does not run as root.
  const account = process.getuid?.() === 0 ? ['--user', 'nobody'] : [];
  const child = spawn(PROGRAM, ['--quiet', ...account, file], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await vi.waitUntil(() => acceptsConnections(port), { timeout: 30_000, interval: 50 });
  return {
    addressOf(direct) {
      const through = new URL(direct);
      through.host = `127.0.0.1:${port}`;
      return through.toString();
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whether a program of this machine listens on the port. */
export function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
