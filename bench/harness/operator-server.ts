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
  /** The memory of the process in MiB now. */
  memory(): number;
  /** Milliseconds of CPU time so far of the process and of those that it started. */
  cpu(): number;
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
    peak: () => readMemory(child.pid ?? 0, 'VmHWM'),
    memory: () => readMemory(child.pid ?? 0, 'VmRSS'),
    cpu: () => readCpu(child.pid ?? 0),
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

const readMemory = (pid: number, which: 'VmHWM' | 'VmRSS'): number =>
  Number(new RegExp(`${which}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** A clock tick of `/proc`, in milliseconds. */
const TICK = 10;

function readCpu(pid: number): number {
  const [, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = (fields.join(') ').split(' ') as string[]).slice(11, 13).map(Number);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return ((user ?? 0) + (system ?? 0)) * TICK + children.reduce((sum, child) => sum + readCpu(Number(child)), 0);
}
