import { type Db, rows, sqlState, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, type SQL } from 'drizzle-orm';
import { isGuest } from '../../../access/roles-sql.ts';
import { canSeeStream } from '../../../access/rules-sql.ts';
import { bigints } from '../../../core/bigints-sql.ts';
import { abortAndRetry } from '../../../core/transaction.ts';
import { streamKey } from '../rules/posting.ts';
import type { SeenStream, Stream } from './list.ts';

const { streams } = tables;

/**
 * Waits for requests that change the stream, send messages to it or change its subscribers, and blocks others until the
 * commit. What is read of the stream afterwards does not change.
 */
export async function lockStream(db: Db, realm_id: number, id: number): Promise<void> {
  await rows(
    db,
    sql`select from conversations c join streams s on s.realm_id = c.realm_id and s.id = c.id
        where c.realm_id = ${realm_id} and c.id = ${id} for no key update of c`,
  );
}

/** A stream as messages are sent to it, and whether the sender is subscribed. */
export type PostableStream = Pick<
  SeenStream,
  | 'id'
  | 'name'
  | 'invite_only'
  | 'is_web_public'
  | 'stream_post_policy'
  | 'archived_at'
  | 'first_message_id'
  | 'subscribed'
>;

/** A stream that is not archived, as a JSON object of this type with `is_muted`, which the sender has set; null if there is none. */
export const jsonPostableStream = ({ realm_id, id }: Pick<Stream, 'realm_id' | 'id'>, user_id: SQL): SQL => sql`(
  select json_build_object('id', s.id, 'name', s.name, 'invite_only', s.invite_only, 'is_web_public', s.is_web_public,
    'stream_post_policy', s.stream_post_policy, 'archived_at', s.archived_at, 'first_message_id', s.first_message_id,
    'subscribed', own.is_muted is not null, 'is_muted', coalesce(own.is_muted, false))
  from streams s
  left join memberships own on own.realm_id = s.realm_id and own.conversation_id = s.id and own.user_id = ${user_id} and own.active
  where s.realm_id = ${realm_id} and s.id = ${id} and s.archived_at is null)`;

type Changes = Partial<Omit<typeof streams.$inferSelect, 'realm_id' | 'id' | 'name_key'>>;

/** Changes a stream that is locked. If another request takes the name at this moment, the transaction is retried. */
export async function updateStreamRow(db: Db, { realm_id, id }: Stream, changes: Changes): Promise<void> {
  const name_key = changes.name === undefined ? {} : { name_key: streamKey(changes.name) };
  try {
    await db
      .update(streams)
      .set({ ...changes, ...name_key })
      .where(and(eq(streams.realm_id, realm_id), eq(streams.id, id)));
  } catch (error) {
    if (sqlState(error) === '23505') abortAndRetry('Another request took the name meanwhile.');
    throw error;
  }
}

/**
 * Archives streams that are locked. Subscribers stay subscribed, so that events about messages they received still
 * reach them.
 */
export async function updateArchived(db: Db, realm_id: number, ids: readonly number[], now: Date): Promise<void> {
  await db.execute(
    sql`update streams set archived_at = ${now.toISOString()}::timestamptz
        where realm_id = ${realm_id} and id = any(${bigints(ids)})`,
  );
}

/** The guests who can see a stream. */
export async function listGuestIds(db: Db, { realm_id, id }: Pick<Stream, 'realm_id' | 'id'>): Promise<number[]> {
  const subscribed = sql`exists (
    select from memberships m where m.realm_id = u.realm_id and m.conversation_id = s.id and m.user_id = u.id and m.active)`;
  const guest = { is_guest: sql`true`, is_administrator: sql`false` };
  const found = await rows<{ id: number }>(
    db,
    sql`select u.id from users u join streams s on s.realm_id = u.realm_id and s.id = ${id}
        where u.realm_id = ${realm_id} and ${isGuest(sql`u`)} and u.is_active and ${canSeeStream(guest, sql`s`, subscribed)}
        order by u.id`,
  );
  return found.map((guest) => guest.id);
}
