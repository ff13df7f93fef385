import { checkEpoch, type Database, type Db, findIdentity } from '@parley/db';
import type { Logger } from './core/log.ts';
import type { PollServer } from './features/events/index.ts';

/** Milliseconds between two looks. */
const INTERVAL = 1000;

/**
 * Notices that the database was restored or that another server took over, or that another process noticed it: then the polls that
 * wait here end, and their clients find that their queues are gone.
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
    const found = await checkEpoch(db, await findIdentity(this.#database, db));
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

  /** Looks, and then again and again, and before a connection to another server is used. */
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
