/** A password that a client tries. */
export interface PasswordAttempt {
  /** Each purpose has counters of its own. */
  readonly purpose: 'login' | 'directory' | 'old_password';
  readonly realm_id: number;
  /** Whose password it would be: an email address, a name in a directory, or an id. */
  readonly username: string;
  /** Where the client is. */
  readonly network: string;
}

export interface PasswordLimits {
  /** Counts a failed password. */
  passwordFailed(attempt: PasswordAttempt): Promise<void>;
  /**
   * Seconds until this network may try a password for this username again, and until any network may; 0 when it may. A network
   * that has logged in to the account need not mind the second.
   */
  passwordWait(attempt: PasswordAttempt): Promise<{ network: number; all: number }>;
  passwordSucceeded(attempt: PasswordAttempt): Promise<void>;
}

export interface RateLimits extends PasswordLimits {
  /** Counts a change of an account's email address. */
  emailChange(user: { realm_id: number; id: number }): Promise<RateLimitVerdict | undefined>;
}

export interface PasswordLimiting {
  readonly limits: PasswordLimits;
}

export interface EmailChangeLimiting {
  readonly limits: Pick<RateLimits, 'emailChange'>;
}

/** How a bucket stands after a request. */
export interface RateLimitVerdict {
  /** Requests allowed in the largest window. */
  limit: number;
  remaining: number;
  /** When the window ends: UNIX time, milliseconds. */
  reset: number;
  /** Seconds to wait, when the request is one too many. */
  wait: number | undefined;
}

export interface RequestingUser {
  readonly realm_id: number;
  readonly id: number;
  readonly bot_owner_id?: number | null;
}

/**
 * What an address is counted for, each on its own: reads without credentials, credentials that are wrong, attempts to log in,
 * pictures that do not exist, and requests of applications for tokens.
 */
export type AddressCounter = 'reads' | 'failures' | 'logins' | 'pictures' | 'tokens';

/** The buckets of requests; shared by every process on the same database. */
export interface RequestLimits {
  /** A bot counts with the other bots of its owner as well, but for polls. */
  account(user: RequestingUser, bucket: 'account' | 'events'): Promise<RateLimitVerdict | undefined>;
  address(ip: string | undefined, counter: AddressCounter): Promise<RateLimitVerdict | undefined>;
  /** Takes back that a request was counted. */
  release(user: RequestingUser, bucket: 'account' | 'events'): void;
}
