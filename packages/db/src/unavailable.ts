import { isConnectionLoss, isFatalProtocolError, isPlanChange } from './postgres/errors.ts';

/**
 * Why the database temporarily could not run a statement: its server is away or at a limit of its own, another
 * transaction held a lock for too long, or the database rolled the transaction back for a reason outside of the
 * request.
 */
export type Unavailability = 'away' | 'busy' | 'locked' | 'rolled_back';

/**
 * Connection exceptions; the server stops, starts or ends the session; the session was idle in a transaction for too
 * long; the server is a standby.
 */
const AWAY = /^(08...|57P0.|25P03|25006)$/;
const PROTOCOL_VIOLATION = '08P01';
/** Too many connections, the disk is full, no memory. */
const BUSY = /^53...$/;
const LOCK_NOT_AVAILABLE = '55P03';
/** A commit that became a rollback, a serialization failure, a deadlock. */
const ROLLED_BACK = /^(40000|40001|40P01)$/;

/** The reason why the database temporarily failed; undefined for other errors. */
export function findUnavailability(error: unknown): Unavailability | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return findUnavailability(error.cause);
  if (code === LOCK_NOT_AVAILABLE) return 'locked';
  if (BUSY.test(code)) return 'busy';
  if (ROLLED_BACK.test(code)) return 'rolled_back';
  // Any other protocol error is a bug of the driver.
  if (code === PROTOCOL_VIOLATION) return isFatalProtocolError(error) ? 'away' : undefined;
  if (AWAY.test(code)) return 'away';
  return findUnavailability(error.cause);
}

/**
 * Whether the transaction was rolled back, or its connection lost before `commit` was sent, and can succeed when
 * repeated.
 */
export const canRetryTransaction = (error: unknown): boolean =>
  findUnavailability(error) === 'rolled_back' || isConnectionLoss(error) || isPlanChange(error);
