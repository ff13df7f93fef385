// A server as an operator starts it, from its start until it is ready.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import getPort from 'get-port';
import type { Harness } from './harness.ts';
import { type ServerEnvironment, serve } from './parley.ts';
import { pause } from './times.ts';

export interface OperatorServer {
  readonly url: string;
  /** Milliseconds from its start until it was ready. */
  readonly took: number;
  readonly port: number;
  /** The peak memory of the process in MiB. */
  peak(): number;
  stop(): Promise<void>;
}

export async function startOperatorServer(harness: Harness, environment: ServerEnvironment): Promise<OperatorServer> {
  const port = await getPort({ host: '127.0.0.1' });
  const started = performance.now();
  const child = serve({ PARLEY_PORT: String(port), ...environment });
  harness.atEnd(() => child.kill('SIGKILL'));
  const end = once(child, 'exit');
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}.`);
    await pause(5);
  }
  const took = performance.now() - started;
  return {
    url: `http://localhost:${port}`,
    took,
    port,
    peak: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    async stop() {
      child.kill('SIGTERM');
      await end;
    },
  };
}

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );
