import { checkEpoch, type Database, type Db, findIdentity } from '@parley/db';
import type { Logger } from './core/log.ts';
import type { PollServer } from './features/events/index.ts';

/** Milliseconds between two checks. */
const INTERVAL = 1000;

/**
 * Detects that the database was restored or failed over, also by another process's detection. Then the polls that wait
 * in this process end, and their clients get the error that their queues are gone.
 */
export class EpochWatch {
  readonly #database: Database;
  readonly #polls: Pick<PollServer, 'endAll'>;
  readonly #log: Logger;
  #epoch: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, polls: Pick<PollServer, 'endAll'>, log: Logger) {
    this.#database = database;
    this.#polls = polls;
    this.#log = log;
  }

  /** False: the database has no tables yet. */
  readonly check = async (db: Db = this.#database.db): Promise<boolean> => {
    const found = await checkEpoch(db, (on) => findIdentity(this.#database, on));
    if (!found) return false;
    if (found.raised_for !== undefined) {
      this.#log.warn(
        { reason: found.raised_for },
        'the database was restored, or another server took over: every client registers its event queues again',
      );
    }
    const isKnown = this.#epoch === undefined || this.#epoch === found.epoch;
    this.#epoch = found.epoch;
    if (!isKnown) this.#polls.endAll();
    return true;
  };

  /** Checks now, at intervals, and before a connection to another server is used. */
  async start(): Promise<void> {
    await this.check();
    this.#database.onNewServer(this.check);
    let isBusy = false;
    this.#timer = setInterval(() => {
      if (isBusy) return;
      isBusy = true;
      this.check()
        .catch((error: unknown) =>
          this.#log.warn({ err: error }, 'the epoch of the database cannot be read; trying again'),
        )
        .finally(() => {
          isBusy = false;
        });
    }, INTERVAL).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
