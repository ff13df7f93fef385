import { type Db, rows } from '@parley/db';
import { type SQL, sql } from 'drizzle-orm';
import type { User } from '../../../core/context.ts';
import { jsonUserOverrides, type UserOverrides } from '../../settings/index.ts';
import { isUnchanged, type Stream } from '../../streams/index.ts';
import { selectTopic, type Topic } from '../../topics/index.ts';
import type { WatchedWord } from '../rules/alerts.ts';
import { selectWatchedWords } from './alerts.ts';

const bigints = (ids: readonly number[]) => sql`${sql.param([...ids])}::bigint[]`;

/** What the sender of a stream message has set for the stream and the topic, before the message. */
export interface SenderContext {
  readonly stream_muted: boolean;
  /** 0 nothing, 1 mute, 2 unmute, 3 follow. */
  readonly policy: number;
  readonly topic_is_empty: boolean;
  /** The sender's settings that differ from the defaults; null when none ever did. */
  readonly overrides: UserOverrides;
}

interface SenderPlace {
  readonly conversation_id: number;
  /** A query of the topic's id, which may find none. */
  readonly topic_id: SQL;
}

const selectSender = (sender: Pick<User, 'realm_id' | 'id'>, { conversation_id, topic_id }: SenderPlace): SQL => sql`
  exists (select from memberships where realm_id = ${sender.realm_id} and conversation_id = ${conversation_id}
          and user_id = ${sender.id} and active and is_muted) as stream_muted,
  coalesce((select visibility_policy from user_topics where realm_id = ${sender.realm_id} and user_id = ${sender.id}
            and topic_id = ${topic_id}), 0) as policy,
  not exists (select from messages where realm_id = ${sender.realm_id} and topic_id = ${topic_id}) as topic_is_empty,
  ${jsonUserOverrides(sender)} as overrides`;

export async function findSenderContext(
  db: Db,
  sender: Pick<User, 'realm_id' | 'id'>,
  { conversation_id, topic_id }: { conversation_id: number; topic_id: number },
): Promise<SenderContext> {
  const place = { conversation_id, topic_id: sql`${topic_id}::bigint` };
  const [found] = await rows<SenderContext>(db, sql`select ${selectSender(sender, place)}`);
  if (!found) throw new Error('The statement returns one row.');
  return found;
}

/** All that a message to a stream depends on. */
export interface PostContext {
  /** Whether the stream is still what it was found to be before it was locked. */
  readonly is_unchanged: boolean;
  /** Null if the topic has no messages. */
  readonly topic: Topic | null;
  readonly sender: SenderContext;
  /** Which of `among` are subscribed. */
  readonly members: readonly number[];
  readonly watching: readonly WatchedWord[];
}

export interface PostContextOptions {
  readonly stream: Stream;
  /** The topic's name. */
  readonly topic: string;
  /** Ids of users whom the message may concern. */
  readonly among: readonly number[];
  /** The first pieces of alert words that may be in the message. */
  readonly pieces: readonly string[];
}

/** Reads what a message to a stream depends on. The stream must be locked by an earlier statement, or it may change meanwhile. */
export async function findPostContext(
  db: Db,
  sender: Pick<User, 'realm_id' | 'id'>,
  { stream, topic, among, pieces }: PostContextOptions,
): Promise<PostContext> {
  const { realm_id, id: conversation_id } = stream;
  const [found] = await rows<SenderContext & Omit<PostContext, 'sender'>>(
    db,
    sql`with topic as (${selectTopic(realm_id, conversation_id, topic)})
        select ${isUnchanged(stream)} as is_unchanged, (select to_json(topic) from topic) as topic,
          ${selectSender(sender, { conversation_id, topic_id: sql`(select id from topic)` })},
          coalesce((
            select json_agg(user_id) from memberships where realm_id = ${realm_id} and conversation_id = ${conversation_id}
            and active and user_id = any(${bigints(among)})), '[]') as members,
          coalesce((select json_agg(w) from (${selectWatchedWords(realm_id, [conversation_id], pieces)}) w), '[]') as watching`,
  );
  if (!found) throw new Error('The statement returns one row.');
  const { is_unchanged, topic: known, members, watching: watched, ...context } = found;
  return { is_unchanged, topic: known, members, watching: watched, sender: context };
}
