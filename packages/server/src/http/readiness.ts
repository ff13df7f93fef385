import type { SchemaState } from '@parley/db';
import type { App } from '../app.ts';
import { writeProbe } from './limits/index.ts';

export interface Health {
  /** Set once, when the process receives the signal to stop: it still serves, and each response is the last on its connection. */
  draining: boolean;
}

/** Milliseconds within which the database must respond to all checks of `/readyz`. */
const TIMEOUT = 800;
/** Milliseconds between two writes that only check whether the database accepts writes. */
const PROBE_INTERVAL = 10_000;

/** The schema versions of the server and of the database, and the oldest server that the database supports. */
type Schema = Pick<SchemaState, 'server' | 'database' | 'minimum'>;

export interface ReadyReport {
  readonly status: 'ready' | 'draining' | 'not ready';
  readonly reason?: string;
  readonly schema?: Schema;
}

/** The response of `/readyz`. */
export class Readiness {
  readonly #app: App;
  readonly #health: Health;
  #lastWrite: { readonly at: number; readonly problem: Promise<string | undefined> } | undefined;

  constructor(app: App, health: Health) {
    this.#app = app;
    this.#health = health;
  }

  async report(): Promise<ReadyReport> {
    if (this.#health.draining) return { status: 'draining', reason: 'The server is about to stop.' };
    const deadline = performance.now() + TIMEOUT;
    const state = await this.#findState(deadline);
    if (!state) return { status: 'not ready', reason: 'The database does not respond.' };
    const { server, database, minimum } = state;
    const reason =
      problemOf(state) ?? (await this.#findSecretProblem(deadline)) ?? (await this.#findWriteProblem(deadline));
    const schema = { server, database, minimum };
    return reason === undefined ? { status: 'ready', schema } : { status: 'not ready', reason, schema };
  }

  /** Undefined: the database does not respond. */
  async #findState(deadline: number): Promise<SchemaState | undefined> {
    try {
      return await before(deadline, this.#app.schema.look());
    } catch (error) {
      this.#app.log.warn({ err: error }, 'the database does not respond');
      return undefined;
    }
  }

  async #findSecretProblem(deadline: number): Promise<string | undefined> {
    try {
      return await before(deadline, this.#app.secretGuard.findProblem());
    } catch (error) {
      this.#app.log.warn({ err: error }, 'the database does not respond');
      return 'The database does not respond.';
    }
  }

  /** The database rejects writes while its disk is full. It is checked at most once in ten seconds. */
  #findWriteProblem(deadline: number): Promise<string | undefined> {
    const now = this.#app.clock().getTime();
    const age = now - (this.#lastWrite?.at ?? 0);
    // The clock was set back: a result from the future counts as old.
    if (!this.#lastWrite || age >= PROBE_INTERVAL || age < 0) {
      this.#lastWrite = { at: now, problem: this.#probeWrites(deadline) };
    }
    return this.#lastWrite.problem;
  }

  async #probeWrites(deadline: number): Promise<string | undefined> {
    const { database, clock, log } = this.#app;
    try {
      await before(deadline, writeProbe(database.probe, clock()));
      return undefined;
    } catch (error) {
      log.error({ err: error }, 'the database takes no writes');
      return 'The database takes no writes: its disk may be full.';
    }
  }
}

function problemOf({ conflict, missing }: SchemaState): string | undefined {
  return conflict ?? (missing.length > 0 ? `${missing.length} migrations are missing: run parley migrate.` : undefined);
}

/** Fails at the deadline, a time of `performance.now()`. */
async function before<T>(deadline: number, reading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`No response in ${TIMEOUT} ms.`)), deadline - performance.now());
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}
