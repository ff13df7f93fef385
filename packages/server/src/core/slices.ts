// Long work of the process itself, in slices between which it does something else.
import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work after which the process does something else. */
const SLICE = 2;
/** Milliseconds from which on something else was done in a turn of the event loop. */
const BUSY = 0.3;
/** How many times as long as a slice the next one waits at most. */
const OTHERS = 4;
/** The most milliseconds that count as a slice: in longer ones the work itself waited, for the database or for a client that reads. */
const LONGEST_SLICE = 10;
/** Milliseconds of work, on which others' requests wait, after which the process does something else. */
const SHARED_SLICE = 10;

/**
 * Makes a function to call between the steps of the work. After a slice it waits until the event loop has a turn with nothing else to do: a
 * request needs several turns, and would wait for a slice in each.
 */
export function createYield(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    const now = performance.now();
    if (now - since < SLICE) return undefined;
    return letOthersWork(now, OTHERS * Math.min(now - since, LONGEST_SLICE)).then(() => {
      since = performance.now();
    });
  };
}

/** The same for work on which others' requests wait: after a longer slice it waits for one turn of the event loop. */
export function createBriefYield(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SHARED_SLICE) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}

async function letOthersWork(start: number, longest: number): Promise<void> {
  let before = start;
  while (before - start < longest) {
    await setImmediate();
    const after = performance.now();
    if (after - before < BUSY) return;
    before = after;
  }
}
