import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { bigints } from '../../../core/bigints-sql.ts';

export interface EndedMembership {
  readonly stream_id: number;
  readonly user_id: number;
}

/**
 * Unsubscribes users from streams that are locked. As subscribing does, it takes a number of the conversation for
 * itself.
 */
export async function endMemberships(db: Db, realm_id: number, leaving: readonly EndedMembership[]): Promise<void> {
  const stream_ids = leaving.map(({ stream_id }) => stream_id);
  await db.execute(
    sql`with turn as (
          update conversations set last_seq = last_seq + 1
          where realm_id = ${realm_id} and id = any(${bigints([...new Set(stream_ids)])}) returning id, last_seq
        )
        update memberships m set active = false, received = m.received - int4multirange(int4range(turn.last_seq, null))
        from turn, unnest(${bigints(stream_ids)}, ${bigints(leaving.map(({ user_id }) => user_id))})
          as p(stream_id, user_id)
        where m.realm_id = ${realm_id} and m.conversation_id = p.stream_id and m.user_id = p.user_id and turn.id = p.stream_id`,
  );
}

/** Those of these streams that have no active subscriber left. */
export async function listEmptyStreams(db: Db, realm_id: number, stream_ids: readonly number[]): Promise<Set<number>> {
  if (stream_ids.length === 0) return new Set();
  const abandoned = await rows<{ id: number }>(
    db,
    sql`select s.id from streams s
        where s.realm_id = ${realm_id} and s.id = any(${bigints(stream_ids)}) and s.archived_at is null
          and not exists (
            select from memberships m join users u on u.realm_id = m.realm_id and u.id = m.user_id and u.is_active
            where m.realm_id = s.realm_id and m.conversation_id = s.id and m.active
          )`,
  );
  return new Set(abandoned.map(({ id }) => id));
}
