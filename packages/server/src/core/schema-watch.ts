import { type Database, type SchemaState, schemaState } from '@parley/db';
import type { Logger } from './log.ts';

/** Milliseconds between two looks. A request that fails meanwhile looks, too. */
const INTERVAL = 2_000;

/** Notices that the database was migrated to a schema that this server is too old for. */
export class SchemaWatch {
  readonly #database: Database;
  readonly #log: Logger;
  #conflict: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, log: Logger) {
    this.#database = database;
    this.#log = log;
  }

  /** Why this server must not serve, as of the last look. */
  get conflict(): string | undefined {
    return this.#conflict;
  }

  /** Nothing but this process migrates an embedded database. */
  start(): void {
    if (this.#database.kind === 'embedded') return;
    this.#timer = setTimeout(async () => {
      // While the database is away there is nothing to find out.
      await this.look().catch(() => {});
      if (this.#timer) this.start();
    }, INTERVAL);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async look(): Promise<SchemaState> {
    const state = await schemaState(this.#database.probe);
    if (state.conflict !== this.#conflict) {
      if (state.conflict) this.#log.error({ reason: state.conflict }, 'not serving');
      else this.#log.info('serving again');
    }
    this.#conflict = state.conflict;
    return state;
  }
}
