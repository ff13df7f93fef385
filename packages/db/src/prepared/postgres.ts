import type { Sql, TransactionSql } from 'postgres';
import { LONGEST } from './longest.ts';

/** The most statements that are prepared on each connection. The driver never closes one, so their number is limited. */
const LIMIT = 1_000;
/** The most characters of all of them: what PostgreSQL keeps for each connection grows with the texts. */
const CHARACTERS = 2_000_000;

/**
 * A client whose `unsafe` prepares each statement once per connection. Otherwise PostgreSQL parses and plans our long
 * statements again each time, after a round trip of its own to describe the parameters.
 *
 * `prepare=false` in the connection string turns this off, as a transaction pooler such as PgBouncer may need.
 */
export function withPreparedStatements(client: Sql): Sql {
  const texts = new Set<string>();
  let characters = 0;
  const prepare = (text: string) => {
    if (texts.has(text)) return true;
    const fits = texts.size < LIMIT && text.length <= LONGEST && characters + text.length <= CHARACTERS;
    if (!fits) return false;
    texts.add(text);
    characters += text.length;
    return true;
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
