import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import { jsonPostableStream, type PostableStream, type Stream } from '../../streams/index.ts';
import { selectTopic, type Topic } from '../../topics/index.ts';
import { jsonUserOverrides, type UserOverrides } from '../../user-settings/index.ts';
import type { WatchedWord } from '../rules/alerts.ts';
import { selectWatchedWords } from './alerts.ts';
import { nextMessageId } from './send.ts';

/** What the sender of a stream message has set for the stream and the topic, before the message. */
export interface SenderContext {
  readonly stream_muted: boolean;
  /** 0 none, 1 muted, 2 unmuted, 3 followed. */
  readonly policy: number;
  readonly topic_is_empty: boolean;
  /** The sender's settings that differ from the defaults; null when none was ever changed. */
  readonly overrides: UserOverrides;
}

const selectStreamMuted = (sender: Pick<User, 'realm_id' | 'id'>, conversation_id: number): SQL => sql`
  exists (select from memberships where realm_id = ${sender.realm_id} and conversation_id = ${conversation_id}
          and user_id = ${sender.id} and active and is_muted) as stream_muted`;

/** Besides `stream_muted`. `topic_id` is a query of the topic's id, which may find none. */
const selectSender = (sender: Pick<User, 'realm_id' | 'id'>, topic_id: SQL): SQL => sql`
  coalesce((select visibility_policy from user_topics where realm_id = ${sender.realm_id} and user_id = ${sender.id}
            and topic_id = ${topic_id}), 0) as policy,
  not exists (select from messages where realm_id = ${sender.realm_id} and topic_id = ${topic_id}) as topic_is_empty,
  ${jsonUserOverrides(sender)} as overrides`;

export async function findSenderContext(
  db: Db,
  sender: Pick<User, 'realm_id' | 'id'>,
  { conversation_id, topic_id }: { conversation_id: number; topic_id: number },
): Promise<SenderContext> {
  const [found] = await rows<SenderContext>(
    db,
    sql`select ${selectStreamMuted(sender, conversation_id)}, ${selectSender(sender, sql`${topic_id}::bigint`)}`,
  );
  if (!found) throw new Error('The statement returns one row.');
  return found;
}

/** What a message to a stream depends on, and the number and id that it gets. */
export interface PostContext {
  /** The message's number in the stream. */
  readonly seq: number;
  /** The message's id. */
  readonly message_id: number;
  /** As it is after the lock. */
  readonly stream: PostableStream;
  /** Null if the topic has no messages. */
  readonly topic: Topic | null;
  readonly sender: SenderContext;
  /** Which of `among` are subscribed. */
  readonly members: readonly number[];
  readonly watching: readonly WatchedWord[];
}

export interface PostContextOptions {
  readonly stream: Pick<Stream, 'realm_id' | 'id'>;
  /** The topic's name. */
  readonly topic: string;
  /** Ids of users whom the message may mention or alert. */
  readonly among: readonly number[];
  /** The first pieces of alert words that the message may contain. */
  readonly pieces: readonly string[];
}

interface AllocatedContext
  extends Omit<SenderContext, 'stream_muted'>,
    Pick<PostContext, 'seq' | 'message_id' | 'topic' | 'members' | 'watching'> {
  readonly stream: PostableStream & { readonly is_muted: boolean };
}

/**
 * Reserves the next number in a stream for a message, and reads what the message depends on. The stream must be locked
 * by an earlier statement: this one reads what was committed before it began, which may be before the lock. Undefined if there is
 * no such stream.
 */
export async function allocateInStream(
  db: Db,
  sender: Pick<User, 'realm_id' | 'id'>,
  { stream, topic, among, pieces }: PostContextOptions,
): Promise<PostContext | undefined> {
  const { realm_id, id: conversation_id } = stream;
  const selectMembers = sql`coalesce((
            select json_agg(user_id) from memberships where realm_id = ${realm_id} and conversation_id = ${conversation_id}
            and active and user_id = any(${bigints(among)})), '[]')`;
  const [found] = await rows<AllocatedContext>(
    db,
    sql`with seen as materialized (select ${jsonPostableStream(stream, sender.id)} as found),
        taken as (
          update conversations set last_seq = last_seq + 1 from seen
          where realm_id = ${realm_id} and id = ${conversation_id} and found is not null returning last_seq, found
        ), topic as (${selectTopic(realm_id, conversation_id, topic)})
        select taken.last_seq as seq, ${nextMessageId} as message_id, taken.found as stream, (select to_json(topic) from topic) as topic,
          ${selectSender(sender, sql`(select id from topic)`)}, ${among.length > 0 ? selectMembers : sql`'[]'::json`} as members,
          coalesce((select json_agg(w) from (${selectWatchedWords(realm_id, [conversation_id], pieces)}) w), '[]') as watching
        from taken`,
  );
  if (!found) return undefined;
  const { stream: seen, topic: known, seq, message_id, members, watching, ...context } = found;
  const { is_muted: stream_muted, ...postable } = seen;
  return { seq, message_id, stream: postable, topic: known, members, watching, sender: { ...context, stream_muted } };
}
