// Statements of a transaction that are sent to the server together, which saves round trips.
import type { Db } from './connect.ts';
import type { Session } from './postgres/session.ts';

const sessionOf = (transaction: Db): Session =>
  (transaction as unknown as { readonly session: { readonly client: Session } }).session.client;

/**
 * Makes the next statement of a transaction commit it. It must be the last statement. If it
 * fails, nothing is committed. If the connection is lost, the transaction may have been committed, as with any commit.
 */
export function commitWithNextStatement(transaction: Db): void {
  sessionOf(transaction).commitWithNextStatement();
}

type Works = readonly (() => Promise<unknown>)[];
type Results<All extends Works> = { -readonly [N in keyof All]: Awaited<ReturnType<All[N]>> };

/**
 * Runs functions of one statement each, in their order. None must depend on the result of one before it, nor does it run
 * if that fails. In a transaction that is read committed each reads what was committed before it began: so after a lock of one before it.
 */
export async function sendTogether<const All extends Works>(transaction: Db, ...works: All): Promise<Results<All>> {
  const results: Promise<unknown>[] = [];
  for (const work of works.slice(0, -1)) results.push((await sendWithNextStatement(transaction, work)).result);
  return Promise.all([...results, ...works.slice(-1).map((work) => work())]) as Promise<Results<All>>;
}

/**
 * Runs a function of one statement, which is sent with the next statement of the transaction. Resolves when that one can follow; rejects
 * if nothing was sent. If the statement fails, so does the transaction: `result` need not be awaited.
 */
export async function sendWithNextStatement<T>(
  transaction: Db,
  work: () => Promise<T>,
): Promise<{ readonly result: Promise<T> }> {
  const isHeld = sessionOf(transaction).holdNextStatement();
  // A query of Drizzle runs each time that it is awaited.
  const result = (async () => await work())();
  // Who waits for the result hears of it.
  result.catch(() => {});
  await Promise.race([isHeld, result]);
  return { result };
}
