import { chunkSize, type Db, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { bigints } from '../../../core/bigints-sql.ts';
import type { Stream } from '../../streams/index.ts';
import { type Membership, membershipColumns } from './list.ts';

const { streams } = tables;

export type NewStream = Omit<typeof streams.$inferInsert, 'id'>;

/** The new streams in the given order. Fewer if another transaction has just taken the names of the others. */
export async function insertStreams(db: Db, realm_id: number, newStreams: readonly NewStream[]): Promise<Stream[]> {
  if (newStreams.length === 0) return [];
  const conversations = await rows<{ id: number }>(
    db,
    sql`insert into conversations (realm_id, kind) select ${realm_id}::bigint, 'stream' from generate_series(1, ${newStreams.length}::int) returning id`,
  );
  const ids = conversations.map(({ id }) => id).sort((a, b) => a - b);
  const values = newStreams.map((stream, n) => ({ ...stream, id: ids[n] as number }));
  // Names are inserted in one order, so that two requests which create the same streams wait for each other at the
  // first, without a deadlock.
  const inOrder = values.toSorted((a, b) => (a.name_key < b.name_key ? -1 : 1));
  const made = await db.insert(streams).values(inOrder).onConflictDoNothing().returning();
  return made.sort((a, b) => a.id - b.id).map((stream) => ({ ...stream, last_seq: 0 }));
}

export interface NewMembership {
  readonly stream_id: number;
  readonly user_id: number;
  /** Stored only for users who were never subscribed to the stream. */
  readonly color: string;
}

/**
 * Subscribes users to streams that are locked. A subscription takes a number of the conversation for itself, and
 * `received` starts after it: this distinguishes earlier subscribers from later ones, even without messages in between.
 */
export async function insertMemberships(
  db: Db,
  realm_id: number,
  joining: readonly NewMembership[],
): Promise<Membership[]> {
  if (joining.length === 0) return [];
  const stream_ids = joining.map(({ stream_id }) => stream_id);
  return rows(
    db,
    sql`with turn as (
          update conversations set last_seq = last_seq + 1
          where realm_id = ${realm_id} and id = any(${bigints([...new Set(stream_ids)])}) returning id, last_seq
        )
        insert into memberships as m (realm_id, conversation_id, user_id, active, received, color)
        select ${realm_id}::bigint, p.stream_id, p.user_id, true, int4multirange(int4range(turn.last_seq + 1, null)), p.color
        from unnest(${bigints(stream_ids)}, ${bigints(joining.map(({ user_id }) => user_id))},
                    ${sql.param(joining.map(({ color }) => color))}::text[]) as p(stream_id, user_id, color)
        join turn on turn.id = p.stream_id
        on conflict (realm_id, conversation_id, user_id) do update
          set active = true, received = m.received + excluded.received, color = coalesce(m.color, excluded.color)
        returning ${membershipColumns}`,
  );
}

/**
 * Gives a new user the last 1000 messages of the last 12 weeks in these streams, all but the newest 20 of them read
 * (docs/behaviour/subscriptions.md#new-accounts).
 */
export async function insertHistory(
  db: Db,
  {
    realm_id,
    user_id,
    stream_ids,
    now,
  }: { realm_id: number; user_id: number; stream_ids: readonly number[]; now: Date },
): Promise<void> {
  await db.execute(
    sql`with recent as (
          select newest.conversation_id, newest.seq, row_number() over (order by newest.id desc) as age
          from unnest(${bigints(stream_ids)}) as joined(id) cross join lateral (
            select conversation_id, seq, id, sent_at from messages
            where realm_id = ${realm_id} and conversation_id = joined.id order by id desc limit 1000
          ) newest
          where newest.sent_at > ${now.toISOString()}::timestamptz - interval '12 weeks'
          order by newest.id desc limit 1000
        ), spans as (
          select conversation_id, range_agg(int4range(seq, seq + 1)) as seqs from recent group by conversation_id
        ), extended as (
          update memberships m set received = m.received + spans.seqs from spans
          where m.realm_id = ${realm_id} and m.user_id = ${user_id} and m.conversation_id = spans.conversation_id
        )
        insert into read_marks (realm_id, user_id, conversation_id, chunk, read)
        select ${realm_id}::bigint, ${user_id}::bigint, conversation_id, seq / ${chunkSize}, range_agg(int4range(seq, seq + 1))
        from recent where age > 20 group by conversation_id, seq / ${chunkSize}`,
  );
}
