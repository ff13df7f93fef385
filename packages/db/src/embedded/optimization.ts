import { setFlagsFromString } from 'node:v8';

/** The execution budget after which V8 optimizes a function, in V8's units of code; the default is 1,800,000. */
const BUDGET = 500_000_000;

/**
 * Makes V8 optimize the code of an embedded database later than usual. Optimization takes about as much CPU time as a
 * whole short command, which ends before it pays off. Call it before the database is opened.
 */
export function deferOptimization(): void {
  setFlagsFromString(`--wasm-tiering-budget=${BUDGET}`);
}
