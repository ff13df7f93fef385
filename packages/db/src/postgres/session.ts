import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { FORCE_GENERIC_PLAN, hasGenericPlan, RESTORE_PLANS } from '../prepared/generic-plan.ts';
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
import { type HeldStatement, HeldStatements } from './held-statement.ts';
import { hasName } from './prepared-query.ts';
import type { Delay, SessionOptions } from './session-options.ts';
import { type LeadingStatement, runWithSteps, type TransactionSteps, toLeading } from './transaction-query.ts';
import { withNumbers } from './types.ts';

/** Statements that Drizzle sends around transactions. */
export const CONTROL = /^(begin|commit|rollback|savepoint|release)\b/;
const SAVEPOINT = /^(savepoint|release|rollback to)\b/;
/** A transaction with other statement timeouts, as migrations have. */
const STATEMENT_TIMEOUT = /^set local statement_timeout = (\d+)$/;
const NOTHING = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] } satisfies QueryResult;
const COMMIT = 'COMMIT';
const PLAN_STEPS = { force: 'generic plan', restore: 'usual plans' };
const NO_STEPS: TransactionSteps = { before: [], leading: [], after: [], commit: undefined };

/** What is to be sent, before its transaction's steps are known. */
interface Statement {
  readonly query: QueryConfig;
  readonly values: unknown[] | undefined;
  readonly leading: readonly LeadingStatement[];
  /** Whether it is the last one of its transaction. */
  readonly commits: boolean;
}

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
  /** Statements that are to be sent with the next one. */
  readonly #held = new HeldStatements<Statement>();
  /** Set while the next statement is to be held. */
  #onHeld: (() => void) | undefined;

  constructor(client: PoolClient, options: SessionOptions) {
    this.#client = client;
    this.#options = options;
    this.#deadline = options.deadline;
  }

  query(query: QueryConfig, values?: unknown[]): Promise<QueryResult> {
    if (this.#onHeld) return this.#hold(query, values);
    const statement = { query, values, leading: [], commits: this.#commitsNext };
    const held = this.#held.take();
    const result = this.#previous.then(() =>
      held.length > 0 ? this.#runAfter(held, statement) : this.#run(statement),
    );
    this.#previous = result.catch(() => {});
    return result;
  }

  /**
   * Sends the next statement in one round trip with the one after it, where that is possible. Resolves when the next one
   * can follow. Without another statement in the same turn of the event loop it is sent alone.
   */
  holdNextStatement(): Promise<void> {
    return new Promise((resolve) => {
      this.#onHeld = resolve;
    });
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

  #hold(query: QueryConfig, values: unknown[] | undefined): Promise<QueryResult> {
    const result = this.#held.hold({ query, values, leading: [], commits: false }, (held) => {
      this.#previous = this.#previous.then(() => this.#runEach(held));
    });
    this.#onHeld?.();
    this.#onHeld = undefined;
    return result;
  }

  async #runEach(held: readonly HeldStatement<Statement>[]): Promise<void> {
    for (const one of held) await one.endWith(this.#run(one.statement));
  }

  /** Runs a statement after those that are held: in one round trip, if the connection has prepared these. */
  async #runAfter(held: readonly HeldStatement<Statement>[], statement: Statement): Promise<QueryResult> {
    const canFollow = !CONTROL.test(statement.query.text) && hasName(this.#named(statement.query));
    const leading = held.flatMap((one) => toLeading(this.#client, this.#named(one.statement.query), one));
    if (!canFollow || leading.length < held.length) {
      await this.#runEach(held);
      return this.#run(statement);
    }
    return this.#run({ ...statement, leading }).catch((error: unknown) => {
      for (const one of held) one.fail(error);
      throw error;
    });
  }

  #named(query: QueryConfig): QueryConfig {
    return { ...query, name: this.#options.names?.nameOf(query.text), types: withNumbers(query.types) } as QueryConfig;
  }

  #run(statement: Statement): Promise<QueryResult> {
    const { query } = statement;
    // Another transaction can have the connection now, and the statement would become a part of it.
    if (this.#isReleased) return Promise.reject(new Error('The transaction has ended.'));
    if (query.text === 'commit') return this.#commit();
    if (query.text === 'rollback') return this.#rollback();
    if (this.#committed) return Promise.reject(new Error('The transaction is committed.'));
    if (query.text.startsWith('begin')) return this.#begin(query.text);
    if (SAVEPOINT.test(query.text)) return this.#runInTransaction({ ...statement, query: { text: query.text } });
    const [, timeout] = STATEMENT_TIMEOUT.exec(query.text) ?? [];
    if (timeout !== undefined) this.#deadline = deadlineOf(Number(timeout));
    return this.#runInTransaction({ ...statement, query: this.#named(query) });
  }

  async #runInTransaction(statement: Statement): Promise<QueryResult> {
    // Without a begun transaction, statements would be committed one by one.
    if (this.#isAborted) throw transactionAborted();
    const begins = this.#pendingBegin !== undefined;
    return this.#sendInTransaction(statement).catch((error: unknown) => {
      if (begins) this.#isAborted = true;
      throw error;
    });
  }

  async #sendInTransaction(statement: Statement): Promise<QueryResult> {
    const { query, values } = statement;
    const steps = await this.#takeSteps(statement);
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
  async #takeSteps({ query, leading, commits }: Statement): Promise<TransactionSteps> {
    const { preparedSteps } = this.#options;
    const begin = this.#pendingBegin;
    this.#pendingBegin = undefined;
    const isTogether = query.name !== undefined && begin !== undefined && preparedSteps?.has(begin);
    if (begin !== undefined && !isTogether) {
      await this.#send({ text: begin, name: nameOfStep(begin) });
      preparedSteps?.add(begin);
    }
    const isCommitTogether = commits && query.name !== undefined && preparedSteps?.has('commit');
    const commit = isCommitTogether ? nameOfStep('commit') : undefined;
    const hasPlanSteps = await this.#preparePlanSteps(query);
    const before = [...(isTogether ? [begin] : []), ...(hasPlanSteps ? [PLAN_STEPS.force] : [])];
    // Outside a transaction, and with its last statement, the settings end by themselves.
    const isRestored = hasPlanSteps && this.#isTransaction && commit === undefined;
    const after = isRestored ? [PLAN_STEPS.restore] : [];
    return { before: before.map(nameOfStep), leading, after: after.map(nameOfStep), commit };
  }

  /** Prepares what is sent around a statement with a generic plan; false if it is not such a statement. */
  async #preparePlanSteps({ name, text }: QueryConfig): Promise<boolean> {
    const { preparedSteps } = this.#options;
    if (!preparedSteps || name === undefined || !hasGenericPlan(text)) return false;
    if (!preparedSteps.has(PLAN_STEPS.force)) {
      await this.#send({ text: FORCE_GENERIC_PLAN, name: nameOfStep(PLAN_STEPS.force) });
      await this.#send({ text: RESTORE_PLANS, name: nameOfStep(PLAN_STEPS.restore) });
      preparedSteps.add(PLAN_STEPS.force);
    }
    return true;
  }

  async #send(query: QueryConfig, values?: unknown[]): Promise<QueryResult> {
    return (await this.#sendWithSteps(query, values, NO_STEPS)).result;
  }

  async #sendWithSteps(query: QueryConfig, values: unknown[] | undefined, steps: TransactionSteps) {
    const { limit } = this.#options;
    const timer = limit === undefined ? undefined : setTimeout(() => this.#cancel(), limit);
    try {
      return await withDeadline(this.#client, this.#deadline, runWithSteps(this.#client, query, values, steps));
    } catch (error) {
      if (isPlanChange(error))
        for (const { text } of [query, ...steps.leading.map((one) => one.query)]) this.#options.names?.renew(text);
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
