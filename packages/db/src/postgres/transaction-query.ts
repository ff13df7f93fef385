import type pg from 'pg';
import type { ClientBase, QueryResult } from 'pg';
import { type Callback, type NamedQueryConfig, PreparedQuery, type Wire } from './prepared-query.ts';

/** The transaction steps that are sent with a statement. */
export interface TransactionSteps {
  /** The prepared statements that run first: they begin the transaction, or have the statement planned in another way. */
  readonly before: readonly string[];
  /** The prepared statement that commits the transaction afterwards. */
  readonly commit: string | undefined;
}

export interface TransactionQueryResult {
  readonly result: QueryResult;
  /** The server's response to the commit. */
  readonly commitTag: string | undefined;
}

/**
 * Sends a statement in one round trip with the `begin` before it, the `commit` after it, or both. The messages of all
 * three end with one Sync, so PostgreSQL skips everything after the first failure: a statement never runs outside of
 * its transaction, and a failed one is never committed.
 */
class TransactionQuery extends PreparedQuery {
  readonly #steps: TransactionSteps;
  /** Steps before the statement that the server has not reported yet. */
  #before: number;
  #isDone = false;
  commitTag: string | undefined;

  constructor(config: NamedQueryConfig, values: unknown[] | undefined, steps: TransactionSteps, done: Callback) {
    super(config, values, done);
    this.#steps = steps;
    this.#before = steps.before.length;
  }

  override prepare(connection: Wire): void {
    for (const step of this.#steps.before) execute(connection, step);
    super.prepare(connection);
  }

  /** The driver calls this for the last messages of a statement. */
  _getRows(connection: Wire): void {
    connection.execute({ portal: this.portal });
    if (this.#steps.commit !== undefined) execute(connection, this.#steps.commit);
    connection.sync();
  }

  /** What a step returns is not a row of the statement. */
  override handleDataRow(message: unknown): void {
    if (this.#before === 0) super.handleDataRow(message);
  }

  override handleCommandComplete(message: { text: string }, connection: Wire): void {
    if (this.#before > 0) this.#before--;
    else if (this.#isDone) this.commitTag = message.text;
    else {
      this.#isDone = true;
      super.handleCommandComplete(message, connection);
    }
  }
}

function execute(connection: Wire, statement: string): void {
  connection.bind({ statement, values: [] });
  connection.execute({ portal: '' });
}

/**
 * Runs a named statement together with the steps of its transaction, if any. All of them must be prepared on the
 * connection.
 */
export function runWithSteps(
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
