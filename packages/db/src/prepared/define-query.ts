import { fillPlaceholders } from 'drizzle-orm';
import type { Db } from '../connect.ts';
import { createRowReader, type SelectedField } from './read-rows.ts';
import { send, sessionOf } from './statement.ts';

/** What Drizzle's `prepare` returns, with the parts by which it reads the rows. */
interface BuiltQuery<Row> {
  execute(values?: Record<string, unknown>): Promise<Row[]>;
  getQuery(): { sql: string; params: unknown[] };
  /** The columns of the rows, in their order; undefined for a statement without rows. */
  readonly fields?: readonly SelectedField[] | undefined;
  /** By table, whether its columns are in every row; false for one that is joined by a left join. */
  readonly joinsNotNullableMap?: Readonly<Record<string, boolean>> | undefined;
}

interface DefinedQuery<Row> {
  readonly text: string;
  readonly params: unknown[];
  readonly readRow: (values: readonly unknown[]) => Row;
}

/**
 * Defines a query whose text and columns are the same for all values, `sql.placeholder` where these go. Drizzle builds it once
 * per process; building it takes longer than PostgreSQL needs to run a small query. It is sent, and its rows are read, without Drizzle,
 * which would look up how to read each column of each row.
 */
export function defineQuery<Row, Values extends Record<string, unknown>>(
  name: string,
  build: (db: Db) => { prepare(name: string): Pick<BuiltQuery<Row>, 'execute'> },
): (db: Db, values: Values) => Promise<Row[]> {
  let defined: DefinedQuery<Row> | undefined;
  return async (db, values) => {
    defined ??= readDefinition(build(db).prepare(name) as BuiltQuery<Row>);
    const { text, params, readRow } = defined;
    const { rows } = await send(sessionOf(db), { text, rowMode: 'array' }, fillPlaceholders(params, values));
    return (rows as unknown[][]).map(readRow);
  };
}

function readDefinition<Row>(built: BuiltQuery<Row>): DefinedQuery<Row> {
  const { sql: text, params } = built.getQuery();
  return { text, params, readRow: createRowReader<Row>(built.fields ?? [], built.joinsNotNullableMap) };
}
