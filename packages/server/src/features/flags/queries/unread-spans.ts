import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';

/** Limits `selectUnreadSpans` to users and conversations. Without conversations: those that the users are in now. */
export interface ReadScope {
  readonly realm_id: number;
  readonly user_ids: readonly number[];
  readonly conversation_ids?: readonly number[];
}

/**
 * Rows (user_id, conversation_id, received, last_seq, seqs) of what users have not read; `seqs` is a multirange that is
 * never empty. The cost depends on the read spans, and not on the messages. A `seq` can belong to a deleted message.
 */
export function selectUnreadSpans({ realm_id, user_ids, conversation_ids }: ReadScope): SQL {
  const [user_id, ...others] = user_ids;
  // Of an array PostgreSQL expects ten users, and plans the statement for each request.
  const isUser =
    user_id !== undefined && others.length === 0
      ? sql`own.user_id = ${user_id}::bigint`
      : sql`own.user_id = any(${bigints(user_ids)})`;
  const isInScope = conversation_ids
    ? sql`own.conversation_id = any(${bigints(conversation_ids)})`
    : sql`own.active and not exists (
        select from streams s where s.realm_id = own.realm_id and s.id = own.conversation_id and s.archived_at is not null)`;
  return sql`select u.* from (${selectUnreadSeqs(realm_id, sql`${isUser} and ${isInScope}`)}) u where not isempty(u.seqs)`;
}

/** The rows of `selectUnreadSpans` for the memberships `own` that `scope` selects, with empty `seqs` too. */
export const selectUnreadSeqs = (realm_id: number, scope: SQL): SQL => sql`
  select own.user_id, own.conversation_id, own.received, c.last_seq,
    (own.received - coalesce(quiet.seqs, '{}') + coalesce(marks.reopened, '{}')) * int4multirange(int4range(1, c.last_seq + 1)) - coalesce(marks.read, '{}') as seqs
  from memberships own
  join conversations c on c.realm_id = own.realm_id and c.id = own.conversation_id
  left join lateral (
    select range_agg(r.read) as read, range_agg(r.reopened) as reopened from read_marks r
    where r.realm_id = own.realm_id and r.user_id = own.user_id and r.conversation_id = own.conversation_id
  ) marks on true
  left join lateral (
    select range_agg(q.quiet) as seqs from quiet_marks q where q.realm_id = own.realm_id and q.conversation_id = own.conversation_id
  ) quiet on true
  where own.realm_id = ${realm_id} and ${scope}`;

/**
 * The newest messages `m` (id, seq, topic_id, stream_wildcard, topic_wildcard_user_ids) of each span in `seqs` of a
 * conversation `conversation_id` of the table `o`: a lateral join that reads no more than `limit` of each span.
 */
export const selectNewestSeq = (realm_id: number, limit: number, o: SQL = sql`o`): SQL => sql`
  cross join lateral unnest(${o}.seqs) as spans(span)
  cross join lateral (
    select n.id, n.seq, n.topic_id, n.stream_wildcard, n.topic_wildcard_user_ids from messages n
    where n.realm_id = ${realm_id} and n.conversation_id = ${o}.conversation_id and n.seq >= lower(spans.span) and n.seq < upper(spans.span)
    order by n.seq desc limit ${limit}
  ) m`;

/** Selects the `id` and `moves` of the first message of a conversation at or after `seq`, whose own message can be deleted. */
export const selectAtSeq = (realm_id: number, conversation_id: SQL, seq: SQL): SQL => sql`
  select n.id, n.moves from messages n where n.realm_id = ${realm_id} and n.conversation_id = ${conversation_id} and n.seq >= ${seq}
  order by n.seq limit 1`;
