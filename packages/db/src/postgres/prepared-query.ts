import pg, { type ClientBase, type QueryConfig, type QueryResult } from 'pg';

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

/** The values of a row, as texts. */
export interface RowMessage {
  readonly fields: readonly unknown[];
}

/** How the driver reads the rows of a result: it depends on the columns only. */
interface RowParsing {
  fields: readonly unknown[];
  _parsers: readonly unknown[] | undefined;
  _prebuiltEmptyResultObject: object | null;
}

interface DriverResult extends RowParsing {
  parseRow(values: readonly unknown[]): unknown;
  addRow(row: unknown): void;
}

/** The parts of the driver's `Query` that its client uses and that its types omit. */
interface DriverQuery {
  name: string | undefined;
  types: unknown;
  readonly portal: string;
  _rowMode: unknown;
  _result: DriverResult;
  _results: unknown;
  _accumulateRows: boolean;
  /** Why a row could not be read; it is reported after the last message. */
  _canceledDueToError: Error | false;
  prepare(connection: Wire): void;
  handleRowDescription(message: RowDescription): void;
  handleDataRow(message: RowMessage): void;
  handleCommandComplete(message: { text: string }, connection: Wire): void;
  handleError(error: Error, connection: Wire): void;
}

export type Callback = (error: Error | null, result: QueryResult) => void;
const { Query, Result } = pg as unknown as {
  Query: new (text: string, values: unknown, done: Callback) => DriverQuery;
  Result: new (rowMode: unknown, types: unknown) => DriverResult;
};

/** The columns of the rows of a statement; undefined for a statement without rows. */
type Columns = Readonly<RowParsing> | undefined;

/** The prepared statements of a connection. */
interface Described {
  /** The columns of each, by its name, as the server described them. */
  readonly columns: Map<string, Columns>;
  /** The connection without requests for descriptions. */
  readonly wire: Wire;
}

const descriptions = new WeakMap<Wire, Described>();

function describedOn(connection: Wire): Described {
  const known = descriptions.get(connection);
  if (known) return known;
  const created = { columns: new Map<string, Columns>(), wire: withoutDescribe(connection) };
  descriptions.set(connection, created);
  return created;
}

const withoutDescribe = (connection: Wire): Wire => Object.create(connection, { describe: { value: () => {} } });

/** Whether a connection has prepared a statement, and knows the columns of its rows. */
export const isPrepared = (client: ClientBase, name: string): boolean =>
  descriptions.get((client as unknown as { connection: Wire }).connection)?.columns.has(name) ?? false;

/** A statement with a name. */
export type NamedQueryConfig = QueryConfig & { readonly name: string; readonly rowMode?: unknown };

export const hasName = (query: QueryConfig): query is NamedQueryConfig => query.name !== undefined;

/**
 * A prepared statement. The driver requests a row description each time, and looks up how to read each column; this
 * does both once per connection: every statement is read with the same parsers (`types.ts`). If a prepared statement would return other columns than before, it fails
 * (`isPlanChange`) and gets another name.
 */
export class PreparedQuery extends Query {
  readonly #name: string;
  #described: Described | undefined;
  #isDescribed = false;

  constructor({ text, name, types, rowMode }: NamedQueryConfig, values: unknown[] | undefined, done: Callback) {
    // Of an object, the driver copies all property descriptors, which takes longer than the rest of the constructor.
    super(text, values, done);
    this.#name = name;
    this.name = name;
    this.types = types;
    this._rowMode = rowMode;
    this._result = new Result(rowMode, types);
    this._results = this._result;
  }

  /** Without a name and values, the driver would send a statement as a simple query, which is a request of its own. */
  requiresPreparation(): boolean {
    return true;
  }

  override prepare(connection: Wire): void {
    this.#described = describedOn(connection);
    const { columns, wire } = this.#described;
    const isKnown = columns.has(this.#name);
    if (isKnown) this.#readColumns(columns.get(this.#name));
    super.prepare(isKnown ? wire : connection);
  }

  override handleRowDescription(message: RowDescription): void {
    super.handleRowDescription(message);
    this.#remember(this._result);
  }

  /** As the driver does, without an event for each row. */
  override handleDataRow({ fields }: RowMessage): void {
    if (this._canceledDueToError) return;
    try {
      this._result.addRow(this._result.parseRow(fields));
    } catch (error) {
      this._canceledDueToError = error as Error;
    }
  }

  override handleCommandComplete(message: { text: string }, connection: Wire): void {
    if (!this.#isDescribed) this.#remember(undefined);
    super.handleCommandComplete(message, connection);
  }

  #readColumns(columns: Columns): void {
    this.#isDescribed = true;
    if (!columns) return;
    this._result.fields = columns.fields;
    this._result._parsers = columns._parsers;
    this._result._prebuiltEmptyResultObject = columns._prebuiltEmptyResultObject;
    this._accumulateRows = true;
  }

  #remember(columns: Columns): void {
    this.#isDescribed = true;
    this.#described?.columns.set(
      this.#name,
      columns && {
        fields: columns.fields,
        _parsers: columns._parsers,
        _prebuiltEmptyResultObject: columns._prebuiltEmptyResultObject,
      },
    );
  }
}
