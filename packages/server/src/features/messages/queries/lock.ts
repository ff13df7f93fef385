import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { bigints } from '../../../core/bigints-sql.ts';

/**
 * Keeps others from moving, editing or deleting messages of these topics until the commit; sending goes on. Topics are locked
 * before conversations, so that a request that waits here holds no lock that a sender needs.
 */
export async function lockTopics(db: Db, realm_id: number, ids: readonly number[]): Promise<void> {
  await rows(
    db,
    sql`select id from topics where realm_id = ${realm_id} and id = any(${bigints(ids)}) order by id for no key update`,
  );
}

/** Keeps everyone from changing these conversations until the commit. */
export async function lockConversations(db: Db, realm_id: number, ids: readonly number[]): Promise<void> {
  await rows(
    db,
    sql`select id from conversations where realm_id = ${realm_id} and id = any(${bigints(ids)}) order by id for no key update`,
  );
}
