// A PostgreSQL of one test, whose processes the test can stop and continue.
import { execFileSync } from 'node:child_process';

interface StartedPostgres {
  readonly url: string;
  readonly pid: number;
  restart(signal: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
}
type Settings = Record<string, string>;
type StartPostgres = (settings?: Settings, within?: string) => Promise<StartedPostgres | { missing: string }>;
const script = new URL('../../scripts/postgres.mjs', import.meta.url).href;

export interface Cluster {
  readonly url: string;
  /** Stops all its processes with SIGSTOP, as a machine that hangs does. Connections stay open. */
  pause(): void;
  resume(): void;
  /** Restarts it at the same address: a fast shutdown ends all sessions, an immediate one is a crash of PostgreSQL. */
  restart(mode: 'fast' | 'immediate'): Promise<void>;
  stop(): Promise<void>;
}

/** `within`: the folder for its data. */
export async function startCluster(settings: Settings = {}, within?: string): Promise<Cluster> {
  const { startPostgres } = (await import(script)) as { startPostgres: StartPostgres };
  const started = await startPostgres(settings, within);
  if ('missing' in started) throw new Error(`PostgreSQL did not start: ${started.missing}`);
  const signal = (name: NodeJS.Signals) => {
    // First the one that starts the others: a process that it starts after they are listed would go on.
    sendSignal(started.pid, name);
    for (const each of childrenOf(started.pid)) sendSignal(each, name);
  };
  return {
    url: started.url,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    restart: (mode) => started.restart(mode === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    async stop() {
      signal('SIGCONT');
      await started.stop();
    },
  };
}

/** A process of a connection may have ended since it was listed. */
function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** PostgreSQL has a process for each connection. */
function childrenOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([own = 0, parent]) => (parent === pid ? [own] : []));
}
