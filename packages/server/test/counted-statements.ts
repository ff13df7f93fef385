// Counts the statements of some work and of the requests that it sends, and not those of a server's own timers.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestListener, Server } from 'node:http';

type OnStatement = () => void;

/** Set in what is counted. It slows down each promise of the process, so it is in use only while something is counted. */
const counted = new AsyncLocalStorage<OnStatement>();
let counting = 0;
/** What is done at each statement of requests that come now. */
let onRequestStatement: OnStatement = () => {};

/** Whether something is counted now. */
export const isCounting = (): boolean => counting > 0;

/** Whether the statement that is sent now counts. */
export function noteStatement(): boolean {
  const onStatement = counting > 0 ? counted.getStore() : undefined;
  onStatement?.();
  return onStatement !== undefined;
}

/** Runs work whose statements count; `onStatement` is called before each. */
export async function whileCounting<T>(work: () => Promise<T>, onStatement: OnStatement = () => {}): Promise<T> {
  counting++;
  onRequestStatement = onStatement;
  try {
    return await counted.run(onStatement, work);
  } finally {
    counting--;
    if (counting === 0) counted.disable();
  }
}

/** Counts also the statements of requests to this server during the work. */
export function countRequests(server: Server): void {
  const [handle] = server.listeners('request') as RequestListener[];
  if (!handle) throw new Error('The server handles no requests.');
  server.removeAllListeners('request');
  server.on('request', (...request) =>
    counting > 0 ? counted.run(onRequestStatement, handle, ...request) : handle(...request),
  );
}
