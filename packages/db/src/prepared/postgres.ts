import type { Sql, TransactionSql } from 'postgres';

/** The most statement texts that are prepared on each connection. The driver never closes one, so their number is limited. */
const LIMIT = 1_000;

/**
 * A client whose `unsafe` prepares each statement once per connection. Otherwise PostgreSQL parses and plans our long
 * statements again each time, after a round trip of its own to describe the parameters.
 *
 * `prepare=false` in the connection string turns this off, as a transaction pooler such as PgBouncer may need.
 */
export function withPreparedStatements(client: Sql): Sql {
  const texts = new Set<string>();
  const prepare = (text: string) => {
    if (texts.size < LIMIT) texts.add(text);
    return texts.has(text);
  };
  return wrap(client, prepare);
}

type AnySql = Sql | TransactionSql;

function wrap<Client extends AnySql>(client: Client, prepare: (text: string) => boolean): Client {
  const unsafe: AnySql['unsafe'] = (text, parameters, options) =>
    client.unsafe(text, parameters, { ...options, prepare: prepare(text) });
  /** `begin` and `savepoint` take the work last, and give it a client of its own. */
  const opening =
    (open: (...args: unknown[]) => unknown) =>
    (...args: unknown[]) => {
      const work = args.pop() as (inner: TransactionSql) => unknown;
      return open(...args, (inner: TransactionSql) => work(wrap(inner, prepare)));
    };
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name === 'unsafe') return unsafe;
      if ((name === 'begin' || name === 'savepoint') && typeof value === 'function')
        return opening(value as (...args: unknown[]) => unknown);
      return value;
    },
  });
}
