import { createContext, Script } from 'node:vm';
import { loadOnFirstUse } from '../core/lazy.ts';

/** CPU time that a text can still spend in libraries whose worst case is unknown. */
export interface TimeBudget {
  ms: number;
}

/** Wall-clock time, long enough that a short stall of the machine ends nothing. */
const LONGEST_RUN_MS = 500;

const sandbox = loadOnFirstUse(() => createContext({ work: undefined as unknown }));
const script = loadOnFirstUse(() => new Script('work()'));

/**
 * Returns the result of `work`, or undefined if it throws, takes too long or the budget is spent. Node stops a script
 * at its deadline anywhere, even in a regular expression; a deadline costs about 0.1 ms.
 */
export function runWithin<T>(budget: TimeBudget, work: () => T, longestMs = LONGEST_RUN_MS): T | undefined {
  if (budget.ms < 1) return undefined;
  const elapsed = startTimer();
  const context = sandbox();
  context.work = work;
  try {
    return script().runInContext(context, { timeout: longestMs }) as T;
  } catch {
    return undefined;
  } finally {
    context.work = undefined;
    budget.ms -= elapsed();
  }
}

/** CPU time in ms. The CPU time of the process includes other threads, so it is capped by the wall-clock time. */
function startTimer(): () => number {
  const [started, used] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(used);
    return Math.min(performance.now() - started, (user + system) / 1000);
  };
}
