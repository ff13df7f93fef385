import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { deadlineOf, withDeadline } from './deadline.ts';
import {
  commitUnknown,
  connectionLost,
  isCanceled,
  isConnectionLoss,
  isNoResponse,
  isPlanChange,
  rolledBack,
} from './errors.ts';
import type { StatementNames } from './statement-names.ts';
import { withNumbers } from './types.ts';

/** A request to end the statement that a session runs. */
export interface CancelRequest {
  /** Whether it may arrive when that statement has ended, and end another one. */
  readonly mayComeLate: boolean;
}

export interface SessionOptions {
  readonly isPooled: boolean;
  /** Undefined where statements must not stay prepared. */
  readonly names: StatementNames | undefined;
  /** Statements to send with each `begin`, where the session's own settings do not last. */
  readonly begin: string;
  /** Milliseconds after which a statement is canceled; undefined: as the settings of the session say. */
  readonly limit: number | undefined;
  /** Asks the server to end the statement that the session runs. */
  cancel(): CancelRequest | undefined;
  /** Milliseconds until a statement without a response fails; 0: without end. */
  readonly deadline: number;
  /** Whether the driver has lost the connection. */
  isLost(): boolean;
}

const SAVEPOINT = /^(savepoint|release|rollback to)\b/;
/** A transaction that gives its statements another time, as migrations do. */
const STATEMENT_TIMEOUT = /^set local statement_timeout = (\d+)$/;
const NOTHING = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] } satisfies QueryResult;

/**
 * A connection while one transaction, or one statement, has it. Reports success of a commit only after the server confirmed
 * it with COMMIT.
 */
export class Session {
  readonly #client: PoolClient;
  readonly #options: SessionOptions;
  /** Statements of one session run one after another. */
  #previous: Promise<unknown> = Promise.resolve();
  #deadline: number;
  #isBroken = false;
  #isReleased = false;

  constructor(client: PoolClient, options: SessionOptions) {
    this.#client = client;
    this.#options = options;
    this.#deadline = options.deadline;
  }

  query(query: QueryConfig, values?: unknown[]): Promise<QueryResult> {
    const result = this.#previous.then(() => this.#run(query, values));
    this.#previous = result.catch(() => {});
    return result;
  }

  /** Whether a pooler may give each transaction another server process. */
  get isPooled(): boolean {
    return this.#options.isPooled;
  }

  /** Returns the connection to the pool; one that was lost is closed. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#client.release(this.#isBroken || this.#options.isLost());
  }

  #run(query: QueryConfig, values: unknown[] | undefined): Promise<QueryResult> {
    // Another transaction may have the connection now, and the statement would become a part of it.
    if (this.#isReleased) return Promise.reject(new Error('The transaction has ended.'));
    if (query.text === 'commit') return this.#commit();
    if (query.text === 'rollback') return this.#rollback();
    if (query.text.startsWith('begin')) return this.#begin(query.text);
    if (SAVEPOINT.test(query.text)) return this.#send({ text: query.text });
    const [, timeout] = STATEMENT_TIMEOUT.exec(query.text) ?? [];
    if (timeout !== undefined) this.#deadline = deadlineOf(Number(timeout));
    const named = { ...query, name: this.#options.names?.nameOf(query.text), types: withNumbers(query.types) };
    return this.#send(named as QueryConfig, values);
  }

  async #send(query: QueryConfig, values?: unknown[]): Promise<QueryResult> {
    const { limit } = this.#options;
    const timer = limit === undefined ? undefined : setTimeout(() => this.#cancel(), limit);
    try {
      return await withDeadline(this.#client, this.#deadline, this.#client.query(query, values));
    } catch (error) {
      if (isPlanChange(error)) this.#options.names?.renew(query.text);
      if (!this.#options.isLost() && !isConnectionLoss(error)) throw error;
      this.#isBroken = true;
      // What took too long once would do so again.
      throw isNoResponse(error) || isCanceled(error) ? error : connectionLost(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The connection is not used again if the request to cancel may end a later statement. */
  #cancel(): void {
    if (this.#options.cancel()?.mayComeLate) this.#isBroken = true;
  }

  /** Drizzle does not release a connection on which `begin` fails. */
  #begin(text: string): Promise<QueryResult> {
    return this.#send({ text: text + this.#options.begin }).catch((error: unknown) => {
      this.release();
      throw error;
    });
  }

  async #commit(): Promise<QueryResult> {
    const result = await this.#send({ text: 'commit' }).catch((error: unknown) => {
      throw this.#isBroken || isConnectionLoss(error) || isNoResponse(error) ? commitUnknown(error) : error;
    });
    if (result.command !== 'COMMIT') throw rolledBack(result.command);
    return result;
  }

  /** A server that lost the connection has rolled back, so the error that led here is the one to report. */
  #rollback(): Promise<QueryResult> {
    return this.#send({ text: 'rollback' }).catch(() => {
      this.#isBroken = true;
      return NOTHING;
    });
  }
}
