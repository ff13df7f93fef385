import { sqlState } from '../sql-state.ts';

/** A failure that the driver reports without an SQLSTATE, or does not detect. */
export class ConnectionError extends Error {
  override name = 'ConnectionError';
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** SQLSTATEs of connections and commits. */
const CONNECTION_EXCEPTION = '08000';
const CANNOT_CONNECT = '08001';
const CONNECTION_LOST = '08006';
const COMMIT_UNKNOWN = '08007';
const ROLLED_BACK = '40000';
const READ_ONLY = '25006';
const PLAN_CHANGED = '0A000';
const TOO_MANY_CONNECTIONS = '53300';
const IN_FAILED_TRANSACTION = '25P02';
const QUERY_CANCELED = '57014';
const LOCK_NOT_AVAILABLE = '55P03';

export const connectionLost = (cause: unknown) =>
  new ConnectionError(CONNECTION_LOST, 'The connection to the database was lost.', { cause });

/**
 * The server did not respond in time, so the connection was closed. The statement is not retried: it would wait as long
 * again.
 */
export const noResponse = (cause: unknown) =>
  new ConnectionError(CONNECTION_EXCEPTION, 'The database did not respond in time.', { cause });

/** All connections of the pool were in use for as long as a request waits for one. */
export const poolExhausted = (cause: unknown) =>
  new ConnectionError(TOO_MANY_CONNECTIONS, 'No connection of the pool was free in time.', { cause });

/** The error of a connection attempt. The server's own errors, such as a wrong password, are unchanged. */
export const connectFailed = (cause: unknown): unknown =>
  hasSqlState(cause) ? cause : new ConnectionError(CANNOT_CONNECT, reasonOf(cause), { cause });

export const isStandby = () => new ConnectionError(READ_ONLY, 'The database server is a standby.');

/** The connection was lost after `commit` was sent: the transaction may have been committed. */
export const commitUnknown = (cause: unknown) =>
  new ConnectionError(COMMIT_UNKNOWN, 'The database did not confirm the commit.', { cause });

/** PostgreSQL ends a transaction with a failed statement with ROLLBACK, and reports no error. */
export const rolledBack = (command: string) =>
  new ConnectionError(ROLLED_BACK, `The database ended the transaction with ${command} instead of COMMIT.`);

/** PostgreSQL reports this for each statement after a failed one; here the failed one is `begin`. */
export const transactionAborted = () =>
  new ConnectionError(IN_FAILED_TRANSACTION, 'The transaction could not begin, so its statements do not run.');

const hasSqlState = (error: unknown): boolean =>
  /^[0-9A-Z]{5}$/.test(sqlState(error) ?? '') && sqlState(error) !== 'EPIPE';

function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || String(error);
}

/** Whether the connection ended before the statement did, so that an open transaction was rolled back. */
export function isConnectionLoss(error: unknown): boolean {
  return /^(08003|08006|57P0[1245])$/.test(sqlState(error) ?? '') || isFatalProtocolError(error);
}

export const isNoResponse = (error: unknown): boolean => sqlState(error) === CONNECTION_EXCEPTION;

/** PgBouncer reports its own limits and lost servers as protocol errors, and ends the connection. */
export function isFatalProtocolError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return code === undefined ? isFatalProtocolError(error.cause) : code === '08P01' && severity === 'FATAL';
}

/** Whether the server rejects connections at this moment, and may accept them soon. */
export const isConnectFailure = (error: unknown): boolean =>
  [CANNOT_CONNECT, READ_ONLY, '57P03', TOO_MANY_CONNECTIONS].includes(sqlState(error) ?? '') || isConnectionLoss(error);

/** Whether the statement exceeded its timeout. */
export const isCanceled = (error: unknown): boolean => sqlState(error) === QUERY_CANCELED;

/** Whether the statement exceeded its timeout because another transaction held a lock. */
export const lockNotAvailable = (cause: unknown) =>
  new ConnectionError(LOCK_NOT_AVAILABLE, 'A lock was not free in time.', { cause });

export const queryCanceled = () =>
  new ConnectionError(QUERY_CANCELED, 'The statement took too long, and the embedded database was restarted.');

/** "cached plan must not change result type": a table of the statement was altered after it was prepared. */
export const isPlanChange = (error: unknown): boolean => sqlState(error) === PLAN_CHANGED;
