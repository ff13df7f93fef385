import { withTurn } from '@parley/db';
import pLimit, { type LimitFunction } from 'p-limit';
import type { App } from '../app.ts';

export interface Job {
  readonly name: string;
  /** Milliseconds from the end of one run to the next. */
  readonly every: number;
  /** Every process does it, at the same time as the others: its work is claimed piece by piece. */
  readonly together?: true;
  /** What gives `more` is run again at once. Stopping waits for the run in hand, so a run is to be short. */
  run(app: App): Promise<unknown>;
}

export interface Workers {
  /** Starts nothing more and waits for what runs. */
  stop(): Promise<void>;
}

/** Jobs of a process that may have their turn at once. Each holds a connection, and its work needs another one. */
export const TURNS = 3;

/**
 * Runs each job again and again, never twice at once in a process, and on one process at a time however many there are, unless
 * they do it together.
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
  // Processes that start together do not all ask for the same turn.
  plan(Math.random() * Math.min(job.every, 5000));
  return () => {
    stopped = true;
    clearTimeout(timer);
    return running;
  };
}

/** Whether there is more to do at once. */
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
