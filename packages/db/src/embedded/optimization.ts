import { setFlagsFromString } from 'node:v8';

/** What a function must have run before V8 optimizes it, in V8's units of code; its default is 1,800,000. */
const BUDGET = 500_000_000;

/**
 * Has V8 optimize the code of an embedded database later than usual. That takes about as much CPU time as the whole of a short
 * command, which ends before it pays. Call it before the database is opened.
 */
export function deferOptimization(): void {
  setFlagsFromString(`--wasm-tiering-budget=${BUDGET}`);
}
