import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import { requireValue } from '../../../core/require-value.ts';

/**
 * Reserves the next `seq` in each of these conversations, once for each time it is named, as a part of a statement
 * named `taken`. The rows stay locked until the commit; they are locked in ascending order, as everywhere. The lock
 * says that no key changes: so writers do not wait for a large move, whose messages reference the destination stream.
 */
const taking = (realm_id: number, conversation_ids: readonly number[]): SQL => sql`
  with requested as (select id, count(*)::int as messages from unnest(${bigints(conversation_ids)}) as id group by id),
    locked as (
      select c.id from conversations c where c.realm_id = ${realm_id} and c.id in (select id from requested) order by c.id for no key update
    ),
    taken as (
      update conversations c set last_seq = c.last_seq + requested.messages
      from locked join requested using (id)
      where c.realm_id = ${realm_id} and c.id = locked.id
      returning c.id, c.last_seq - requested.messages as last_seq
    )`;

interface Taken {
  readonly id: number;
  /** The number before the first reserved one. */
  readonly last_seq: number;
}

/** Reserves the next `seq` in each of these conversations, in the order in which they are named. */
export async function allocateSeqs(db: Db, realm_id: number, conversation_ids: readonly number[]): Promise<number[]> {
  const taken = await rows<Taken>(db, sql`${taking(realm_id, conversation_ids)} select id, last_seq from taken`);
  return inTurn(conversation_ids, taken);
}

function inTurn(conversation_ids: readonly number[], taken: readonly Taken[]): number[] {
  const next = new Map(taken.map(({ id, last_seq }) => [id, last_seq]));
  return conversation_ids.map((id) => {
    const seq = requireValue(next.get(id)) + 1;
    next.set(id, seq);
    return seq;
  });
}

export interface NewMessage {
  readonly id: number;
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

/** An SQL expression: the next id of a message. Evaluate it while the conversation is locked, so that ids ascend with `seq`. */
export const nextMessageId = sql`nextval('messages_id_seq')`;

/** Inserts messages with ids that were reserved before. */
export function insertMessages(realm_id: number, messages: readonly NewMessage[], now: Date): SQL {
  const [first] = messages;
  const isOne = first && messages.length === 1;
  const selected = isOne ? selectMessage(realm_id, first, now) : selectMessages(realm_id, messages, now);
  return sql`insert into messages (realm_id, id, conversation_id, seq, topic_id, sender_id, content, rendered_content, client, sent_at,
        is_me_message, has_link, has_image, has_attachment, stream_wildcard, topic_wildcard_user_ids) overriding system value
      ${selected}
      returning 1`;
}

/** Most requests send one message. PostgreSQL takes a fifth longer to insert it if it is JSON. */
const selectMessage = (realm_id: number, message: NewMessage, now: Date): SQL =>
  sql`values (${realm_id}::bigint, ${message.id}::bigint, ${message.conversation_id}::bigint, ${message.seq}::int, ${message.topic_id}::bigint,
        ${message.sender_id}::bigint, ${message.content}::text, ${message.rendered_content}::text, ${message.client}::text,
        ${now.toISOString()}::timestamptz, ${message.is_me_message}::boolean, ${message.has_link}::boolean, ${message.has_image}::boolean,
        ${message.has_attachment}::boolean, ${message.stream_wildcard}::boolean, ${sql.param(message.topic_wildcard_user_ids)}::bigint[])`;

const selectMessages = (realm_id: number, messages: readonly NewMessage[], now: Date): SQL =>
  sql`select ${realm_id}::bigint, n.id, n.conversation_id, n.seq, n.topic_id, n.sender_id, n.content, n.rendered_content, n.client,
        ${now.toISOString()}::timestamptz, n.is_me_message, n.has_link, n.has_image, n.has_attachment, n.stream_wildcard, n.topic_wildcard_user_ids
      from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as n(
        id bigint, conversation_id bigint, seq int, topic_id bigint, sender_id bigint, content text, rendered_content text, client text,
        is_me_message boolean, has_link boolean, has_image boolean, has_attachment boolean, stream_wildcard boolean, topic_wildcard_user_ids bigint[])`;

/** Those of these users who are in a conversation now. */
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

/** The flags that a message has for one user, if any. */
export interface NewFlags {
  readonly message_id: number;
  readonly user_id: number;
  readonly mentioned: boolean;
  readonly has_alert_word: boolean;
}

/** Inserts the flags of mentions and alert words: the only rows per recipient. */
export const insertFlags = (realm_id: number, flags: readonly NewFlags[]): SQL =>
  sql`insert into message_flags (realm_id, user_id, message_id, mentioned, has_alert_word)
      select ${realm_id}::bigint, n.user_id, n.message_id, n.mentioned, n.has_alert_word
      from jsonb_to_recordset(${JSON.stringify(flags)}::jsonb) as n(user_id bigint, message_id bigint, mentioned boolean, has_alert_word boolean)
      returning 1`;

/** Runs writes that are not combined with others. */
export async function runWrites(db: Db, writes: readonly SQL[]): Promise<void> {
  for (const write of writes) await rows(db, write);
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

/** Whether an account has an event queue of this id. */
export async function hasQueue(db: Db, realm_id: number, user_id: number, queue_id: string): Promise<boolean> {
  const found = await rows(
    db,
    sql`select 1 from event_queues where realm_id = ${realm_id} and id = ${queue_id} and user_id = ${user_id}`,
  );
  return found.length > 0;
}

/** Locks the conversation: waits for concurrent changes, and blocks others until the commit. */
export async function lockConversation(db: Db, realm_id: number, id: number): Promise<void> {
  await db.execute(sql`select from conversations where realm_id = ${realm_id} and id = ${id} for no key update`);
}
