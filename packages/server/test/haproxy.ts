// A real HAProxy, of the Debian package `haproxy`, in front of a PostgreSQL and its standby.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { PatroniNode } from './patroni.ts';
import { acceptsConnections } from './pgbouncer.ts';
import { findServerPort } from './server-port.ts';

const PROGRAM = '/usr/sbin/haproxy';
export const hasHaproxy = existsSync(PROGRAM);

/** Connections end when their server has failed two checks. */
const settings = (port: number, routing: string) => `
global
  maxconn 500
defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
listen postgres
  bind 127.0.0.1:${port}
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
  ${routing}
`;

/** Leads to the standby while the primary fails its checks. */
export function primaryFirst(primary: string, standby: string): string {
  const [first, second] = [new URL(primary), new URL(standby)];
  return `option pgsql-check user ${first.username}
  server primary ${first.host}
  server standby ${second.host} backup`;
}

/** Leads to the server that Patroni reports as the primary. */
export const primaryByPatroni = (nodes: readonly PatroniNode[]): string => `option httpchk OPTIONS /primary
  http-check expect status 200
  ${nodes.map(({ url, port }) => `server s${port} ${new URL(url).host} port ${port}`).join('\n  ')}`;

export interface Haproxy {
  /** The URL of the database through it. */
  readonly url: string;
  stop(): Promise<void>;
}

/** `address`: the URL of the database at one of the servers. */
export async function startHaproxy(address: string, routing: string): Promise<Haproxy> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  const port = await findServerPort();
  writeFileSync(file, settings(port, routing));
  const child = spawn(PROGRAM, ['-db', '-f', file], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await vi.waitUntil(() => acceptsConnections(port), { timeout: 30_000, interval: 50 });
  const url = new URL(address);
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
