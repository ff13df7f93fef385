// A real HAProxy, of the Debian package `haproxy`, in front of a PostgreSQL and its standby.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import { vi } from 'vitest';
import { acceptsConnections } from './pgbouncer.ts';

const PROGRAM = '/usr/sbin/haproxy';
export const hasHaproxy = existsSync(PROGRAM);

/** The standby gets connections when the primary has failed two checks; connections to the primary end then. */
const settings = (primary: URL, standby: URL, port: number) => `
global
  maxconn 500
defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
listen postgres
  bind 127.0.0.1:${port}
  option pgsql-check user ${primary.username}
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
  server primary ${primary.host}
  server standby ${standby.host} backup
`;

export interface Haproxy {
  /** The address of the database through it. */
  readonly url: string;
  stop(): Promise<void>;
}

export async function startHaproxy(primary: string, standby: string): Promise<Haproxy> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  const port = await getPort();
  writeFileSync(file, settings(new URL(primary), new URL(standby), port));
  const child = spawn(PROGRAM, ['-db', '-f', file], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await vi.waitUntil(() => acceptsConnections(port), { timeout: 30_000, interval: 50 });
  const url = new URL(primary);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.toString(),
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
