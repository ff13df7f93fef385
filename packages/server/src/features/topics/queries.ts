import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { messageHistory } from '../../access/messages-sql.ts';
import type { StreamPrivacy } from '../../access/rules.ts';
import { bigints } from '../../core/bigints-sql.ts';
import type { User } from '../../core/context.ts';
import { jsonRows } from '../../core/json-rows-sql.ts';
import { topicKey } from '../../text/topics.ts';

/** A topic with its name in the original case. */
export interface Topic {
  readonly id: number;
  readonly name: string;
}

export async function findTopic(
  db: Db,
  realm_id: number,
  conversation_id: number,
  name: string,
): Promise<Topic | undefined> {
  const [topic] = await rows<Topic>(db, selectTopic(realm_id, conversation_id, sql`${topicKey(name)}`));
  return topic;
}

/** A query of a topic by its `topicKey`. */
export const selectTopic = (realm_id: number, conversation_id: number, key: SQL): SQL =>
  sql`select id, name from topics
      where realm_id = ${realm_id} and conversation_id = ${conversation_id} and name_key = ${key}`;

/** The new topic; undefined if another request has just created it. */
export async function insertTopic(
  db: Db,
  realm_id: number,
  conversation_id: number,
  name: string,
): Promise<Topic | undefined> {
  const [topic] = await rows<Topic>(
    db,
    sql`insert into topics (realm_id, conversation_id, name, name_key)
        values (${realm_id}, ${conversation_id}, ${name}, ${topicKey(name)})
        on conflict (realm_id, conversation_id, name_key) do nothing returning id, name`,
  );
  return topic;
}

interface Listed {
  readonly stream_id: number;
  /** Whether the history of the stream is protected: then only messages of the user's own history count. */
  readonly is_protected: boolean;
}

/**
 * Topics with messages that a user can see, in a stream that they can read, each with its newest such message; the
 * newest first.
 */
export async function listTopics(
  db: Db,
  me: User,
  { stream_id, is_protected }: Listed,
): Promise<{ name: string; max_id: number }[]> {
  const { joins, has_row } = messageHistory(sql`${me.id}::bigint`);
  // Without protected history a topic is visible as a whole, and its newest message comes from the index alone.
  const [joined, visible] = is_protected ? [joins, sql`and ${has_row}`] : [sql``, sql``];
  return rows(
    db,
    sql`select t.name, newest.id as max_id from topics t
        cross join lateral (
          select m.id from messages m ${joined} where m.realm_id = t.realm_id and m.topic_id = t.id ${visible} order by m.id desc limit 1
        ) newest
        where t.realm_id = ${me.realm_id} and t.conversation_id = ${stream_id} order by newest.id desc`,
  );
}

export interface Policy {
  readonly realm_id: number;
  readonly user_id: number;
  readonly topic_id: number;
  readonly visibility_policy: number;
}

export async function updateTopicPolicy(
  db: Db,
  { realm_id, user_id, topic_id, visibility_policy }: Policy,
  now: Date,
): Promise<void> {
  await db.execute(
    sql`insert into user_topics (realm_id, user_id, topic_id, visibility_policy, last_updated)
        values (${realm_id}, ${user_id}, ${topic_id}, ${visibility_policy}, ${now.toISOString()}::timestamptz)
        on conflict (realm_id, user_id, topic_id)
        do update set visibility_policy = excluded.visibility_policy, last_updated = excluded.last_updated`,
  );
}

export async function deleteTopicPolicy(db: Db, realm_id: number, user_id: number, topic_id: number): Promise<void> {
  await db.execute(
    sql`delete from user_topics where realm_id = ${realm_id} and user_id = ${user_id} and topic_id = ${topic_id}`,
  );
}

/** A user's policy for a topic: 0 none, 1 muted, 2 unmuted, 3 followed. */
export async function findTopicPolicy(db: Db, realm_id: number, user_id: number, topic_id: number): Promise<number> {
  const [row] = await rows<{ visibility_policy: number }>(
    db,
    sql`select visibility_policy from user_topics
        where realm_id = ${realm_id} and user_id = ${user_id} and topic_id = ${topic_id}`,
  );
  return row?.visibility_policy ?? 0;
}

export interface PolicyRow {
  readonly stream_id: number;
  readonly stream_name: string;
  readonly topic_name: string;
  /** UNIX time in seconds. */
  readonly last_updated: number;
  readonly visibility_policy: number;
  /** The facts that decide whether the user can read the stream. */
  readonly stream: StreamPrivacy;
  readonly subscribed: boolean;
}

/** A user's topic policies in streams that are not archived, as a JSON array. */
export const jsonTopicPolicies = (realm_id: number, user_id: number): SQL =>
  jsonRows(sql`select t.conversation_id as stream_id, s.name as stream_name, t.name as topic_name,
        floor(extract(epoch from u.last_updated))::int as last_updated, u.visibility_policy,
        json_build_object('invite_only', s.invite_only, 'is_web_public', s.is_web_public, 'archived_at', null) as stream,
        coalesce(m.active, false) as subscribed
      from user_topics u
      join topics t on t.realm_id = u.realm_id and t.id = u.topic_id
      join streams s on s.realm_id = t.realm_id and s.id = t.conversation_id and s.archived_at is null
      left join memberships m on m.realm_id = s.realm_id and m.conversation_id = s.id and m.user_id = u.user_id
      where u.realm_id = ${realm_id} and u.user_id = ${user_id}
      order by t.conversation_id, t.name_key collate "C"`);

export interface SubscriptionKey {
  readonly stream_id: number;
  readonly user_id: number;
}

/** Deletes the policies of users for the topics of streams, and returns them. */
export async function deletePoliciesIn(
  db: Db,
  realm_id: number,
  subscriptions: readonly SubscriptionKey[],
): Promise<(SubscriptionKey & { readonly topic_name: string })[]> {
  if (subscriptions.length === 0) return [];
  return rows(
    db,
    sql`delete from user_topics u using topics t,
          unnest(${bigints(subscriptions.map(({ stream_id }) => stream_id))}, ${bigints(subscriptions.map(({ user_id }) => user_id))})
            as p(stream_id, user_id)
        where u.realm_id = ${realm_id} and u.user_id = p.user_id and t.realm_id = u.realm_id and t.id = u.topic_id
          and t.conversation_id = p.stream_id
        returning p.stream_id, p.user_id, t.name as topic_name`,
  );
}
