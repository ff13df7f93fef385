import { chunkSize, type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';

/** A message of the Notification Bot. */
export interface FirstMessage {
  readonly stream_id: number;
  readonly content: string;
  readonly rendered_content: string;
  readonly has_link: boolean;
  readonly has_image: boolean;
  readonly has_attachment: boolean;
}

export interface FirstMessageBatch {
  readonly realm_id: number;
  readonly topic: string;
  readonly sender_id: number;
  /** The user for whom the notes start as read, where they are subscribed to the stream. */
  readonly reader_id: number;
  readonly client: string;
  readonly now: Date;
}

export interface InsertedFirstMessage {
  readonly id: number;
  readonly stream_id: number;
  readonly seq: number;
  /** Whether the reader is subscribed to the stream. */
  readonly is_read: boolean;
}

/**
 * Inserts the first message of each of these streams, which this transaction has created: one statement for all of
 * them.
 */
export async function insertFirstMessages(
  db: Db,
  { realm_id, topic, sender_id, reader_id, client, now }: FirstMessageBatch,
  notes: readonly FirstMessage[],
): Promise<InsertedFirstMessage[]> {
  return rows(
    db,
    sql`with notes as (
          select * from jsonb_to_recordset(${JSON.stringify(notes)}::jsonb) as n(
            stream_id bigint, content text, rendered_content text, has_link boolean, has_image boolean, has_attachment boolean)
        ), turn as (
          update conversations c set last_seq = c.last_seq + 1 from notes
          where c.realm_id = ${realm_id} and c.id = notes.stream_id returning c.id, c.last_seq
        ), begun as (
          insert into topics (realm_id, conversation_id, name, name_key)
          select ${realm_id}::bigint, stream_id, ${topic}::text, lower(${topic}::text) from notes returning id, conversation_id
        ), written as (
          insert into messages (realm_id, conversation_id, seq, topic_id, sender_id, content, rendered_content, client, sent_at,
            is_me_message, has_link, has_image, has_attachment, stream_wildcard)
          select ${realm_id}::bigint, notes.stream_id, turn.last_seq, begun.id, ${sender_id}::bigint, notes.content, notes.rendered_content,
            ${client}::text, ${now.toISOString()}::timestamptz, false, notes.has_link, notes.has_image, notes.has_attachment, false
          from notes join turn on turn.id = notes.stream_id join begun on begun.conversation_id = notes.stream_id order by notes.stream_id
          returning id, conversation_id, seq
        ), firsts as (
          update streams s set first_message_id = written.id from written where s.realm_id = ${realm_id} and s.id = written.conversation_id
        ), seen as (
          insert into read_marks (realm_id, user_id, conversation_id, chunk, read)
          select ${realm_id}::bigint, m.user_id, m.conversation_id, written.seq / ${chunkSize}, int4multirange(int4range(written.seq, written.seq + 1))
          from written join memberships m on m.realm_id = ${realm_id} and m.conversation_id = written.conversation_id
            and m.user_id = ${reader_id} and m.active
          returning conversation_id
        )
        select written.id, written.conversation_id as stream_id, written.seq, seen.conversation_id is not null as is_read
        from written left join seen using (conversation_id) order by written.conversation_id`,
  );
}
