import { type Database, type SchemaState, schemaState } from '@parley/db';
import type { Logger } from './log.ts';

/** Milliseconds between two checks. A failed request also triggers a check. */
const INTERVAL = 2_000;

/** Detects that the database was migrated to a schema that this server is too old for. */
export class SchemaWatch {
  readonly #database: Database;
  readonly #log: Logger;
  #conflict: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, log: Logger) {
    this.#database = database;
    this.#log = log;
  }

  /** The reason why this server must not serve, as of the last check. */
  get conflict(): string | undefined {
    return this.#conflict;
  }

  /** Only this process migrates an embedded database. */
  start(): void {
    if (this.#database.kind === 'embedded') return;
    this.#timer = setTimeout(async () => {
      // While the database is unavailable, the last result stays.
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
