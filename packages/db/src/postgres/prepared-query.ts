import pg, { type QueryConfig, type QueryResult } from 'pg';

/** The messages of a statement of the driver. */
export interface Wire {
  bind(message: { statement: string; values: unknown[] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: { portal: string; rows?: number }): void;
  sync(): void;
}

/** The columns of a statement's rows, as the driver reads them. */
interface RowDescription {
  readonly fields: readonly unknown[];
}

/** The methods of the driver's `Query` that its client calls and that its types omit. */
interface DriverQuery {
  readonly name: string;
  readonly portal: string;
  prepare(connection: Wire): void;
  handleRowDescription(message: RowDescription): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: { text: string }, connection: Wire): void;
}

export type Callback = (error: Error | null, result: QueryResult) => void;
const Query = (pg as unknown as { Query: new (config: QueryConfig, values: unknown, done: Callback) => DriverQuery })
  .Query;

const NO_ROWS: RowDescription = { fields: [] };

/** The row descriptions of prepared statements from the server, by connection and name. */
const descriptions = new WeakMap<Wire, Map<string, RowDescription>>();

function describedOn(connection: Wire): Map<string, RowDescription> {
  const known = descriptions.get(connection);
  if (known) return known;
  const created = new Map<string, RowDescription>();
  descriptions.set(connection, created);
  return created;
}

const withoutDescribe = (connection: Wire): Wire => Object.create(connection, { describe: { value: () => {} } });

/**
 * A prepared statement. The driver requests a row description each time; this requests it once per connection. If a
 * prepared statement would return other columns than before, it fails (`isPlanChange`) and gets another name.
 */
export class PreparedQuery extends Query {
  #described: Map<string, RowDescription> | undefined;
  #isDescribed = false;

  /** Without a name and values, the driver would send a statement as a simple query, which is a request of its own. */
  requiresPreparation(): boolean {
    return true;
  }

  override prepare(connection: Wire): void {
    this.#described = describedOn(connection);
    const known = this.#described.get(this.name);
    if (known) {
      this.#isDescribed = true;
      if (known !== NO_ROWS) super.handleRowDescription(known);
    }
    super.prepare(known ? withoutDescribe(connection) : connection);
  }

  override handleRowDescription(message: RowDescription): void {
    this.#remember(message);
    super.handleRowDescription(message);
  }

  override handleCommandComplete(message: { text: string }, connection: Wire): void {
    if (!this.#isDescribed) this.#remember(NO_ROWS);
    super.handleCommandComplete(message, connection);
  }

  #remember(description: RowDescription): void {
    this.#isDescribed = true;
    this.#described?.set(this.name, description);
  }
}
