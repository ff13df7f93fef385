import type { ClientBase } from 'pg';
import { noResponse } from './errors.ts';

/** Milliseconds that the response to a statement may take beyond the time that PostgreSQL has for it. */
const MARGIN = 5_000;

/** How long this process waits for the response to a statement that PostgreSQL ends after `statementTimeout`; 0: without end. */
export const deadlineOf = (statementTimeout: number, margin = MARGIN): number =>
  statementTimeout === 0 ? 0 : statementTimeout + margin;

/**
 * Closes the connection when the server has not responded in time, and has the statement fail. A server that is stopped, or a
 * network that drops packets, says nothing: without this the statement waits until the operating system gives up.
 */
export async function withDeadline<T>(client: ClientBase, milliseconds: number, response: Promise<T>): Promise<T> {
  if (milliseconds === 0) return response;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    destroyConnection(client);
  }, milliseconds);
  try {
    return await response;
  } catch (error) {
    throw isLate ? noResponse(error) : error;
  } finally {
    clearTimeout(timer);
  }
}

export function destroyConnection(client: ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
