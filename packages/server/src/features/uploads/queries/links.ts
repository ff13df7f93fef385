import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import { canReadUpload, ownersView } from '../access-sql.ts';

const texts = (keys: readonly string[]) => sql`${sql.param([...keys])}::text[]`;

/**
 * The uploads of these keys that the user can read, as a part of a statement named `found`. They are locked until the
 * commit; an upload that is being swept at this moment is excluded.
 */
const foundFor = (me: User, keys: readonly string[]): SQL => sql`found as (
  select u.id, u.key from uploads u
  where u.realm_id = ${me.realm_id} and u.key = any(${texts(keys)}) and ${canReadUpload(me)} for key share of u
)`;

export interface Link {
  readonly message_id: number;
  readonly key: string;
}

/** Stores what new messages of this user link, and returns the uploads. */
export async function insertLinks(db: Db, author: User, links: readonly Link[]): Promise<number[]> {
  const keys = [...new Set(links.map(({ key }) => key))];
  const linked = await rows<{ upload_id: number }>(
    db,
    sql`with ${foundFor(author, keys)}
      insert into message_uploads (realm_id, message_id, upload_id)
      select distinct ${author.realm_id}::bigint, n.message_id, f.id
      from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as n(message_id bigint, key text) join found f on f.key = n.key
      returning upload_id`,
  );
  return [...new Set(linked.map(({ upload_id }) => upload_id))];
}

/** Stores what an edited message links, and returns the uploads whose links were added or removed. */
export async function replaceLinks(
  db: Db,
  author: User,
  message_id: number,
  keys: readonly string[],
): Promise<number[]> {
  const changed = await rows<{ upload_id: number }>(
    db,
    sql`with ${foundFor(author, keys)},
      deleted as (
        delete from message_uploads where realm_id = ${author.realm_id} and message_id = ${message_id}
          and upload_id not in (select id from found)
        returning upload_id
      ),
      new as (
        insert into message_uploads (realm_id, message_id, upload_id)
        select ${author.realm_id}::bigint, ${message_id}::bigint, id from found on conflict do nothing
        returning upload_id
      )
      select upload_id from deleted union select upload_id from new`,
  );
  return changed.map(({ upload_id }) => upload_id);
}

/** Stores what a scheduled message links. */
export async function replaceScheduledLinks(
  db: Db,
  author: User,
  scheduled_message_id: number,
  keys: readonly string[],
): Promise<void> {
  await rows(
    db,
    sql`with ${foundFor(author, keys)},
      deleted as (
        delete from scheduled_message_uploads
        where realm_id = ${author.realm_id} and scheduled_message_id = ${scheduled_message_id} and upload_id not in (select id from found)
      )
      insert into scheduled_message_uploads (realm_id, scheduled_message_id, upload_id)
      select ${author.realm_id}::bigint, ${scheduled_message_id}::bigint, id from found on conflict do nothing`,
  );
}

/** An upload in events to its owner. */
export interface AttachmentRow {
  readonly id: number;
  readonly user_id: number;
  readonly key: string;
  readonly name: string;
  readonly size: number;
  /** UNIX time in milliseconds. */
  readonly create_time: number;
  /** The messages that the owner can read, newest first. */
  readonly messages: { readonly id: number; readonly date_sent: number }[];
  /** Bytes of all files of the organization. */
  readonly space: number;
}

const MOST_MESSAGES = 100;

/** These uploads as their owners see them; with `messages`, only those whose owners can read one of these. */
export async function listAttachments(
  db: Db,
  realm_id: number,
  upload_ids: readonly number[],
  message_ids?: readonly number[],
): Promise<AttachmentRow[]> {
  const { joins, readable } = ownersView;
  const concerned = message_ids
    ? sql`exists (select from messages m ${joins} where m.realm_id = u.realm_id and m.id = any(${bigints(message_ids)}) and ${readable})`
    : sql`true`;
  return listWhere(db, realm_id, sql`u.id = any(${bigints(upload_ids)}) and ${concerned}`);
}

/** The uploads of a user, oldest first. */
export const listAttachmentsOf = (db: Db, { realm_id, id }: Pick<User, 'realm_id' | 'id'>): Promise<AttachmentRow[]> =>
  listWhere(db, realm_id, sql`u.user_id = ${id}`);

function listWhere(db: Db, realm_id: number, which: SQL): Promise<AttachmentRow[]> {
  const { joins, readable } = ownersView;
  return rows(
    db,
    sql`select u.id, u.user_id, u.key, u.name, u.size, floor(extract(epoch from u.created_at) * 1000)::bigint as create_time,
          coalesce(linked.messages, '[]') as messages,
          coalesce((select bytes from upload_space x where x.realm_id = u.realm_id), 0) as space
        from uploads u join users o on o.realm_id = u.realm_id and o.id = u.user_id
        cross join lateral (
          select json_agg(json_build_object('id', one.id, 'date_sent', one.date_sent) order by one.id desc) as messages
          from (
            select m.id, floor(extract(epoch from m.sent_at) * 1000)::bigint as date_sent
            from message_uploads l join messages m on m.realm_id = l.realm_id and m.id = l.message_id ${joins}
            where l.realm_id = u.realm_id and l.upload_id = u.id and ${readable}
            order by m.id desc limit ${MOST_MESSAGES}
          ) one
        ) linked
        where u.realm_id = ${realm_id} and ${which}
        order by u.id`,
  );
}
