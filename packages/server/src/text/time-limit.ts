import { createContext, Script } from 'node:vm';
import { loadOnFirstUse } from '../core/lazy.ts';

/** Processor time that a text may still take in libraries whose worst case nobody knows. */
export interface TimeBudget {
  ms: number;
}

/** By the clock, and so long that a machine that stands still for a moment ends nothing. */
const LONGEST_RUN_MS = 500;

const sandbox = loadOnFirstUse(() => createContext({ work: undefined as unknown }));
const script = loadOnFirstUse(() => new Script('work()'));

/**
 * The result of `work`, or undefined if it throws, takes too long or the budget is spent. Node stops a script at its deadline
 * wherever it is, in a regular expression too; a deadline costs about 0.1 ms.
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

/** Processor time in ms. That of the process has other threads in it, and is never more than counts by the clock. */
function startTimer(): () => number {
  const [started, used] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(used);
    return Math.min(performance.now() - started, (user + system) / 1000);
  };
}
