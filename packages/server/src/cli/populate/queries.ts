import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { isOwner } from '../../access/roles-sql.ts';
import { bigints } from '../../core/bigints-sql.ts';
import { streamKey } from '../../features/streams/index.ts';
import { topicKey } from '../../text/topics.ts';
import type { PlannedText, PlannedUser } from './plan.ts';

const texts = (values: readonly string[]) => sql`${sql.param([...values])}::text[]`;
const ints = (values: readonly number[]) => sql`${sql.param([...values])}::int[]`;
const at = (when: Date) => sql`${when.toISOString()}::timestamptz`;

/** A number above all ids of the organization's accounts and conversations. */
export async function findFreeNumber(db: Db, realm_id: number): Promise<number> {
  const [row] = await rows<{ number: number }>(
    db,
    sql`select greatest((select max(id) from users where realm_id = ${realm_id}),
                        (select max(id) from conversations where realm_id = ${realm_id})) + 1 as number`,
  );
  return Number(row?.number ?? 1);
}

/** The organization's first active owner. */
export async function findOwnerId(db: Db, realm_id: number): Promise<number | undefined> {
  const [row] = await rows<{ id: number }>(
    db,
    sql`select u.id from users u
        where u.realm_id = ${realm_id} and ${isOwner(sql`u`)} and u.is_active and u.bot_type is null order by u.id limit 1`,
  );
  return row?.id;
}

/** Inserts members without a password, in role:members; returns ids in the order of `users`. */
export async function insertUsers(
  db: Db,
  realm_id: number,
  users: readonly PlannedUser[],
  now: Date,
): Promise<number[]> {
  const emails = texts(users.map(({ email }) => email));
  const made = await rows<{ id: number }>(
    db,
    sql`with made as (
          insert into users (realm_id, delivery_email, email_key, full_name, role, date_joined)
          select ${realm_id}::bigint, email, lower(email), full_name, 400, ${at(now)} - make_interval(days => joined)
          from unnest(${emails}, ${texts(users.map(({ full_name }) => full_name))}, ${ints(users.map(({ joined }) => joined))})
            with ordinality as p(email, full_name, joined, n) order by n
          returning id
        ), grouped as (
          insert into user_group_members (realm_id, group_id, user_id)
          select ${realm_id}::bigint, g.id, made.id from user_groups g, made
          where g.realm_id = ${realm_id} and g.is_system_group and g.name = 'role:members'
        )
        select id from made order by id`,
  );
  return made.map(({ id }) => id);
}

/** Inserts public streams; returns ids in the order of `names`. */
export async function insertStreams(
  db: Db,
  { realm_id, owner_id, names, since }: { realm_id: number; owner_id: number; names: readonly string[]; since: Date },
): Promise<number[]> {
  const made = await rows<{ id: number }>(
    db,
    sql`with new_conversations as (
          insert into conversations (realm_id, kind) select ${realm_id}::bigint, 'stream' from generate_series(1, ${names.length}::int) returning id
        ), numbered as (select id, row_number() over (order by id) as n from new_conversations)
        insert into streams (realm_id, id, name, name_key, description, rendered_description, invite_only, is_web_public,
          history_public_to_subscribers, is_default, stream_post_policy, can_remove_subscribers_group, creator_id, created_at)
        select ${realm_id}::bigint, numbered.id, p.name, p.key, '', '', false, false, true, false, 1,
          (select id from user_groups where realm_id = ${realm_id} and name = 'role:administrators'), ${owner_id}::bigint, ${at(since)}
        from unnest(${texts(names)}, ${texts(names.map(streamKey))}) with ordinality as p(name, key, n)
        join numbered on numbered.n = p.n
        returning id`,
  );
  return made.map(({ id }) => id).sort((a, b) => a - b);
}

/** Inserts subscriptions to new streams. As everywhere, subscribing takes a number of the conversation. */
export async function insertMembers(
  db: Db,
  realm_id: number,
  stream_id: number,
  user_ids: readonly number[],
  color: string,
): Promise<void> {
  await db.execute(
    sql`with turn as (
          update conversations set last_seq = last_seq + 1 where realm_id = ${realm_id} and id = ${stream_id} returning last_seq
        )
        insert into memberships (realm_id, conversation_id, user_id, active, received, color)
        select ${realm_id}::bigint, ${stream_id}::bigint, p.id, true, int4multirange(int4range(turn.last_seq + 1, null)), ${color}
        from turn, unnest(${bigints(user_ids)}) as p(id)`,
  );
}

/** Returns ids in the given order. */
export async function insertTopics(
  db: Db,
  realm_id: number,
  topics: readonly { stream_id: number; name: string }[],
): Promise<number[]> {
  const names = topics.map(({ name }) => name);
  const made = await rows<{ id: number }>(
    db,
    sql`insert into topics (realm_id, conversation_id, name, name_key)
        select ${realm_id}::bigint, stream_id, name, key
        from unnest(${bigints(topics.map(({ stream_id }) => stream_id))}, ${texts(names)}, ${texts(names.map(topicKey))})
          with ordinality as p(stream_id, name, key, n) order by n
        returning id`,
  );
  return made.map(({ id }) => id).sort((a, b) => a - b);
}

export interface PopulatedMessage {
  readonly stream_id: number;
  readonly topic_id: number;
  readonly sender_id: number;
  readonly text: PlannedText;
  readonly sent_at: Date;
}

/**
 * Inserts messages into their conversations, numbered after the existing ones. Locks are taken in the same order as
 * everywhere.
 */
export async function insertMessages(
  db: Db,
  realm_id: number,
  messages: readonly PopulatedMessage[],
  client: string,
): Promise<void> {
  const list = <T>(read: (message: PopulatedMessage) => T) => sql.param(messages.map(read));
  await db.execute(
    sql`select id from conversations where realm_id = ${realm_id} and id = any(${bigints([...new Set(messages.map((m) => m.stream_id))])})
        order by id for update`,
  );
  await db.execute(
    sql`with numbered as (
          select *, row_number() over (partition by stream_id order by n) as position
          from unnest(${list((m) => m.stream_id)}::bigint[], ${list((m) => m.topic_id)}::bigint[], ${list((m) => m.sender_id)}::bigint[],
            ${list((m) => m.text.content)}::text[], ${list((m) => m.text.html)}::text[], ${list((m) => Number(m.text.has_link))}::int[],
            ${list((m) => m.sent_at.toISOString())}::text[])
            with ordinality as p(stream_id, topic_id, sender_id, content, html, has_link, sent_at, n)
        ), turn as (
          update conversations c set last_seq = c.last_seq + counted.messages
          from (select stream_id, count(*)::int as messages from numbered group by stream_id) counted
          where c.realm_id = ${realm_id} and c.id = counted.stream_id returning c.id, c.last_seq - counted.messages as before
        )
        insert into messages (realm_id, conversation_id, seq, topic_id, sender_id, content, rendered_content, client, sent_at,
          is_me_message, has_link, has_image, has_attachment, stream_wildcard)
        select ${realm_id}::bigint, stream_id, turn.before + position, topic_id, sender_id, content, html, ${client}, sent_at::timestamptz,
          false, has_link = 1, false, false, false
        from numbered join turn on turn.id = numbered.stream_id order by n`,
  );
}

export async function updateFirstMessages(db: Db, realm_id: number, stream_ids: readonly number[]): Promise<void> {
  await db.execute(
    sql`update streams s set first_message_id = (
          select m.id from messages m where m.realm_id = s.realm_id and m.conversation_id = s.id order by m.seq limit 1
        )
        where s.realm_id = ${realm_id} and s.id = any(${bigints(stream_ids)})`,
  );
}

/** Whether a transaction is still open that began before `then` and may have read the earlier state. */
export async function isOlderTransactionOpen(db: Db, then: Date): Promise<boolean> {
  const found = await rows(
    db,
    sql`select from pg_stat_activity where datname = current_database() and xact_start < ${at(then)} and pid <> pg_backend_pid()`,
  );
  return found.length > 0;
}

/**
 * Leaves a gap in the log, as the last step of a transaction: no events are emitted for what was created here, and the
 * gap shows the processes that cached values may be outdated.
 */
export async function leaveGap(db: Db, realm_id: number): Promise<void> {
  await rows(db, sql`update realm_clock set last_event_id = last_event_id + 1 where realm_id = ${realm_id}`);
}

/** Deletes every event queue of the organization. */
export async function deleteQueues(db: Db, realm_id: number): Promise<{ id: string; poller: string | null }[]> {
  return rows(db, sql`delete from event_queues where realm_id = ${realm_id} returning id, poller`);
}

/** Updates the planner's statistics; until then they describe the earlier state. */
export async function analyze(db: Db): Promise<void> {
  await db.execute(sql`analyze users, memberships, topics, messages`);
}
