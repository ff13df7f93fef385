import type pg from 'pg';
import type { ClientBase, QueryConfig, QueryResult } from 'pg';
import { type Callback, PreparedQuery, type Wire } from './prepared-query.ts';

/** What a statement does to its transaction besides itself. */
export interface TransactionSteps {
  /** The prepared statements that run first: they begin the transaction, or have the statement planned in another way. */
  readonly before: readonly string[];
  /** The prepared statement that commits the transaction afterwards. */
  readonly commit: string | undefined;
}

export interface TransactionQueryResult {
  readonly result: QueryResult;
  /** What the server reported for the commit. */
  readonly commitTag: string | undefined;
}

/**
 * A statement in one round trip with the steps before it, the `commit` after it, or both. The messages of all of them end with one
 * Sync, so PostgreSQL skips what follows the first that fails: a statement never runs outside its transaction, and a failed one is
 * never committed.
 */
class TransactionQuery extends PreparedQuery {
  readonly #steps: TransactionSteps;
  /** Steps before the statement that the server has not reported yet. */
  #before: number;
  #isDone = false;
  commitTag: string | undefined;

  constructor(config: QueryConfig, values: unknown[] | undefined, steps: TransactionSteps, done: Callback) {
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

/** Runs a statement that has a name together with the steps of its transaction, if any. Both must be prepared on the connection. */
export function runWithSteps(
  client: ClientBase,
  config: QueryConfig,
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
