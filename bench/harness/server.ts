// The server under measurement, as seen from the benchmark.
import { startChild } from './child.ts';
import { type Connection, openConnection } from './http.ts';
import type { BenchServerOptions } from './server-process.ts';

export interface BenchServer extends Connection {
  readonly port: number;
  /** Statements so far, without `begin` and `commit`. */
  statements(): Promise<number>;
  /** Makes the database count the writes of this server's connections. */
  flushCounts(): Promise<void>;
  /** The number of waiting long polls. */
  waiting(): Promise<number>;
  /** Requests that were rejected before Express. */
  rejectedEarly(): Promise<number>;
  /** After garbage collection. */
  memory(): Promise<NodeJS.MemoryUsage>;
  /** Milliseconds of CPU time so far. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

/** `profile_dir`: the process writes a CPU profile there when it ends. */
export async function startServer(options: BenchServerOptions, profile_dir?: string): Promise<BenchServer> {
  const profiled = profile_dir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile_dir}`];
  const child = await startChild('./server-process.ts', options, ['--expose-gc', ...profiled]);
  const port = await child.call<number>('port');
  const line = openConnection(port);
  return {
    port,
    request: line.request,
    close: line.close,
    statements: () => child.call('statements'),
    flushCounts: () => child.call('flushCounts'),
    waiting: () => child.call('waiting'),
    rejectedEarly: () => child.call('rejectedEarly'),
    memory: () => child.call('memory'),
    cpu: () => child.call('cpu'),
    async stop() {
      line.close();
      await child.stop();
    },
  };
}
