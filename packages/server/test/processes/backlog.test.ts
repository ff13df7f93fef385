// Connections that a server has not accepted yet.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, expect, test, vi } from 'vitest';
import { BACKLOG } from '../../src/http/listener.ts';
import { createEmbeddedEnvironment, createRealm, endServers, startServer } from '../parley.ts';

vi.setConfig({ testTimeout: 180_000 });
afterAll(endServers);

/** More than the 511 of Node. */
const CLIENTS = 600;

/** The maximum that Linux allows; other systems have smaller ones. */
const allowed = process.platform === 'linux' ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) : 0;

test.runIf(allowed >= BACKLOG)('clients that connect at once while a server is busy are all connected', async () => {
  const environment = await createEmbeddedEnvironment();
  await createRealm(environment.variables);
  const server = await startServer(environment.variables);
  const port = Number(new URL(server.url).port);
  server.child.kill('SIGSTOP');
  let connected = 0;
  const sockets = Array.from({ length: CLIENTS }, () => connect(port, '127.0.0.1', () => connected++));
  await expect.poll(() => connected, { timeout: 30_000 }).toBe(CLIENTS);
  server.child.kill('SIGCONT');
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await server.end('SIGTERM');
  await environment.remove();
});
