import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { messageAccess, messageHistory, toViewer } from '../../../access/messages-sql.ts';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';

type Me = Pick<User, 'realm_id' | 'id' | 'role'>;
/** Flags that have a column in message_flags. */
export type StoredFlag = 'starred' | 'collapsed';

/** Sets a flag on messages. Returns the ids of those that did not have it. */
export async function insertFlag(db: Db, me: Me, flag: StoredFlag, ids: readonly number[]): Promise<number[]> {
  const column = sql.identifier(flag);
  const [row] = await rows<{ ids: number[] }>(
    db,
    sql`with written as (
        insert into message_flags (realm_id, user_id, message_id, ${column})
        select m.realm_id, ${me.id}::bigint, m.id, true from messages m
        where m.realm_id = ${me.realm_id} and m.id = any(${bigints(ids)}) order by m.id
        on conflict (realm_id, user_id, message_id) do update set ${column} = true where not message_flags.${column}
        returning message_id
      )
      select coalesce(json_agg(message_id), '[]') as ids from written`,
  );
  return row?.ids ?? [];
}

/** Makes a message part of a user's history, if it is not: as one that they have read, with no flags of its own. */
export function insertIntoHistory(me: Me, message_id: number): SQL {
  const { joins, has_row } = messageHistory(sql`${me.id}::bigint`);
  return sql`insert into message_flags (realm_id, user_id, message_id)
      select m.realm_id, ${me.id}::bigint, m.id from messages m ${joins}
      where m.realm_id = ${me.realm_id} and m.id = ${message_id} and not ${has_row}
      on conflict (realm_id, user_id, message_id) do nothing returning 1`;
}

/** Clears a flag on the messages that the user can read. Returns the ids of those that had it. */
export async function clearFlag(db: Db, me: Me, flag: StoredFlag, ids: readonly number[]): Promise<number[]> {
  const column = sql.identifier(flag);
  const { joins, readable } = messageAccess(toViewer(me));
  // The row stays: it keeps a message in the user's history that was sent before they subscribed.
  const [row] = await rows<{ ids: number[] }>(
    db,
    sql`with written as (
        update message_flags f set ${column} = false
        from messages m ${joins}
        where f.realm_id = ${me.realm_id} and f.user_id = ${me.id} and f.message_id = any(${bigints(ids)}) and f.${column}
          and m.realm_id = f.realm_id and m.id = f.message_id and ${readable}
        returning f.message_id
      )
      select coalesce(json_agg(message_id), '[]') as ids from written`,
  );
  return row?.ids ?? [];
}

/**
 * Ids of the messages that a user starred, ascending, as a JSON array. Messages in streams they have left are included.
 */
export const jsonStarred = (me: Me): SQL =>
  sql`(select coalesce(json_agg(message_id order by message_id), '[]') from message_flags
       where realm_id = ${me.realm_id} and user_id = ${me.id} and starred)`;
