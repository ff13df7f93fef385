import { type Db, rows } from '@parley/db';
import { sql } from 'drizzle-orm';

const bigints = (ids: readonly number[]) => sql`${sql.param([...ids])}::bigint[]`;

/**
 * Takes the next `seq` in each of these conversations, once for each time it is named, in that order. The rows stay
 * locked until the commit; they are locked in ascending order, as everyone locks them. No key of theirs changes, and saying so
 * keeps writers from waiting for a large move, whose messages refer to the stream they go to.
 */
export async function takeSeqs(db: Db, realm_id: number, conversation_ids: readonly number[]): Promise<number[]> {
  const found = await rows<{ id: number; last_seq: number }>(
    db,
    sql`with wanted as (select id, count(*)::int as messages from unnest(${bigints(conversation_ids)}) as id group by id),
          locked as (
            select c.id from conversations c where c.realm_id = ${realm_id} and c.id in (select id from wanted) order by c.id for no key update
          )
        update conversations c set last_seq = c.last_seq + wanted.messages
        from locked join wanted using (id)
        where c.realm_id = ${realm_id} and c.id = locked.id
        returning c.id, c.last_seq - wanted.messages as last_seq`,
  );
  const next = new Map(found.map(({ id, last_seq }) => [id, last_seq]));
  return conversation_ids.map((id) => {
    const seq = (next.get(id) ?? 0) + 1;
    next.set(id, seq);
    return seq;
  });
}

export interface NewMessage {
  readonly conversation_id: number;
  readonly seq: number;
  readonly topic_id: number | null;
  readonly sender_id: number;
  readonly content: string;
  readonly rendered_content: string;
  readonly client: string;
  readonly is_me_message: boolean;
  readonly has_link: boolean;
  readonly has_image: boolean;
  readonly has_attachment: boolean;
  readonly stream_wildcard: boolean;
  readonly topic_wildcard_user_ids: readonly number[] | null;
}

/** Writes messages; gives their ids in the same order. */
export async function insertMessages(
  db: Db,
  realm_id: number,
  messages: readonly NewMessage[],
  now: Date,
): Promise<number[]> {
  const inserted = await rows<{ id: number; conversation_id: number; seq: number }>(
    db,
    sql`insert into messages (realm_id, conversation_id, seq, topic_id, sender_id, content, rendered_content, client, sent_at,
          is_me_message, has_link, has_image, has_attachment, stream_wildcard, topic_wildcard_user_ids)
        select ${realm_id}::bigint, n.conversation_id, n.seq, n.topic_id, n.sender_id, n.content, n.rendered_content, n.client,
          ${now.toISOString()}::timestamptz, n.is_me_message, n.has_link, n.has_image, n.has_attachment, n.stream_wildcard, n.topic_wildcard_user_ids
        from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as n(
          conversation_id bigint, seq int, topic_id bigint, sender_id bigint, content text, rendered_content text, client text,
          is_me_message boolean, has_link boolean, has_image boolean, has_attachment boolean, stream_wildcard boolean, topic_wildcard_user_ids bigint[])
        order by n.conversation_id, n.seq
        returning id, conversation_id, seq`,
  );
  const ids = new Map(inserted.map(({ id, conversation_id, seq }) => [`${conversation_id}/${seq}`, id]));
  return messages.map(({ conversation_id, seq }) => ids.get(`${conversation_id}/${seq}`) ?? NaN);
}

/** Which of these people are in a conversation now. */
export async function listMembersAmong(
  db: Db,
  realm_id: number,
  conversation_id: number,
  user_ids: readonly number[],
): Promise<Set<number>> {
  if (user_ids.length === 0) return new Set();
  const found = await rows<{ user_id: number }>(
    db,
    sql`select user_id from memberships
        where realm_id = ${realm_id} and conversation_id = ${conversation_id} and active and user_id = any(${bigints(user_ids)})`,
  );
  return new Set(found.map(({ user_id }) => user_id));
}

/** Notes mentions: the only thing that is written for each recipient, and for no other recipients. */
export async function insertMentions(
  db: Db,
  realm_id: number,
  mentions: readonly { message_id: number; user_id: number }[],
): Promise<void> {
  if (mentions.length === 0) return;
  await db.execute(
    sql`insert into message_flags (realm_id, user_id, message_id, mentioned)
        select ${realm_id}::bigint, n.user_id, n.message_id, true
        from unnest(${bigints(mentions.map((one) => one.user_id))}, ${bigints(mentions.map((one) => one.message_id))}) as n(user_id, message_id)`,
  );
}

/** Sets a stream's first message, if it has none. */
export async function updateFirstMessage(
  db: Db,
  realm_id: number,
  stream_id: number,
  message_id: number,
): Promise<void> {
  await db.execute(
    sql`update streams set first_message_id = ${message_id} where realm_id = ${realm_id} and id = ${stream_id} and first_message_id is null`,
  );
}

/** How the sender of a stream message stands to the stream and the topic, before the message. */
export interface SenderStanding {
  readonly stream_muted: boolean;
  /** 0 nothing, 1 mute, 2 unmute, 3 follow. */
  readonly policy: number;
  readonly topic_is_empty: boolean;
}

export async function findSenderStanding(
  db: Db,
  realm_id: number,
  { user_id, conversation_id, topic_id }: { user_id: number; conversation_id: number; topic_id: number },
): Promise<SenderStanding> {
  const [standing] = await rows<SenderStanding>(
    db,
    sql`select
          exists (select from memberships where realm_id = ${realm_id} and conversation_id = ${conversation_id}
                  and user_id = ${user_id} and active and is_muted) as stream_muted,
          coalesce((select visibility_policy from user_topics where realm_id = ${realm_id} and user_id = ${user_id}
                    and topic_id = ${topic_id}), 0) as policy,
          not exists (select from messages where realm_id = ${realm_id} and topic_id = ${topic_id}) as topic_is_empty`,
  );
  if (!standing) throw new Error('unreachable');
  return standing;
}

/** Whether an account has an event queue of this id. */
export async function hasQueue(db: Db, realm_id: number, user_id: number, queue_id: string): Promise<boolean> {
  const found = await rows(
    db,
    sql`select 1 from event_queues where realm_id = ${realm_id} and id = ${queue_id} and user_id = ${user_id}`,
  );
  return found.length > 0;
}

/** Waits for whoever is changing the conversation, and keeps others from doing so until the commit. */
export async function lockConversation(db: Db, realm_id: number, id: number): Promise<void> {
  await db.execute(sql`select from conversations where realm_id = ${realm_id} and id = ${id} for no key update`);
}
