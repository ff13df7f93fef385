// Several processes that serve one port: the primary process starts them, replaces those that end, and serves no
// requests.
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config/index.ts';
import type { Logger } from '../core/log.ts';
import { serveClusterMetrics } from '../http/cluster-metrics.ts';
import { StartError } from '../start-error.ts';
import { waitForStopRequest } from './stop-request.ts';

/**
 * Milliseconds until a process that ended is replaced: the minimum and the maximum. The time doubles while no process
 * becomes ready.
 */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

export interface ClusterAddress {
  readonly port: number;
  readonly metricsPort: number | undefined;
}

/** Runs the processes until a signal ends them. Calls `announce` when all of them listen. */
export async function runProcesses(
  count: number,
  { config, log, announce }: { config: Config; log: Logger; announce: (address: ClusterAddress) => void },
): Promise<void> {
  // Each process accepts connections itself. Connections that the primary process hands over would hang if the
  // receiving process died meanwhile.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const stopRequest = waitForStopRequest();
  const processes = new ServerProcesses(log);
  const stopping = stopRequest.then((signal) => {
    log.info({ signal }, 'stopping');
    processes.stop();
  });
  // The first one starts alone, so that an error is reported once, and one process migrates the database.
  const port = await processes.startFirst();
  const metrics = config.metrics_port === undefined ? undefined : await serveClusterMetrics(config);
  await Promise.all(Array.from({ length: count - 1 }, () => processes.startNext()));
  if (port !== undefined && !processes.isStopping) announce({ port, metricsPort: metrics?.port });
  await stopping;
  await processes.ended();
  metrics?.close();
  log.info('stopped');
}

class ServerProcesses {
  readonly #log: Logger;
  readonly #running = new Set<Worker>();
  isStopping = false;
  #pause = FIRST_PAUSE;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Starts a process and returns the port that it listens on; undefined if it was stopped before. */
  async startFirst(): Promise<number | undefined> {
    if (this.isStopping) return undefined;
    const worker = this.#fork();
    const listening = once(worker, 'listening') as Promise<[AddressInfo]>;
    const first = await Promise.race([listening, once(worker, 'exit').then(() => undefined)]);
    if (first) return first[0].port;
    if (this.isStopping) return undefined;
    throw new StartError('The server did not start.');
  }

  /** Starts another process, and resolves when it listens. */
  async startNext(): Promise<void> {
    if (this.isStopping) return;
    const worker = this.#fork();
    await Promise.race([once(worker, 'listening'), once(worker, 'exit')]);
  }

  #fork(): Worker {
    const worker = cluster.fork();
    let isReady = false;
    this.#running.add(worker);
    worker.once('listening', () => {
      isReady = true;
      this.#pause = FIRST_PAUSE;
    });
    worker.once('exit', (code, signal) => {
      this.#running.delete(worker);
      if (this.isStopping || (!isReady && worker.id === 1)) return;
      this.#log.error({ pid: worker.process.pid, code, signal }, 'a server process ended; a new one replaces it');
      void this.#replace();
    });
    return worker;
  }

  async #replace(): Promise<void> {
    const wait = this.#pause;
    this.#pause = Math.min(2 * wait, LONGEST_PAUSE);
    await pause(wait);
    await this.startNext();
  }

  /** Makes every process drain and end. */
  stop(): void {
    this.isStopping = true;
    for (const worker of this.#running) worker.process.kill('SIGTERM');
  }

  async ended(): Promise<void> {
    await Promise.all([...this.#running].map((worker) => once(worker, 'exit')));
  }
}

/** Whether this process is one of several that another one started. */
export const isOneOfSeveral = (): boolean => cluster.isWorker;

/** Whether this process is the first of them since the server was started. */
export const isFirstOfSeveral = (): boolean => cluster.worker?.id === 1;
