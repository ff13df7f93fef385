import { createContext, Script } from 'node:vm';
import { loadOnFirstUse } from '../core/lazy.ts';

/** Time that a text may still take in libraries whose worst case nobody knows. */
export interface TimeBudget {
  ms: number;
}

const sandbox = loadOnFirstUse(() => createContext({ work: undefined as unknown }));
const script = loadOnFirstUse(() => new Script('work()'));

/**
 * The result of `work`, or undefined if it throws or the budget ends. Node stops a script at its deadline wherever it is,
 * in a regular expression too; a deadline costs about 0.1 ms.
 */
export function runWithin<T>(budget: TimeBudget, work: () => T): T | undefined {
  if (budget.ms < 1) return undefined;
  const started = performance.now();
  const context = sandbox();
  context.work = work;
  try {
    return script().runInContext(context, { timeout: Math.floor(budget.ms) }) as T;
  } catch {
    return undefined;
  } finally {
    context.work = undefined;
    budget.ms -= performance.now() - started;
  }
}
