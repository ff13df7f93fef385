// Background load: requests of other users during a large operation, and their waiting times.
import { pause, percentile } from './times.ts';

export interface Probe {
  readonly name: string;
  run(): Promise<{ ms: number }>;
}

/** Times by probe. */
export type ProbeTimes = Readonly<Record<string, readonly number[]>>;

/** Milliseconds between two probes of a kind: users, not a stress test. At this rate an idle server is mostly idle. */
const PACE = 125;
const WARM_UP = 1000;

/**
 * Runs every probe at its rate while `work` runs. A probe begins at its time, whether or not the previous one has
 * ended, and its waiting time counts from then: so a blocked server delays all probes, not one.
 */
export async function runDuring(probes: readonly Probe[], work: () => Promise<unknown>): Promise<ProbeTimes> {
  const waits = Object.fromEntries(probes.map(({ name }) => [name, [] as number[]]));
  const open = new Set<Promise<void>>();
  const problems: unknown[] = [];
  const begin = ({ name, run }: Probe) => {
    const one: Promise<void> = run()
      .then(({ ms }) => void waits[name]?.push(ms))
      .catch((problem) => void problems.push(problem))
      .finally(() => open.delete(one));
    open.add(one);
  };
  const timers: NodeJS.Timeout[] = [];
  for (const probe of probes) {
    timers.push(setInterval(() => begin(probe), PACE));
    await pause(PACE / probes.length);
  }
  try {
    await work();
  } finally {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(open);
  }
  if (problems.length > 0) throw problems[0];
  return waits;
}

/**
 * Runs probes against an idle server for some milliseconds. The first ones, which meet a cold server, are not counted.
 */
export async function runIdle(probes: readonly Probe[], span: number): Promise<ProbeTimes> {
  await runDuring(probes, () => pause(WARM_UP));
  return runDuring(probes, () => pause(span));
}

export const p99 = (waits: ProbeTimes): number => percentile(Object.values(waits).flat(), 0.99);
