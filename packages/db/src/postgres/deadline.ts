import type { ClientBase } from 'pg';
import { noResponse } from './errors.ts';

/** Milliseconds that the response to a statement can take beyond the statement timeout of PostgreSQL. */
const MARGIN = 5_000;

/**
 * The time that this process waits for the response to a statement that PostgreSQL cancels after `statementTimeout`; 0:
 * no timeout.
 */
export const deadlineOf = (statementTimeout: number, margin = MARGIN): number =>
  statementTimeout === 0 ? 0 : statementTimeout + margin;

/**
 * Closes the connection when the server has not responded in time, and fails the statement. A suspended server, or a
 * network that drops packets, sends nothing: otherwise the statement would wait until the operating system gives up.
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
