import { migrationStatus } from '@parley/db';
import type { App } from '../app.ts';
import { writeProbe } from './limits/index.ts';

export interface Health {
  /** Set once, when the process is told to stop: it still serves, and each response is the last on its connection. */
  draining: boolean;
}

/** Milliseconds that the database has for all that `/readyz` asks. */
const PATIENCE = 800;
/** Milliseconds between two writes that only find out whether the database takes them. */
const PROBE_INTERVAL = 10_000;

/** Why requests should go elsewhere. */
export interface Unready {
  readonly status: 'draining' | 'not ready';
  readonly reason: string;
}

/** What `/readyz` says. */
export class Readiness {
  readonly #app: App;
  readonly #health: Health;
  #lastWrite: { readonly at: number; readonly problem: Promise<string | undefined> } | undefined;

  constructor(app: App, health: Health) {
    this.#app = app;
    this.#health = health;
  }

  /** Undefined if requests should come. */
  async findProblem(): Promise<Unready | undefined> {
    if (this.#health.draining) return { status: 'draining', reason: 'The server is about to stop.' };
    const deadline = performance.now() + PATIENCE;
    const reason = (await this.#findSchemaProblem(deadline)) ?? (await this.#findWriteProblem(deadline));
    return reason === undefined ? undefined : { status: 'not ready', reason };
  }

  async #findSchemaProblem(deadline: number): Promise<string | undefined> {
    try {
      const migrations = await before(deadline, migrationStatus(this.#app.database.probe));
      const missing = migrations.filter(({ applied }) => !applied);
      return missing.length > 0 ? `${missing.length} migrations are missing: run parley migrate.` : undefined;
    } catch (error) {
      this.#app.log.warn({ err: error }, 'the database does not answer');
      return 'The database does not answer.';
    }
  }

  /** The database takes no writes while its disk is full. Looks at most once in ten seconds. */
  #findWriteProblem(deadline: number): Promise<string | undefined> {
    const now = this.#app.clock().getTime();
    const age = now - (this.#lastWrite?.at ?? 0);
    // A clock that was set back makes an answer no younger.
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

/** Fails at the deadline, a time of `performance.now()`. */
async function before<T>(deadline: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer in ${PATIENCE} ms.`)), deadline - performance.now());
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
