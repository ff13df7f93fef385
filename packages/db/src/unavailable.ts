/**
 * Why the database could not do something that it can do later: its server is away, is at a limit of its own, or another
 * transaction held a lock for too long.
 */
export type Unavailability = 'away' | 'busy' | 'locked';

/** What the driver reports when there is no connection, or no longer. */
const CONNECTION_ERRORS: ReadonlySet<string> = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/**
 * Connection exceptions; the server stops, starts or ends the session; the session was idle in a transaction for too long; the
 * server is a standby.
 */
const AWAY = /^(08...|57P0.|25P03|25006)$/;
const PROTOCOL_VIOLATION = '08P01';
/** Too many connections, the disk is full, no memory. */
const BUSY = /^53...$/;
const LOCK_NOT_AVAILABLE = '55P03';

/** Why the database cannot do this now; undefined if the error says nothing of the kind. */
export function findUnavailability(error: unknown): Unavailability | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  if (typeof code !== 'string') return findUnavailability(error.cause);
  if (code === LOCK_NOT_AVAILABLE) return 'locked';
  if (BUSY.test(code)) return 'busy';
  // PgBouncer reports its own limits with this code, and ends the connection; from PostgreSQL it is a mistake of ours.
  if (code === PROTOCOL_VIOLATION && severity !== 'FATAL') return undefined;
  if (AWAY.test(code) || CONNECTION_ERRORS.has(code)) return 'away';
  return findUnavailability(error.cause);
}
