import type pg from 'pg';
import type { ClientBase, QueryConfig, QueryResult } from 'pg';
import { type Callback, hasName, type NamedQueryConfig, PreparedQuery, type Wire } from './prepared-query.ts';

/** A statement that is sent with the one after it. */
export interface LeadingStatement {
  readonly query: NamedQueryConfig;
  readonly values: unknown[] | undefined;
  /** Called once the server has run it, even if what follows fails. */
  readonly onResult: (result: QueryResult) => void;
}

/** What is sent with a statement of a transaction. */
export interface TransactionSteps {
  /** The prepared statements that run first: they begin the transaction, or have the statement planned in another way. */
  readonly before: readonly string[];
  /** A statement between these and this one. */
  readonly leading: LeadingStatement | undefined;
  /** The prepared statements that run after it: what follows in the transaction is planned as usual again. */
  readonly after: readonly string[];
  /** The prepared statement that commits the transaction afterwards. */
  readonly commit: string | undefined;
}

export interface TransactionQueryResult {
  readonly result: QueryResult;
  /** The server's response to the commit. */
  readonly commitTag: string | undefined;
}

/** A statement whose messages another one ends. */
class LeadingQuery extends PreparedQuery {
  /** The driver calls this for the last messages of a statement. */
  _getRows(connection: Wire): void {
    connection.execute({ portal: this.portal });
  }
}

/**
 * Sends a statement in one round trip with the `begin` before it, the statement before it, the `commit` after it, or all. Their
 * messages end with one Sync, so PostgreSQL skips everything after the first failure: a statement never runs outside of
 * its transaction, and a failed one is never committed.
 */
class TransactionQuery extends PreparedQuery {
  readonly #steps: TransactionSteps;
  /** Steps before the statement that the server has not reported yet. */
  #before: number;
  /** Steps after it that the server has not reported yet, without the commit. */
  #after: number;
  /** The statement before this one, until the server has run it. */
  #leading: LeadingQuery | undefined;
  #isDone = false;
  #failure: Error | undefined;
  commitTag: string | undefined;

  constructor(config: NamedQueryConfig, values: unknown[] | undefined, steps: TransactionSteps, done: Callback) {
    super(config, values, done);
    this.#steps = steps;
    this.#before = steps.before.length;
    this.#after = steps.after.length;
    const { leading } = steps;
    if (!leading) return;
    this.#leading = new LeadingQuery(leading.query, leading.values, (error) => {
      // Its values cannot be sent, and the driver has ended the request.
      if (error) this.#failure = error;
    });
  }

  override prepare(connection: Wire): void {
    for (const step of this.#steps.before) execute(connection, step);
    this.#leading?.prepare(connection);
    if (this.#failure) this.handleError(this.#failure, connection);
    else super.prepare(connection);
  }

  /** The driver calls this for the last messages of a statement. */
  _getRows(connection: Wire): void {
    connection.execute({ portal: this.portal });
    for (const step of this.#steps.after) execute(connection, step);
    if (this.#steps.commit !== undefined) execute(connection, this.#steps.commit);
    connection.sync();
  }

  /** What a step returns is not a row of the statement. */
  override handleDataRow(message: unknown): void {
    if (this.#before > 0 || this.#isDone) return;
    if (this.#leading) this.#leading.handleDataRow(message);
    else super.handleDataRow(message);
  }

  override handleCommandComplete(message: { text: string }, connection: Wire): void {
    if (this.#before > 0) this.#before--;
    else if (this.#leading) this.#endLeading(this.#leading, message, connection);
    else if (this.#isDone) this.#endStep(message);
    else {
      this.#isDone = true;
      super.handleCommandComplete(message, connection);
    }
  }

  #endStep(message: { text: string }): void {
    if (this.#after > 0) this.#after--;
    else this.commitTag = message.text;
  }

  #endLeading(leading: LeadingQuery, message: { text: string }, connection: Wire): void {
    leading.handleCommandComplete(message, connection);
    this.#leading = undefined;
    if (leading._canceledDueToError) this._canceledDueToError = leading._canceledDueToError;
    else this.#steps.leading?.onResult(leading._results as QueryResult);
  }
}

function execute(connection: Wire, statement: string): void {
  connection.bind({ statement, values: [] });
  connection.execute({ portal: '' });
}

/**
 * Runs a statement. One with a name runs together with the steps of its transaction, if any: all of them must be prepared on the
 * connection.
 */
export async function runWithSteps(
  client: ClientBase,
  query: QueryConfig,
  values: unknown[] | undefined,
  steps: TransactionSteps,
): Promise<TransactionQueryResult> {
  if (hasName(query)) return runNamed(client, query, values, steps);
  return { result: await client.query(query, values), commitTag: undefined };
}

function runNamed(
  client: ClientBase,
  config: NamedQueryConfig,
  values: unknown[] | undefined,
  steps: TransactionSteps,
): Promise<TransactionQueryResult> {
  return new Promise((resolve, reject) => {
    const query: TransactionQuery = new TransactionQuery(config, values, steps, (error, result) =>
      error ? reject(error) : resolve({ result, commitTag: query.commitTag }),
    );
    client.query(query as unknown as pg.Submittable);
  });
}
