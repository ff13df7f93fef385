import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { toViewerRow } from '../../../access/messages-sql.ts';
import { messageView } from '../../flags/index.ts';

/**
 * The users who have read a message in their history, ascending; without its sender and users who do not share read
 * receipts.
 */
export async function listReaders(
  db: Db,
  realm_id: number,
  message_id: number,
  by_default: boolean,
): Promise<number[]> {
  const { joins, has_row, unread } = messageView(toViewerRow(sql`u`));
  const [row] = await rows<{ ids: number[] }>(
    db,
    sql`select coalesce(json_agg(u.id order by u.id), '[]') as ids
        from messages m
        join users u on u.realm_id = m.realm_id and u.is_active and not u.is_system_bot and u.id <> m.sender_id and u.id in (
          select x.user_id from memberships x where x.realm_id = m.realm_id and x.conversation_id = m.conversation_id
          union all
          select x.user_id from message_flags x where x.realm_id = m.realm_id and x.message_id = m.id
        )
        left join user_settings s on s.realm_id = u.realm_id and s.user_id = u.id
        ${joins}
        where m.realm_id = ${realm_id} and m.id = ${message_id} and ${has_row} and not ${unread}
          and coalesce((s.overrides->>'send_read_receipts')::boolean, ${by_default}::boolean)`,
  );
  return row?.ids ?? [];
}
