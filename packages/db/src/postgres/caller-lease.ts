// While a process holds this lease, no organization and no account can change, so what it remembers of them is what a
// statement would read (docs/adr/0054).

import { setTimeout as pause } from 'node:timers/promises';

/** The lock that migration 0016 takes alone for each transaction that changes an organization or an account. */
const LOCK = 7_205_763;

/** Milliseconds for which the lock is held at most before others get it, and over which uses are counted. */
const PERIOD = 50;
/** Milliseconds for which requests wait at most while it is being renewed. */
const WAIT = 25;
/** Uses in a period for which the lease is worth its statements. */
const ENOUGH = 4;
/**
 * Milliseconds for which the lock is trusted. The session that holds it can end without notice, and a transaction ends it
 * after a second (`change_callers`).
 */
const TRUSTED = 100;

const RELEASE = `select pg_advisory_unlock_shared(${LOCK})`;
const ACQUIRE = `select pg_try_advisory_lock_shared(${LOCK}) as held`;
/** Its own statement, which reads what was committed before the lock was granted. Before the first change there is no row. */
const READ = `select coalesce((select version::text from caller_version), '') as version`;
/** Otherwise all statements that are sent together could read what was committed before the first one, by a setting of the database. */
const BY_STATEMENT = 'set transaction isolation level read committed';

const FIRST = [BY_STATEMENT, ACQUIRE, READ].join('; ');
const RENEW = [BY_STATEMENT, RELEASE, ACQUIRE, READ].join('; ');

type Row = Readonly<Record<string, unknown>>;

/** The session of a connection to PostgreSQL, which holds the lock. */
export interface LeaseSession {
  /** Identifies the PostgreSQL server and its database. */
  readonly server: string;
  /** Runs statements that are separated by semicolons, and returns the rows of all. */
  query(text: string): Promise<readonly Row[]>;
  /** Closes the connection. */
  close(): void;
}

export class CallerLease {
  readonly #serverOfStatements: () => string | undefined;
  #session: LeaseSession | undefined;
  #isHeld = false;
  #isBusy = false;
  #version: string | undefined;
  #trustedUntil = 0;
  #uses = 0;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #renewal: Promise<void> | undefined;

  /** `serverOfStatements`: the server that statements are sent to, as far as this process knows. */
  constructor(serverOfStatements: () => string | undefined) {
    this.#serverOfStatements = serverOfStatements;
  }

  /**
   * The version of all organizations and accounts, if they cannot change now; undefined: they can. What was read when
   * this was the version is as it was. The lease is acquired when it is used often.
   */
  use(): string | undefined {
    this.#count(performance.now());
    return this.version;
  }

  /** The same, and not a use. */
  get version(): string | undefined {
    if (this.#version === undefined || performance.now() > this.#trustedUntil) return undefined;
    // After a failover, statements go to another server before this session ends.
    return this.#session?.server === this.#serverOfStatements() ? this.#version : undefined;
  }

  /**
   * Waits while the lease is being renewed, for `WAIT` milliseconds at most: that takes one round trip, as long as to
   * read what the lease would spare.
   */
  async settle(): Promise<void> {
    if (this.#version === undefined) await this.#renewal;
  }

  /** Uses another session, or none. */
  readonly setSession = (session?: LeaseSession): void => {
    clearTimeout(this.#timer);
    this.#session = session;
    this.#isHeld = false;
    this.#isBusy = false;
    this.#version = undefined;
  };

  #count(now: number): void {
    if (!this.#isHeld && now - this.#since > PERIOD) this.#startCounting(now);
    this.#uses++;
    if (this.#uses === ENOUGH && !this.#isHeld && !this.#isBusy) void this.#send(FIRST);
  }

  #startCounting(now: number): void {
    this.#since = now;
    this.#uses = 0;
  }

  /** Gives the lock to transactions that wait for it, and takes it again if it is still used. */
  #renew(): void {
    const isUsed = this.#uses >= ENOUGH;
    this.#startCounting(performance.now());
    const response = this.#send(isUsed ? RENEW : RELEASE);
    this.#renewal = isUsed ? Promise.race([response, pause(WAIT, undefined, { ref: false })]) : undefined;
  }

  async #send(text: string): Promise<void> {
    const session = this.#session;
    if (!session) return;
    // Trusted no more from now on: the server can release the lock before its response arrives.
    this.#version = undefined;
    this.#isBusy = true;
    const sent = performance.now();
    try {
      const rows = await session.query(text);
      if (session === this.#session) this.#hold(rows, sent);
    } catch {
      // The connection may still hold the lock.
      session.close();
    }
  }

  #hold(rows: readonly Row[], sent: number): void {
    const { held, version } = Object.assign({}, ...rows) as { held?: boolean; version?: string };
    this.#isBusy = false;
    this.#isHeld = held === true;
    if (!this.#isHeld) return;
    this.#version = version;
    this.#trustedUntil = sent + TRUSTED;
    this.#timer = setTimeout(() => this.#renew(), PERIOD);
    this.#timer.unref();
  }
}
