import type { Db } from '../connect.ts';

/** What Drizzle's `prepare` returns. */
interface BuiltQuery<Row> {
  execute(values?: Record<string, unknown>): Promise<Row[]>;
}

/** The parts of Drizzle's session and of its built query that belong to one connection or transaction. */
interface Session {
  readonly client: unknown;
  readonly logger: unknown;
}

/**
 * Defines a query whose text and columns are the same for all values, `sql.placeholder` where these go. Drizzle builds it once
 * per process; building it takes longer than PostgreSQL needs to run a small query.
 *
 * Drizzle binds a query that it built to the session that built it, and every transaction is a session of its own. So each call
 * executes a copy that is bound to the session of `db`.
 */
export function defineQuery<Row, Values extends Record<string, unknown>>(
  name: string,
  build: (db: Db) => { prepare(name: string): BuiltQuery<Row> },
): (db: Db, values: Values) => Promise<Row[]> {
  let built: BuiltQuery<Row> | undefined;
  return (db, values) => {
    const { session } = db as unknown as { session: Session };
    const { client, logger } = session;
    built ??= build(db).prepare(name);
    const bound: BuiltQuery<Row> = Object.assign(Object.create(Object.getPrototypeOf(built)), built, {
      client,
      logger,
    });
    return bound.execute(values);
  };
}
