import pg, { type ClientBase, type QueryConfig, type QueryResult } from 'pg';

/** What a statement does to its transaction besides itself. */
export interface TransactionSteps {
  /** The prepared statement that begins the transaction first. */
  readonly begin: string | undefined;
  /** The prepared statement that commits the transaction afterwards. */
  readonly commit: string | undefined;
}

export interface TransactionQueryResult {
  readonly result: QueryResult;
  /** What the server reported for the commit. */
  readonly commitTag: string | undefined;
}

/** The messages that a statement of the driver is made of. */
interface Wire {
  bind(message: { statement: string; values: unknown[] }): void;
  execute(message: { portal: string; rows?: number }): void;
  sync(): void;
}

/** The methods of the driver's `Query` that its client calls and that its types leave out. */
interface DriverQuery {
  readonly portal: string;
  prepare(connection: Wire): void;
  handleCommandComplete(message: { text: string }, connection: Wire): void;
}

type Callback = (error: Error | null, result: QueryResult) => void;
const Query = (pg as unknown as { Query: new (config: QueryConfig, values: unknown, done: Callback) => DriverQuery })
  .Query;

/**
 * A statement in one round trip with the `begin` before it, the `commit` after it, or both. The messages of all three end with one
 * Sync, so PostgreSQL skips what follows the first that fails: a statement never runs outside its transaction, and a failed one is
 * never committed.
 */
class TransactionQuery extends Query {
  readonly #steps: TransactionSteps;
  #isBegun: boolean;
  #isDone = false;
  commitTag: string | undefined;

  constructor(config: QueryConfig, values: unknown[] | undefined, steps: TransactionSteps, done: Callback) {
    super(config, values, done);
    this.#steps = steps;
    this.#isBegun = steps.begin === undefined;
  }

  /** The driver would send a statement without a name and without values as a simple query, which is a request of its own. */
  requiresPreparation(): boolean {
    return true;
  }

  override prepare(connection: Wire): void {
    if (this.#steps.begin !== undefined) execute(connection, this.#steps.begin);
    super.prepare(connection);
  }

  /** The driver calls this for the last messages of a statement. */
  _getRows(connection: Wire): void {
    connection.execute({ portal: this.portal });
    if (this.#steps.commit !== undefined) execute(connection, this.#steps.commit);
    connection.sync();
  }

  override handleCommandComplete(message: { text: string }, connection: Wire): void {
    if (!this.#isBegun) this.#isBegun = true;
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

/** Runs a statement together with the steps of its transaction. Both steps must be prepared on the connection. */
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
