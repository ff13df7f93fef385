export interface Timeouts {
  /** Milliseconds a statement may run. */
  readonly statementTimeout: number;
  /** Milliseconds a statement waits for a lock. */
  readonly lockTimeout: number;
  /** Milliseconds a transaction may be open without a statement. */
  readonly idleTransactionTimeout: number;
}

// PostgreSQL compiles statements that it expects to take long. That takes half a second; those of the server take a few
// milliseconds.
const settings = ({ statementTimeout, lockTimeout, idleTransactionTimeout }: Timeouts): string[] => [
  `statement_timeout = ${statementTimeout}`,
  `lock_timeout = ${lockTimeout}`,
  `idle_in_transaction_session_timeout = ${idleTransactionTimeout}`,
  'jit = off',
];

/** For a session of this process's own. */
export const sessionSettings = (timeouts: Timeouts): string =>
  settings(timeouts)
    .map((setting) => `set ${setting}`)
    .join('; ');

/**
 * How soon PostgreSQL notices that the host of a client has vanished, which closes no connection: 20 to 25 s. Otherwise it keeps the session
 * of an idle connection, with its advisory locks, for the two hours of the operating system. PostgreSQL ignores them on Unix sockets.
 */
export const VANISHED_CLIENT_SETTINGS = [
  'set tcp_keepalives_idle = 10',
  'set tcp_keepalives_interval = 5',
  'set tcp_keepalives_count = 3',
  // Of a response that the client's host does not acknowledge.
  'set tcp_user_timeout = 20000',
].join('; ');

/** To follow `begin` in a transaction of a session that others use, too. */
export const beginSettings = (timeouts: Timeouts): string =>
  settings(timeouts)
    .map((setting) => `; set local ${setting}`)
    .join('');
