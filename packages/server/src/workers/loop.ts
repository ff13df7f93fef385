import { withTurn } from '@parley/db';
import pLimit, { type LimitFunction } from 'p-limit';
import type { App } from '../app.ts';

export interface Job {
  readonly name: string;
  /** Milliseconds from the end of one run to the next. */
  readonly every: number;
  /** Every process runs it, at the same time as the others: its work is claimed piece by piece. */
  readonly together?: true;
  /** A job that returns `more` runs again at once. Stopping waits for the present run, so a run must be short. */
  run(app: App): Promise<unknown>;
}

export interface Workers {
  /** Starts no more runs and waits for the present ones. */
  stop(): Promise<void>;
}

/** Jobs of a process that can run at once. Each holds a connection, and its work needs another one. */
export const TURNS = 3;

/**
 * Runs each job at its interval, never twice at once in a process. Only one process runs a job at a time, unless the
 * job runs in all of them.
 */
export function startWorkers(app: App, jobs: readonly Job[]): Workers {
  const turns = pLimit(TURNS);
  const stops = jobs.map((job) => repeat(job, app, turns));
  return { stop: async () => void (await Promise.all(stops.map((stop) => stop()))) };
}

function repeat(job: Job, app: App, turns: LimitFunction): () => Promise<void> {
  let stopped = false;
  let running = Promise.resolve();
  let timer: NodeJS.Timeout;
  const plan = (ms: number) => {
    timer = setTimeout(() => {
      running = runOnce(job, app, turns).then((more) => {
        if (!stopped) plan(more ? 0 : job.every);
      });
    }, ms);
  };
  // Spread out: processes that start together do not all claim the same job at once.
  plan(Math.random() * Math.min(job.every, 5000));
  return () => {
    stopped = true;
    clearTimeout(timer);
    return running;
  };
}

/** Returns whether there is more to do at once. */
async function runOnce(job: Job, app: App, turns: LimitFunction): Promise<boolean> {
  const started = performance.now();
  let more = false;
  const work = async () => {
    more = (await job.run(app)) === 'more';
  };
  try {
    const done = job.together
      ? await work().then(() => true)
      : await turns(() => withTurn(app.database, job.name, work));
    if (done) app.log.debug({ job: job.name, ms: Math.round(performance.now() - started) }, 'job done');
  } catch (error) {
    app.log.error({ job: job.name, err: error }, 'job failed; it runs again at its next time');
    return false;
  }
  return more;
}
