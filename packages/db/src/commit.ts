import type { Db } from './connect.ts';
import type { Session } from './postgres/session.ts';

/**
 * Makes the next statement of a transaction commit it, which saves a round trip. It must be the last statement. If it
 * fails, nothing is committed. If the connection is lost, the transaction may have been committed, as with any commit.
 */
export function commitWithNextStatement(transaction: Db): void {
  const { client } = (transaction as unknown as { session: { client: Session } }).session;
  client.commitWithNextStatement();
}
