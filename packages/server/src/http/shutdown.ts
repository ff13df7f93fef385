// How a server that stops disconnects its clients, and the proxies in front of it.
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setTimeout as pause, setImmediate as turnOfLoop } from 'node:timers/promises';
import type { App } from '../app.ts';
import type { Health } from './readiness.ts';

const SECOND = 1_000;
/** Milliseconds for which idle connections stay open after the port has closed: requests may be in transit on them. */
const CLOSE_TIMEOUT = 1_000;
/** Milliseconds of an event loop turn in which no connection arrives, and the maximum number of turns to wait. */
const IDLE_TIME = 0.2;
const TURNS = 1_000;

/**
 * Goes on serving for so many seconds while `/readyz` reports that the server is draining, so that load balancers
 * choose another server before the port closes. Waiting polls end at once: their clients poll another server.
 */
export async function drain(app: App, health: Health, seconds: number): Promise<void> {
  health.draining = true;
  app.polls.endAll();
  await pause(seconds * SECOND);
}

/** Accepts no new connections, ends the polls, and resolves when the requests in flight have finished. */
export async function closeServer(server: HttpServer, app: App, hasDrained: boolean): Promise<void> {
  const closed = once(server, 'close');
  if (hasDrained) await closePort(server);
  else server.close();
  app.polls.close();
  if (hasDrained) await Promise.race([closed, pause(CLOSE_TIMEOUT, undefined, { ref: false })]);
  // A connection that becomes idle only now would otherwise stay open as long as its client likes.
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  idle.unref();
  await closed;
  clearInterval(idle);
}

/**
 * Closes the port and no connection. `close` of an HTTP server also closes connections whose first request has not
 * arrived yet, and the operating system resets those that this process has not accepted: a proxy does not repeat a POST
 * that is lost so.
 */
async function closePort(server: HttpServer): Promise<void> {
  await waitUntilIdle();
  TcpServer.prototype.close.call(server);
}

/** Waits for a turn of the event loop in which no connection arrives. */
async function waitUntilIdle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) {
    const started = performance.now();
    await turnOfLoop();
    if (performance.now() - started < IDLE_TIME) return;
  }
}
