import { CHUNK, chunkSize, type Db, rows, withGenericPlan } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import type { MessageSeqs } from '../../../core/event-log/delivery-metadata.ts';
import { type ReadScope, selectNewestSeq, selectUnreadSpans } from './unread-spans.ts';

// All writes of read_marks are in the order of the key, so that two writers cannot deadlock.
const unite = sql`on conflict (realm_id, user_id, conversation_id, chunk) do update set read = read_marks.read + excluded.read`;

/**
 * Marks message numbers of a conversation (an int4multirange literal, any length, without open ends) as read for users.
 */
export async function markSeqsRead(
  db: Db,
  realm_id: number,
  conversation_id: number,
  user_ids: readonly number[],
  seqs: string,
): Promise<void> {
  await rows(
    db,
    sql`with requested as (select ${seqs}::int4multirange as seqs),
      chunks as (
        select distinct generate_series(lower(span) / ${chunkSize}, (upper(span) - 1) / ${chunkSize}) as chunk from requested, unnest(seqs) as span
      )
      insert into read_marks (realm_id, user_id, conversation_id, chunk, read)
      select ${realm_id}::bigint, u.id, ${conversation_id}::bigint, k.chunk,
        requested.seqs * int4multirange(int4range(k.chunk * ${chunkSize}, (k.chunk + 1) * ${chunkSize}))
      from unnest(${bigints(user_ids)}) as u(id), chunks k, requested
      order by u.id, k.chunk
      ${unite}`,
  );
}

// One range for each chunk with unread messages: everything up to the newest message, whatever was read before.
const cover = (realm_id: number): SQL => sql`
  insert into read_marks (realm_id, user_id, conversation_id, chunk, read)
  select ${realm_id}::bigint, o.user_id, o.conversation_id, k.chunk,
    int4multirange(int4range(k.chunk * ${chunkSize}, least((k.chunk + 1) * ${chunkSize}, o.last_seq + 1)))
  from open o cross join lateral (
    select distinct generate_series(lower(span) / ${chunkSize}, (upper(span) - 1) / ${chunkSize}) as chunk from unnest(o.seqs) as span
  ) k
  order by o.user_id, o.conversation_id, k.chunk
  ${unite}`;

/** Marks everything in the scope as read. The cost does not depend on the number of messages. */
export async function markScopeRead(db: Db, scope: ReadScope): Promise<void> {
  await rows(db, sql`with ${withGenericPlan} open as (${selectUnreadSpans(scope)}) ${cover(scope.realm_id)}`);
}

/** Does the same as `markScopeRead`, and returns the numbers that were unread for users who had unread messages. */
export async function markScopeReadReturningSeqs(
  db: Db,
  scope: ReadScope,
): Promise<{ user_id: number; numbers: readonly MessageSeqs[] }[]> {
  return rows(
    db,
    sql`with ${withGenericPlan} open as materialized (${selectUnreadSpans(scope)}),
      written as (${cover(scope.realm_id)})
      select o.user_id, json_agg(json_build_object('conversation_id', o.conversation_id, 'seqs', o.seqs::text, 'count', size.count)
        order by o.conversation_id) as numbers
      from open o
      cross join lateral (select sum(upper(span) - lower(span))::int as count from unnest(o.seqs) as span) size
      where exists (select from (select 1) as any_message ${selectNewestSeq(scope.realm_id, 1)})
      group by o.user_id order by o.user_id`,
  );
}

/** Makes a new message start as read for all but these users. The cost does not depend on the number of the others. */
export async function insertDefaultReadRanges(
  db: Db,
  realm_id: number,
  { conversation_id, seq, except }: { conversation_id: number; seq: number; except: readonly number[] },
): Promise<void> {
  const at = sql`${realm_id}::bigint, ${conversation_id}::bigint, ${Math.floor(seq / CHUNK)}::int`;
  const one = sql`${`{[${seq},${seq + 1})}`}::int4multirange`;
  await rows(
    db,
    sql`with quiet as (
        insert into quiet_marks (realm_id, conversation_id, chunk, quiet) values (${at}, ${one})
        on conflict (realm_id, conversation_id, chunk) do update set quiet = quiet_marks.quiet + excluded.quiet
      )
      insert into read_marks (realm_id, conversation_id, chunk, user_id, read, reopened)
      select ${at}, u.id, '{}', ${one} from unnest(${bigints(except)}) as u(id) order by u.id
      on conflict (realm_id, user_id, conversation_id, chunk) do update set reopened = read_marks.reopened + excluded.reopened`,
  );
}
