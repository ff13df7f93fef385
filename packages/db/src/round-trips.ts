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

/**
 * Runs two functions of one statement each, in their order. The second must not depend on the result of the first, and does not run
 * if that fails. In a transaction that is read committed it reads what was committed before it began: so after a lock of the first.
 */
export async function sendTogether<First, Second>(
  transaction: Db,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  const isHeld = sessionOf(transaction).holdNextStatement();
  // A query of Drizzle runs each time that it is awaited.
  const result = (async () => await first())();
  await Promise.race([isHeld, result]);
  return Promise.all([result, second()]);
}
