import { type Db, updatePreviousSecretUse } from '@parley/db';
import type { Logger } from '../core/log.ts';
import type { Secrets } from '../core/secrets.ts';
import { registerSecrets, UNKNOWN_SECRET } from './check.ts';

/** Milliseconds between two writes of when the previous secret was last used. */
const INTERVAL = 10 * 60_000;

/** Checks whether the database knows the secrets of this process, and records that the previous one is still in use. */
export class SecretGuard {
  readonly #db: Db;
  readonly #secrets: Secrets;
  readonly #clock: () => Date;
  readonly #log: Logger;
  #fingerprint: string | undefined;
  #recorded = Number.NEGATIVE_INFINITY;

  constructor(db: Db, secrets: Secrets, clock: () => Date, log: Logger) {
    this.#db = db;
    this.#secrets = secrets;
    this.#clock = clock;
    this.#log = log;
  }

  /** The reason why the secret cannot be used, if there is one. The database must be migrated. */
  async findProblem(): Promise<string | undefined> {
    this.#fingerprint ??= await registerSecrets(this.#db, this.#secrets, this.#clock());
    return this.#fingerprint === undefined ? UNKNOWN_SECRET : undefined;
  }

  /** Called when a value made with the previous secret was used. No request waits for the record. */
  readonly recordPrevious = (): void => {
    const now = this.#clock();
    if (this.#fingerprint === undefined || now.getTime() - this.#recorded < INTERVAL) return;
    this.#recorded = now.getTime();
    updatePreviousSecretUse(this.#db, this.#fingerprint, now).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'the use of the previous secret could not be recorded');
    });
  };
}
