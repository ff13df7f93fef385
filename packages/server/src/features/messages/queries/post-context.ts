import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import { requireValue } from '../../../core/require-value.ts';
import { topicKey } from '../../../text/topics.ts';
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

/** An account, as a parameter or as a column of the statement. */
interface SelectedAccount {
  readonly realm_id: number;
  readonly id: SQL;
}

const selectStreamMuted = (sender: SelectedAccount, conversation_id: number): SQL => sql`
  exists (select from memberships where realm_id = ${sender.realm_id} and conversation_id = ${conversation_id}
          and user_id = ${sender.id} and active and is_muted) as stream_muted`;

/** Besides `stream_muted`. `topic_id` is null if there is no topic. */
const selectSender = (sender: SelectedAccount, topic_id: SQL): SQL => sql`
  coalesce((select visibility_policy from user_topics where realm_id = ${sender.realm_id} and user_id = ${sender.id}
            and topic_id = ${topic_id}), 0) as policy,
  not exists (select from messages where realm_id = ${sender.realm_id} and topic_id = ${topic_id}) as topic_is_empty,
  ${jsonUserOverrides(sender)} as overrides`;

export async function findSenderContext(
  db: Db,
  { realm_id, id }: Pick<User, 'realm_id' | 'id'>,
  { conversation_id, topic_id }: { conversation_id: number; topic_id: number },
): Promise<SenderContext> {
  const sender = { realm_id, id: sql`${id}::bigint` };
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

/** The numbers of a message. */
export type PostNumbers = Pick<PostContext, 'seq' | 'message_id'>;

/** Messages to one stream, in their order. */
export interface PostContextOptions {
  readonly stream: Pick<Stream, 'realm_id' | 'id'>;
  readonly posts: readonly { readonly sender_id: number; readonly topic: string }[];
  /** Ids of users whom the messages may mention or alert. */
  readonly among: readonly number[];
  /** The first pieces of alert words that the messages may contain. */
  readonly pieces: readonly string[];
}

interface ContextRow
  extends Omit<SenderContext, 'stream_muted'>,
    Pick<PostContext, 'seq' | 'message_id' | 'topic' | 'members' | 'watching'> {
  /** The place of the message among them, from 1. */
  readonly n: number;
  readonly stream: PostableStream & { readonly is_muted: boolean };
}

/**
 * Reserves the next numbers in a stream for messages, and reads what each depends on: nothing of the others. The stream must be
 * locked by an earlier statement: this one reads what was committed before it began, which may be before the lock. Empty if there is
 * no such stream.
 */
export async function allocateInStream(db: Db, options: PostContextOptions): Promise<PostContext[]> {
  const { realm_id, id } = options.stream;
  const { length } = options.posts;
  const found = await listContexts(db, options, {
    seqs: sql`
      update conversations set last_seq = last_seq + ${length}::int
      where realm_id = ${realm_id} and id = ${id} and not exists (select from seen where found is null)
      returning last_seq - ${length}::int as last_seq`,
    message_id: nextMessageId,
  });
  const ids = found.map(({ message_id }) => message_id).sort((one, other) => one - other);
  return found.map((context, n) => ({ ...context, message_id: requireValue(ids[n]) }));
}

/** Reads the context of a message again, with the numbers that are reserved for it. Undefined if the stream no longer exists. */
export async function findPostContext(
  db: Db,
  options: PostContextOptions,
  { seq, message_id }: PostNumbers,
): Promise<PostContext | undefined> {
  const seqs = sql`select ${seq - 1}::int as last_seq where not exists (select from seen where found is null)`;
  const [found] = await listContexts(db, options, { seqs, message_id: sql`${message_id}::bigint` });
  return found;
}

/** `seqs` selects the number before the first of the messages. */
async function listContexts(
  db: Db,
  { stream, posts, among, pieces }: PostContextOptions,
  { seqs, message_id }: { readonly seqs: SQL; readonly message_id: SQL },
): Promise<PostContext[]> {
  const { realm_id, id: conversation_id } = stream;
  // Rows of values and no arrays: of these PostgreSQL expects ten elements, and finds a plan for each call cheaper. Their number is a
  // power of two, so that there are few statements to prepare.
  const values = Array.from({ length: 2 ** Math.ceil(Math.log2(posts.length)) }, (_, n) => {
    const post = posts[n];
    return sql`(${n + 1}::int, ${post?.sender_id ?? null}::bigint, ${post ? topicKey(post.topic) : null}::text)`;
  });
  const selectMembers = sql`coalesce((
            select json_agg(user_id) from memberships where realm_id = ${realm_id} and conversation_id = ${conversation_id}
            and active and user_id = any(${bigints(among)})), '[]')`;
  const found = await rows<ContextRow>(
    db,
    sql`with seen as materialized (
          select n, sender_id, topic_key, ${jsonPostableStream(stream, sql`sender_id`)} as found
          from (values ${sql.join(values, sql`, `)}) as post(n, sender_id, topic_key) where sender_id is not null
        ), taken as (${seqs})
        select seen.n, taken.last_seq + seen.n as seq, ${message_id} as message_id, seen.found as stream, to_json(topic) as topic,
          ${selectSender({ realm_id, id: sql`seen.sender_id` }, sql`topic.id`)}, ${among.length > 0 ? selectMembers : sql`'[]'::json`} as members,
          coalesce((select json_agg(w) from (${selectWatchedWords(realm_id, [conversation_id], pieces)}) w), '[]') as watching
        from taken, seen left join lateral (${selectTopic(realm_id, conversation_id, sql`seen.topic_key`)}) topic on true`,
  );
  return found.sort((one, other) => one.n - other.n).map(toPostContext);
}

function toPostContext({
  n: _,
  stream,
  topic,
  seq,
  message_id,
  members,
  watching,
  ...context
}: ContextRow): PostContext {
  const { is_muted: stream_muted, ...postable } = stream;
  return { seq, message_id, stream: postable, topic, members, watching, sender: { ...context, stream_muted } };
}
