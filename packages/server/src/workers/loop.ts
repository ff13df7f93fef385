import { withTurn } from '@parley/db';
import type { App } from '../app.ts';

export interface Job {
  readonly name: string;
  /** Milliseconds from the end of one run to the next. */
  readonly every: number;
  run(app: App): Promise<void>;
}

export interface Workers {
  /** Starts nothing more and waits for what runs. */
  stop(): Promise<void>;
}

/** Runs each job again and again, never twice at once, and on one process at a time however many there are. */
export function startWorkers(app: App, jobs: readonly Job[]): Workers {
  const stops = jobs.map((job) => repeat(job, app));
  return { stop: async () => void (await Promise.all(stops.map((stop) => stop()))) };
}

function repeat(job: Job, app: App): () => Promise<void> {
  let stopped = false;
  let running = Promise.resolve();
  let timer: NodeJS.Timeout;
  const plan = (ms: number) => {
    timer = setTimeout(() => {
      running = runOnce(job, app).then(() => {
        if (!stopped) plan(job.every);
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

async function runOnce(job: Job, app: App): Promise<void> {
  const started = performance.now();
  try {
    const done = await withTurn(app.database, job.name, () => job.run(app));
    if (done) app.log.debug({ job: job.name, ms: Math.round(performance.now() - started) }, 'job done');
  } catch (error) {
    app.log.error({ job: job.name, err: error }, 'job failed; it runs again at its next time');
  }
}
