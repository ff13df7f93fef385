import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { FORCE_GENERIC_PLAN, hasGenericPlan } from '../prepared/generic-plan.ts';
import { deadlineOf, withDeadline } from './deadline.ts';
import {
  commitUnknown,
  connectionLost,
  isCanceled,
  isConnectionLoss,
  isNoResponse,
  isPlanChange,
  lockNotAvailable,
  noResponse,
  rolledBack,
  transactionAborted,
} from './errors.ts';
import type { NamedQueryConfig } from './prepared-query.ts';
import type { StatementNames } from './statement-names.ts';
import { runWithSteps, type TransactionSteps } from './transaction-query.ts';
import { withNumbers } from './types.ts';

/** Why a statement has exceeded its timeout: by its own work, a lock of another session, or a server that hung. */
export type Delay = 'work' | 'lock' | 'hang';

/** A request to cancel the statement that a session runs. */
export interface CancelRequest {
  /** Whether it may arrive after that statement has ended, and cancel another one. */
  readonly canArriveLate: boolean;
  /** What took the time; absent where it can only be the statement's own work. */
  readonly delay?: Promise<Delay>;
}

export interface SessionOptions {
  readonly isPooled: boolean;
  /** Undefined where statements must not stay prepared. */
  readonly names: StatementNames | undefined;
  /** Statements to send with each `begin`, where settings of the session do not last. */
  readonly begin: string;
  /** The steps of transactions that are prepared on the connection; undefined where nothing must stay prepared. */
  readonly preparedSteps: Set<string> | undefined;
  /** Milliseconds after which a statement is canceled; undefined: by the settings of the session. */
  readonly limit: number | undefined;
  /** Requests that the server cancel the statement that the session runs. */
  cancel(): CancelRequest | undefined;
  /** Milliseconds until a statement without a response fails; 0: none. */
  readonly deadline: number;
  /** Whether the driver has lost the connection. */
  isLost(): boolean;
}

const SAVEPOINT = /^(savepoint|release|rollback to)\b/;
/** A transaction with other statement timeouts, as migrations have. */
const STATEMENT_TIMEOUT = /^set local statement_timeout = (\d+)$/;
const NOTHING = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] } satisfies QueryResult;
const COMMIT = 'COMMIT';
const PLAN_STEP = 'generic plan';
const NO_STEPS: TransactionSteps = { before: [], commit: undefined };

const nameOfStep = (text: string): string => `parley ${text}`;

/**
 * A connection during one transaction, or one statement. A commit succeeds only after the server confirmed it with
 * COMMIT.
 */
export class Session {
  readonly #client: PoolClient;
  readonly #options: SessionOptions;
  /** Statements of one session run one after another. */
  #previous: Promise<unknown> = Promise.resolve();
  #deadline: number;
  /** A `begin` that is sent with the first statement. */
  #pendingBegin: string | undefined;
  /** Whether a transaction was begun. */
  #isTransaction = false;
  /** Whether that failed, so that the server may know of no transaction. */
  #isAborted = false;
  #commitsNext = false;
  /** The commit that was sent with a statement. */
  #committed: QueryResult | undefined;
  #isBroken = false;
  /** Why the last statement was canceled. */
  #delay: Promise<Delay> | undefined;
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

  /** Whether a pooler can give each transaction another server process. */
  get isPooled(): boolean {
    return this.#options.isPooled;
  }

  /** Returns the connection to the pool; a lost one is closed. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#client.release(this.#isBroken || this.#options.isLost());
  }

  /**
   * Makes the next statement commit the transaction, in the same round trip where that is possible. It must be the last
   * one.
   */
  commitWithNextStatement(): void {
    this.#commitsNext = true;
  }

  #run(query: QueryConfig, values: unknown[] | undefined): Promise<QueryResult> {
    // Another transaction can have the connection now, and the statement would become a part of it.
    if (this.#isReleased) return Promise.reject(new Error('The transaction has ended.'));
    if (query.text === 'commit') return this.#commit();
    if (query.text === 'rollback') return this.#rollback();
    if (this.#committed) return Promise.reject(new Error('The transaction is committed.'));
    if (query.text.startsWith('begin')) return this.#begin(query.text);
    if (SAVEPOINT.test(query.text)) return this.#runInTransaction({ text: query.text });
    const [, timeout] = STATEMENT_TIMEOUT.exec(query.text) ?? [];
    if (timeout !== undefined) this.#deadline = deadlineOf(Number(timeout));
    const named = { ...query, name: this.#options.names?.nameOf(query.text), types: withNumbers(query.types) };
    return this.#runInTransaction(named as QueryConfig, values);
  }

  async #runInTransaction(query: QueryConfig, values?: unknown[]): Promise<QueryResult> {
    // Without a begun transaction, statements would be committed one by one.
    if (this.#isAborted) throw transactionAborted();
    const begins = this.#pendingBegin !== undefined;
    return this.#sendInTransaction(query, values).catch((error: unknown) => {
      if (begins) this.#isAborted = true;
      throw error;
    });
  }

  async #sendInTransaction(query: QueryConfig, values: unknown[] | undefined): Promise<QueryResult> {
    const steps = await this.#takeSteps(query);
    if (steps.commit === undefined) return (await this.#sendWithSteps(query, values, steps)).result;
    const { result, commitTag = '' } = await this.#sendWithSteps(query, values, steps).catch((error: unknown) => {
      throw this.#commitError(error);
    });
    if (commitTag !== COMMIT) throw rolledBack(commitTag);
    this.#committed = { ...NOTHING, command: COMMIT };
    return result;
  }

  /**
   * The steps that are sent with a statement. A step that the connection has not prepared is sent by itself, which
   * prepares it. So is the `begin` of a statement without a name, which may be several statements in one.
   */
  async #takeSteps(query: QueryConfig): Promise<TransactionSteps> {
    const { preparedSteps } = this.#options;
    const begin = this.#pendingBegin;
    this.#pendingBegin = undefined;
    const isTogether = query.name !== undefined && begin !== undefined && preparedSteps?.has(begin);
    if (begin !== undefined && !isTogether) {
      await this.#send({ text: begin, name: nameOfStep(begin) });
      preparedSteps?.add(begin);
    }
    const commits = query.name !== undefined && this.#commitsNext && preparedSteps?.has('commit');
    const before = isTogether ? [nameOfStep(begin)] : await this.#takePlanStep(query);
    return { before, commit: commits ? nameOfStep('commit') : undefined };
  }

  /** Outside a transaction: within one, it would hold for the statements that follow. */
  async #takePlanStep({ name, text }: QueryConfig): Promise<string[]> {
    const { preparedSteps } = this.#options;
    if (!preparedSteps || this.#isTransaction || name === undefined || !hasGenericPlan(text)) return [];
    const step = nameOfStep(PLAN_STEP);
    if (!preparedSteps.has(PLAN_STEP)) {
      await this.#send({ text: FORCE_GENERIC_PLAN, name: step });
      preparedSteps.add(PLAN_STEP);
    }
    return [step];
  }

  async #send(query: QueryConfig, values?: unknown[]): Promise<QueryResult> {
    return (await this.#sendWithSteps(query, values, NO_STEPS)).result;
  }

  async #sendWithSteps(query: QueryConfig, values: unknown[] | undefined, steps: TransactionSteps) {
    const { limit } = this.#options;
    const timer = limit === undefined ? undefined : setTimeout(() => this.#cancel(), limit);
    try {
      return await withDeadline(this.#client, this.#deadline, run(this.#client, query, values, steps));
    } catch (error) {
      if (isPlanChange(error)) this.#options.names?.renew(query.text);
      const delay = isCanceled(error) ? await this.#delay : undefined;
      if (delay === 'lock') throw lockNotAvailable(error);
      if (delay === 'hang') throw noResponse(error);
      if (!this.#options.isLost() && !isConnectionLoss(error)) throw error;
      this.#isBroken = true;
      // A statement that took too long once would do so again.
      throw isNoResponse(error) || isCanceled(error) ? error : connectionLost(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The connection is not reused if the cancel request may hit a later statement. */
  #cancel(): void {
    const request = this.#options.cancel();
    this.#delay = request?.delay;
    if (request?.canArriveLate) this.#isBroken = true;
  }

  #begin(text: string): Promise<QueryResult> {
    this.#isTransaction = true;
    if (this.#options.preparedSteps) {
      this.#pendingBegin = text;
      return Promise.resolve(NOTHING);
    }
    // Drizzle does not release a connection on which `begin` fails.
    return this.#send({ text: text + this.#options.begin }).catch((error: unknown) => {
      this.release();
      throw error;
    });
  }

  async #commit(): Promise<QueryResult> {
    if (this.#committed) return this.#committed;
    if (this.#pendingBegin !== undefined) return this.#forgetBegin();
    if (this.#isAborted) {
      await this.#rollback();
      throw rolledBack('ROLLBACK');
    }
    const name = this.#options.preparedSteps && nameOfStep('commit');
    const result = await this.#send({ text: 'commit', ...(name && { name }) }).catch((error: unknown) => {
      throw this.#commitError(error);
    });
    this.#options.preparedSteps?.add('commit');
    if (result.command !== COMMIT) throw rolledBack(result.command);
    return result;
  }

  /** After `commit` was sent, a lost connection leaves open whether the transaction was committed. */
  #commitError(error: unknown): unknown {
    return this.#isBroken || isConnectionLoss(error) || isNoResponse(error) ? commitUnknown(error) : error;
  }

  /** A server that lost the connection has rolled back, so the earlier error is the one to report. */
  #rollback(): Promise<QueryResult> {
    if (this.#pendingBegin !== undefined) return Promise.resolve(this.#forgetBegin());
    return this.#send({ text: 'rollback' }).catch(() => {
      this.#isBroken = true;
      return NOTHING;
    });
  }

  /** Ends a transaction without statements, of which nothing was sent to the server. */
  #forgetBegin(): QueryResult {
    this.#pendingBegin = undefined;
    return NOTHING;
  }
}

const hasName = (query: QueryConfig): query is NamedQueryConfig => query.name !== undefined;

async function run(client: PoolClient, query: QueryConfig, values: unknown[] | undefined, steps: TransactionSteps) {
  if (hasName(query)) return runWithSteps(client, query, values, steps);
  return { result: await client.query(query, values), commitTag: undefined };
}
