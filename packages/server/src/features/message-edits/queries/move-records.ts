// Records of users about messages (received, read, marked unread, flags) when the messages move to another stream.
import { CHUNK, chunkSize, type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { toViewerRow } from '../../../access/messages-sql.ts';
import { canReadStreamContent, hasProtectedHistory } from '../../../access/rules-sql.ts';
import { bigints } from '../../../core/bigints-sql.ts';
import type { IndividualAccess } from '../../../core/event-log/delivery-metadata.ts';
import type { MovedMessage } from './move.ts';

export interface StreamPair {
  readonly realm_id: number;
  readonly from: number;
  readonly to: number;
}

/** A span of numbers, both ends included. */
export interface SeqSpan {
  readonly first: number;
  readonly last: number;
}

const range = ({ first, last }: SeqSpan) => sql`int4multirange(int4range(${first}, ${last + 1}))`;

/**
 * Users of the new stream who have the same records in the old one. Sets are multirange literals of numbers in the old
 * stream.
 */
export interface MovedRecords {
  readonly user_ids: number[];
  readonly received: string;
  readonly reopened: string;
  /** The read part of those two. */
  readonly read: string;
}

/**
 * Waits for users of both streams who are changing their flags, and blocks further changes until the commit: what was
 * read before is stored in numbers of the old stream, what is read later in those of the new one.
 */
export async function lockFlagsOfUsers(db: Db, { realm_id, from, to }: StreamPair): Promise<void> {
  await rows(
    db,
    sql`select u.id from users u where u.realm_id = ${realm_id} and u.id in (
          select here.user_id from memberships here
          join memberships there on there.realm_id = here.realm_id and there.conversation_id = ${from} and there.user_id = here.user_id
          where here.realm_id = ${realm_id} and here.conversation_id = ${to} and here.active
        )
        order by u.id for no key update`,
  );
}

/**
 * What the users of the new stream have of a span of the old one. Users who were never in the old stream have nothing.
 */
export async function listRecords(db: Db, { realm_id, from, to }: StreamPair, span: SeqSpan): Promise<MovedRecords[]> {
  return rows(
    db,
    sql`with members as (
        select here.user_id, coalesce(there.received, '{}') as received, coalesce(marks.reopened, '{}') as reopened, coalesce(marks.read, '{}') as read
        from memberships here
        left join memberships there on there.realm_id = here.realm_id and there.conversation_id = ${from} and there.user_id = here.user_id
        left join lateral (
          select range_agg(r.read) as read, range_agg(r.reopened) as reopened from read_marks r
          where r.realm_id = here.realm_id and r.user_id = here.user_id and r.conversation_id = ${from}
            and r.chunk between ${Math.floor(span.first / CHUNK)} and ${Math.floor(span.last / CHUNK)}
        ) marks on true
        where here.realm_id = ${realm_id} and here.conversation_id = ${to} and here.active
      ),
      quiet as (
        select coalesce(range_agg(q.quiet), '{}') as seqs from quiet_marks q where q.realm_id = ${realm_id} and q.conversation_id = ${from}
          and q.chunk between ${Math.floor(span.first / CHUNK)} and ${Math.floor(span.last / CHUNK)}
      ),
      sets as (
        select p.user_id, p.received * ${range(span)} as received, p.reopened * ${range(span)} as reopened,
          (p.received + p.reopened - ((p.received - quiet.seqs) + p.reopened - p.read)) * ${range(span)} as read
        from members p, quiet
      )
      select received::text, reopened::text, read::text, json_agg(user_id order by user_id) as user_ids
      from sets group by received, reopened, read`,
  );
}

/** The number of messages whose flags one statement looks up. */
const LOOKED_FOR = 10_000;

/**
 * Those of these messages, moved in this transaction, on which any user has flags. A request that puts the first flag
 * on one of the others waits for the commit, because a flag references its message.
 */
export async function listFlagged(
  db: Db,
  realm_id: number,
  moved: readonly { id: number }[],
  between: (since: number) => Promise<void>,
): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < moved.length; n += LOOKED_FOR) {
    const since = performance.now();
    const ids = moved.slice(n, n + LOOKED_FOR).map(({ id }) => id);
    const some = await rows<{ message_id: number }>(
      db,
      sql`select distinct message_id from message_flags
          where realm_id = ${realm_id} and message_id = any(${`{${ids.join(',')}}`}::bigint[])`,
    );
    found.push(...some.map(({ message_id }) => message_id));
    await between(since);
  }
  return found;
}

/** By user, the new numbers of the messages on which users of a stream have flags. */
export async function listFlaggedSeqs(
  db: Db,
  realm_id: number,
  stream_id: number,
  moved: readonly { id: number; new_seq: number }[],
): Promise<Map<number, Set<number>>> {
  const found = await rows<{ user_id: number; seqs: number[] }>(
    db,
    sql`select f.user_id, json_agg(n.seq) as seqs
        from unnest(${bigints(moved.map(({ id }) => id))}, ${bigints(moved.map(({ new_seq }) => new_seq))}) as n(id, seq)
        join message_flags f on f.realm_id = ${realm_id} and f.message_id = n.id
        join memberships x on x.realm_id = f.realm_id and x.conversation_id = ${stream_id} and x.user_id = f.user_id and x.active
        group by f.user_id`,
  );
  return new Map(found.map(({ user_id, seqs }) => [user_id, new Set(seqs)]));
}

/** What one user gets in the new stream, in its numbers. */
export interface NewRecord {
  readonly user_id: number;
  readonly received: string;
  readonly read: string;
  readonly reopened: string;
}

/** Stores for each user of the new stream exactly these of the moved messages. Users who are not listed have none. */
export async function replaceReceived(
  db: Db,
  { realm_id, to }: StreamPair,
  span: SeqSpan,
  records: readonly NewRecord[],
): Promise<void> {
  await rows(
    db,
    sql`update memberships x set received = x.received - ${range(span)} + coalesce(n.received::int4multirange, '{}')
        from memberships y left join jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as n(user_id bigint, received text) on n.user_id = y.user_id
        where x.realm_id = ${realm_id} and x.conversation_id = ${to} and y.realm_id = x.realm_id and y.conversation_id = x.conversation_id
          and y.user_id = x.user_id and (x.received * ${range(span)}) <> coalesce(n.received::int4multirange, '{}')`,
  );
}

/** Adds to the ranges that users have read and marked unread, chunk by chunk. */
export async function addMarks(
  db: Db,
  { realm_id, to }: StreamPair,
  span: SeqSpan,
  records: readonly NewRecord[],
): Promise<void> {
  const marked = records.filter(({ read, reopened }) => read !== '{}' || reopened !== '{}');
  if (marked.length === 0) return;
  await rows(
    db,
    sql`insert into read_marks (realm_id, user_id, conversation_id, chunk, read, reopened)
        select ${realm_id}::bigint, n.user_id, ${to}::bigint, k.chunk, n.read::int4multirange * k.seqs, n.reopened::int4multirange * k.seqs
        from jsonb_to_recordset(${JSON.stringify(marked)}::jsonb) as n(user_id bigint, read text, reopened text)
        cross join lateral (
          select chunk, int4multirange(int4range(chunk * ${chunkSize}, (chunk + 1) * ${chunkSize})) as seqs
          from generate_series(${Math.floor(span.first / CHUNK)}::int, ${Math.floor(span.last / CHUNK)}::int) as chunk
        ) k
        where not isempty(n.read::int4multirange * k.seqs) or not isempty(n.reopened::int4multirange * k.seqs)
        order by n.user_id, k.chunk
        on conflict (realm_id, user_id, conversation_id, chunk) do update
          set read = read_marks.read + excluded.read, reopened = read_marks.reopened + excluded.reopened`,
  );
}

/** Whether the user `u` of a query can read a stream without a subscription. */
const readFromOutside = (stream: 'o' | 's'): SQL =>
  canReadStreamContent(toViewerRow(sql`u`), sql.raw(stream), sql`false`);

/**
 * Users who left the old stream, have these messages in their history, could read them because all users could, and
 * cannot read the new stream. Numbers are those in the old stream, as a multirange literal.
 */
export async function listLeftBehind(db: Db, { realm_id, from, to }: StreamPair, old_seqs: string): Promise<number[]> {
  const found = await rows<{ user_id: number }>(
    db,
    // The users who left are found first: the planner underestimates how many rows the access conditions select.
    sql`with x as materialized (
          select realm_id, user_id from memberships
          where realm_id = ${realm_id} and conversation_id = ${from} and not active and received && ${old_seqs}::int4multirange
        )
        select x.user_id from x
        join streams o on o.realm_id = x.realm_id and o.id = ${from}
        join streams s on s.realm_id = x.realm_id and s.id = ${to}
        join users u on u.realm_id = x.realm_id and u.id = x.user_id
        where ${readFromOutside('o')} and not ${readFromOutside('s')}
          and not exists (
            select from memberships y
            where y.realm_id = x.realm_id and y.conversation_id = ${to} and y.user_id = x.user_id and y.active
          )
        order by x.user_id`,
  );
  return found.map(({ user_id }) => user_id);
}

/** Users who lost their flags on moved messages, and whose event of the move is about these messages alone. */
export interface LostFlags {
  /** Users who could read the messages without being in the old stream. */
  readonly outside: readonly number[];
  /** Users who were in the old stream, and had messages of its protected history that they never received. */
  readonly lost_individual_access: readonly IndividualAccess[];
}

/**
 * Deletes the flags on moved messages of users who do not follow: subscribers of the old stream who are not in the new
 * one, and users who could read the messages without a subscription and no longer can. Users who left the old stream
 * while it was private keep their flags and get no event.
 */
export async function deleteLostFlags(
  db: Db,
  { realm_id, from, to }: StreamPair,
  moved: readonly MovedMessage[],
): Promise<LostFlags> {
  const isIn = (stream: number) => sql`exists (
    select from memberships x where x.realm_id = f.realm_id and x.conversation_id = ${stream} and x.user_id = f.user_id and x.active)`;
  const found = await rows<IndividualAccess & { was_in: boolean }>(
    db,
    sql`with deleted as (
        delete from message_flags f using streams o, streams s, users u,
          unnest(${bigints(moved.map(({ id }) => id))}, ${bigints(moved.map(({ old_seq }) => old_seq))}) as n(id, seq)
        where f.realm_id = ${realm_id} and f.message_id = n.id
          and o.realm_id = f.realm_id and o.id = ${from} and s.realm_id = f.realm_id and s.id = ${to}
          and u.realm_id = f.realm_id and u.id = f.user_id
          and not ${isIn(to)} and (${isIn(from)} or (${readFromOutside('o')} and not ${readFromOutside('s')}))
        returning f.user_id, f.message_id, n.seq, ${isIn(from)} as was_in, ${hasProtectedHistory(sql`o`)} as is_protected
      )
      select g.user_id, g.was_in,
        coalesce(json_agg(g.message_id order by g.message_id) filter (where g.is_protected and not x.received @> g.seq::int), '[]') as ids
      from deleted g
      left join memberships x on g.was_in and x.realm_id = ${realm_id} and x.conversation_id = ${from} and x.user_id = g.user_id
      group by g.user_id, g.was_in order by g.user_id`,
  );
  return {
    outside: found.flatMap(({ user_id, was_in }) => (was_in ? [] : [user_id])),
    lost_individual_access: found.flatMap(({ user_id, was_in, ids }) =>
      was_in && ids.length > 0 ? [{ user_id, ids }] : [],
    ),
  };
}
