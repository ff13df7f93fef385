// Counts the statements of some work and of the requests that it sends, and not those of a server's own timers.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestListener, Server } from 'node:http';

/**
 * Set within counted work. It slows down each promise of the process, so it is in use only while something is counted.
 */
const counted = new AsyncLocalStorage<true>();
let counting = 0;

export const isCounted = (): boolean => counting > 0 && counted.getStore() === true;

/** Runs work whose statements are counted. */
export async function whileCounting<T>(work: () => Promise<T>): Promise<T> {
  counting++;
  try {
    return await counted.run(true, work);
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
  server.on('request', (...request) => (counting > 0 ? counted.run(true, handle, ...request) : handle(...request)));
}
