import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { messageAccess, toViewer, toViewerRow } from '../../access/messages-sql.ts';
import { bigints } from '../../core/bigints-sql.ts';
import type { User } from '../../core/context.ts';

/**
 * Whether a user can read the upload `u` of a query: they uploaded it, can read a message that links it, or have an
 * unsent message that links it.
 */
export function canReadUpload(me: Pick<User, 'id' | 'role'>): SQL {
  const { joins, readable } = messageAccess(toViewer(me));
  return sql`(u.user_id = ${me.id}
    or exists (
      select from message_uploads l join messages m on m.realm_id = l.realm_id and m.id = l.message_id ${joins}
      where l.realm_id = u.realm_id and l.upload_id = u.id and ${readable})
    or exists (
      select from scheduled_message_uploads l join scheduled_messages s on s.realm_id = l.realm_id and s.id = l.scheduled_message_id
      where l.realm_id = u.realm_id and l.upload_id = u.id and s.user_id = ${me.id} and s.sent_at is null))`;
}

/** Whether any message links the upload `u` of a query. */
export const isLinked: SQL = sql`(
  exists (select from message_uploads l where l.realm_id = u.realm_id and l.upload_id = u.id)
  or exists (
    select from scheduled_message_uploads l join scheduled_messages s on s.realm_id = l.realm_id and s.id = l.scheduled_message_id
    where l.realm_id = u.realm_id and l.upload_id = u.id and s.sent_at is null)
  or exists (
    select from drafts d where d.realm_id = u.realm_id and d.user_id = u.user_id and position(u.key in d.content) > 0))`;

/** The messages `m` of a query as the uploader of `u` sees them, after joins of both. */
export const ownersView = messageAccess(toViewerRow(sql`o`));

/** The uploads that these messages link, if their owners can read the linking message: a query of `upload_id`. */
export function uploadsLinkedBy(realm_id: number, message_ids: readonly number[]): SQL {
  return sql`select distinct l.upload_id from message_uploads l
    join messages m on m.realm_id = l.realm_id and m.id = l.message_id
    join uploads u on u.realm_id = l.realm_id and u.id = l.upload_id
    join users o on o.realm_id = u.realm_id and o.id = u.user_id
    ${ownersView.joins}
    where l.realm_id = ${realm_id} and l.message_id = any(${bigints(message_ids)}) and ${ownersView.readable}`;
}
