import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { messageAccess, toViewer, toViewerRow } from '../../../access/messages-sql.ts';
import { hasProtectedHistory } from '../../../access/rules-sql.ts';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import { uploadsLinkedBy } from '../../uploads/index.ts';

/** Messages of one topic or direct conversation that were deleted, ascending, with the numbers they had. */
export interface DeletedMessage {
  /** Null in direct conversations. */
  readonly topic_id: number | null;
  readonly ids: number[];
  readonly seqs: number[];
  /** Users who are not in the conversation, had one of the messages in their history, and could read all of them. */
  readonly individual_readers: number[];
  /**
   * Users who had individual access to some of the messages and could not read the others: their event lists these
   * messages alone.
   */
  readonly apart: { readonly user_ids: number[]; readonly ids: number[] }[];
  /** Uploads that the deleted messages linked, if their owners could read the messages. Only in the first topic. */
  readonly uploads: readonly number[];
}

/**
 * Deletes messages of one conversation with everything that references them. Returns the deleted messages of each
 * topic.
 */
export async function deleteMessages(
  db: Db,
  realm_id: number,
  message_ids: readonly number[],
): Promise<DeletedMessage[]> {
  const individualReaders = await listIndividualReaders(db, realm_id, message_ids);
  const deleted = await rows<{ id: number; seq: number; topic_id: number | null; uploads: number[] }>(
    db,
    sql`with linked as (${uploadsLinkedBy(realm_id, message_ids)}),
        deleted as (delete from messages where realm_id = ${realm_id} and id = any(${bigints(message_ids)}) returning id, seq, topic_id)
        select id, seq, topic_id, (select coalesce(json_agg(upload_id), '[]') from linked) as uploads from deleted`,
  );
  deleted.sort((one, other) => one.id - other.id);
  return [...new Set(deleted.map(({ topic_id }) => topic_id))].map((topic_id, n) => {
    const here = deleted.filter((one) => one.topic_id === topic_id);
    const readers = individualReaders.filter((one) => one.topic_id === topic_id);
    return {
      topic_id,
      ids: here.map(({ id }) => id),
      // One file can be linked in several topics: its change is emitted once.
      uploads: n === 0 ? (here[0]?.uploads ?? []) : [],
      seqs: here.map(({ seq }) => seq),
      individual_readers: readers.flatMap(({ ids, user_ids }) => (ids ? [] : user_ids)),
      apart: readers.flatMap(({ ids, user_ids }) => (ids ? [{ ids, user_ids }] : [])),
    };
  });
}

/**
 * Users who have flags on the messages and do not get the conversation's event; with the ids, where they cannot read
 * the other messages. Users keep the list of starred messages even of streams that they can no longer read.
 */
async function listIndividualReaders(
  db: Db,
  realm_id: number,
  message_ids: readonly number[],
): Promise<{ topic_id: number; ids: number[] | null; user_ids: number[] }[]> {
  const view = messageAccess(toViewerRow(sql`u`));
  return rows(
    db,
    sql`with flagged as (
        select f.user_id, m.id, m.topic_id, f.starred, ${view.readable} as readable, ${hasProtectedHistory(sql`ms`)} as guarded,
          ${view.subscribed} as is_in, ${view.received} as received
        from message_flags f
        join messages m on m.realm_id = f.realm_id and m.id = f.message_id
        join users u on u.realm_id = f.realm_id and u.id = f.user_id
        ${view.joins}
        where f.realm_id = ${realm_id} and f.message_id = any(${bigints(message_ids)}) and m.topic_id is not null
      ),
      readers as (
        select user_id, topic_id, case when not bool_and(readable and not guarded) then jsonb_agg(id order by id) end as ids
        from flagged where not (is_in and (received or not guarded)) and (readable or starred) group by user_id, topic_id
      )
      select topic_id, ids, json_agg(user_id order by user_id) as user_ids from readers group by topic_id, ids`,
  );
}

interface TopicMessages {
  readonly conversation_id: number;
  readonly topic_id: number;
  /** Newer messages are excluded. */
  readonly newest: number;
}

/** The newest messages of a topic that the user can read, if the topic is still in the stream, and its present name. */
export async function listNewest(
  db: Db,
  me: User,
  { conversation_id, topic_id, newest }: TopicMessages,
  limit: number,
): Promise<{ ids: number[]; topic: string }> {
  const { joins, readable } = messageAccess(toViewer(me));
  const found = await rows<{ id: number; topic: string }>(
    db,
    sql`select m.id, t.name as topic from messages m ${joins} join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
        where m.realm_id = ${me.realm_id} and m.topic_id = ${topic_id} and m.id <= ${newest} and m.conversation_id = ${conversation_id}
          and ${readable}
        order by m.id desc limit ${limit}`,
  );
  return { ids: found.map(({ id }) => id), topic: found[0]?.topic ?? '' };
}
