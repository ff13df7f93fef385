// A PostgreSQL of one test's own, whose processes it can stop and continue.
import { execFileSync } from 'node:child_process';

type StartPostgres = () => Promise<{ url: string; pid: number; stop(): Promise<void> } | { missing: string }>;
const script = new URL('../../scripts/postgres.mjs', import.meta.url).href;

export interface Cluster {
  readonly url: string;
  /** Stops all its processes where they are, as a machine that hangs does. Connections stay open. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export async function startCluster(): Promise<Cluster> {
  const { startPostgres } = (await import(script)) as { startPostgres: StartPostgres };
  const started = await startPostgres();
  if ('missing' in started) throw new Error(`PostgreSQL did not start: ${started.missing}`);
  const { url, pid, stop } = started;
  const signal = (name: NodeJS.Signals) => {
    for (const each of [pid, ...childrenOf(pid)]) process.kill(each, name);
  };
  return {
    url,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    async stop() {
      signal('SIGCONT');
      await stop();
    },
  };
}

/** PostgreSQL has a process for each connection. */
function childrenOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([own = 0, parent]) => (parent === pid ? [own] : []));
}
