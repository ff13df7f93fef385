export interface Timeouts {
  /** Milliseconds that a statement can run. */
  readonly statementTimeout: number;
  /** Milliseconds that a statement waits for a lock. */
  readonly lockTimeout: number;
  /** Milliseconds that a transaction can be open without a statement. */
  readonly idleTransactionTimeout: number;
}

// Disables JIT compilation of statements with high estimated costs. It takes half a second; statements of the server
// take a few milliseconds.
const settings = ({ statementTimeout, lockTimeout, idleTransactionTimeout }: Timeouts): string[] => [
  `statement_timeout = ${statementTimeout}`,
  `lock_timeout = ${lockTimeout}`,
  `idle_in_transaction_session_timeout = ${idleTransactionTimeout}`,
  'jit = off',
];

/** For a session that only this process uses. */
export const sessionSettings = (timeouts: Timeouts): string =>
  settings(timeouts)
    .map((setting) => `set ${setting}`)
    .join('; ');

/**
 * The time within which PostgreSQL detects that the host of a client has vanished without closing its connections: 20
 * to 25 s. By default it keeps the session of an idle connection, with its advisory locks, for the two hours of the
 * operating system. PostgreSQL ignores these settings on Unix sockets.
 */
export const VANISHED_CLIENT_SETTINGS = [
  'set tcp_keepalives_idle = 10',
  'set tcp_keepalives_interval = 5',
  'set tcp_keepalives_count = 3',
  // For a response that the client's host does not acknowledge.
  'set tcp_user_timeout = 20000',
].join('; ');

/** Sent after `begin` in a transaction of a shared session. */
export const beginSettings = (timeouts: Timeouts): string =>
  settings(timeouts)
    .map((setting) => `; set local ${setting}`)
    .join('');
