import type pg from 'pg';
import type { ClientBase, QueryConfig, QueryResult } from 'pg';
import type { HeldStatement } from './held-statement.ts';
import {
  type Callback,
  hasName,
  isPrepared,
  type NamedQueryConfig,
  PreparedQuery,
  type RowMessage,
  type Wire,
} from './prepared-query.ts';

/** A statement that is sent with those after it. */
export interface LeadingStatement {
  readonly query: NamedQueryConfig;
  readonly values: unknown[] | undefined;
  /** Called once the server has run it, even if what follows fails. */
  readonly onResult: (result: QueryResult) => void;
}

/** A held statement as one that others follow: none if the connection has not prepared it. */
export function toLeading(
  client: ClientBase,
  query: QueryConfig,
  { statement, succeed }: HeldStatement<{ readonly values: unknown[] | undefined }>,
): LeadingStatement[] {
  const isReady = hasName(query) && isPrepared(client, query.name);
  return isReady ? [{ query, values: statement.values, onResult: succeed }] : [];
}

/** What is sent with a statement of a transaction. */
export interface TransactionSteps {
  /** The prepared statements that run first: they begin the transaction, or have the statement planned in another way. */
  readonly before: readonly string[];
  /** The statements between these and this one, in their order. */
  readonly leading: readonly LeadingStatement[];
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
  readonly onResult: LeadingStatement['onResult'];

  constructor({ query, values, onResult }: LeadingStatement, done: Callback) {
    super(query, values, done);
    this.onResult = onResult;
  }

  /** The driver calls this for the last messages of a statement. */
  _getRows(connection: Wire): void {
    connection.execute({ portal: this.portal });
  }
}

/**
 * Sends a statement in one round trip with the `begin` before it, the statements before it, the `commit` after it, or all. Their
 * messages end with one Sync, so PostgreSQL skips everything after the first failure: a statement never runs outside of
 * its transaction, and a failed one is never committed.
 */
class TransactionQuery extends PreparedQuery {
  readonly #steps: TransactionSteps;
  /** Steps before the statement that the server has not reported yet. */
  #before: number;
  /** Steps after it that the server has not reported yet, without the commit. */
  #after: number;
  /** The statements before this one that the server has not run yet. */
  readonly #leading: LeadingQuery[];
  #isDone = false;
  #failure: Error | undefined;
  commitTag: string | undefined;

  constructor(config: NamedQueryConfig, values: unknown[] | undefined, steps: TransactionSteps, done: Callback) {
    super(config, values, done);
    this.#steps = steps;
    this.#before = steps.before.length;
    this.#after = steps.after.length;
    this.#leading = steps.leading.map((leading) => {
      const fail: Callback = (error) => {
        // Its values cannot be sent, and the driver has ended the request.
        if (error) this.#failure = error;
      };
      return new LeadingQuery(leading, fail);
    });
  }

  override prepare(connection: Wire): void {
    for (const step of this.#steps.before) execute(connection, step);
    for (const leading of this.#leading) {
      if (!this.#failure) leading.prepare(connection);
    }
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
  override handleDataRow(message: RowMessage): void {
    if (this.#before > 0 || this.#isDone) return;
    const [leading] = this.#leading;
    if (leading) leading.handleDataRow(message);
    else super.handleDataRow(message);
  }

  override handleCommandComplete(message: { text: string }, connection: Wire): void {
    const [leading] = this.#leading;
    if (this.#before > 0) this.#before--;
    else if (leading) this.#endLeading(leading, message, connection);
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
    this.#leading.shift();
    if (leading._canceledDueToError) this._canceledDueToError = leading._canceledDueToError;
    else leading.onResult(leading._results as QueryResult);
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
