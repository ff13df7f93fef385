// Fills an organization with SQL: the rows that the server would have written, without a request for each.
import { deriveApiKey } from '../../packages/server/src/features/auth/index.ts';
import type { BenchUser } from './http.ts';
import type { BenchOrganization } from './organization.ts';
import { SECRET } from './postgres.ts';

export interface BenchStream {
  readonly id: number;
  readonly name: string;
}

type KeyedOrganization = Pick<BenchOrganization, 'realm_id' | 'key_salt'>;

export function userOf({ realm_id, key_salt }: KeyedOrganization, id: number, email: string): BenchUser {
  const key = deriveApiKey(SECRET, { id: realm_id, key_salt }, { id, key_version: 1 });
  return { id, email, login: `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}` };
}

/** New members. */
export async function addUsers({ sql, realm_id, key_salt }: BenchOrganization, count: number): Promise<BenchUser[]> {
  const found = await sql<{ id: number; email: string }[]>`
    with named as (select 'p' || coalesce((select max(id) from users), 0) + n as name from generate_series(1, ${count}::int) n),
    made as (
      insert into users (realm_id, delivery_email, email_key, full_name, role, date_joined)
      select ${realm_id}::bigint, name || '@example.com', name || '@example.com', 'Person ' || name, 400, now() - interval '90 days'
      from named returning id, delivery_email
    ), grouped as (
      insert into user_group_members (realm_id, group_id, user_id)
      select ${realm_id}::bigint, g.id, made.id from user_groups g, made where g.realm_id = ${realm_id} and g.name = 'role:members'
    )
    select id, delivery_email as email from made order by id`;
  return found.map(({ id, email }) => userOf({ realm_id, key_salt }, id, email));
}

/** Public streams, old enough to have a weekly traffic. */
export async function addStreams({ sql, realm_id, owner }: BenchOrganization, count: number): Promise<BenchStream[]> {
  return sql<BenchStream[]>`
    with new_conversations as (
      insert into conversations (realm_id, kind) select ${realm_id}::bigint, 'stream' from generate_series(1, ${count}::int) returning id
    )
    insert into streams (realm_id, id, name, name_key, description, rendered_description, invite_only, is_web_public,
      history_public_to_subscribers, is_default, stream_post_policy, can_remove_subscribers_group, creator_id, created_at)
    select ${realm_id}::bigint, id, 'room ' || id, 'room ' || id, 'A room.', '<p>A room.</p>', false, false, true, false, 1,
      (select id from user_groups where realm_id = ${realm_id} and name = 'role:administrators'), ${owner.id}::bigint,
      now() - interval '90 days'
    from new_conversations order by new_conversations.id returning streams.id, streams.name`;
}

/** Subscribes all given users to all given streams. */
export async function join(
  { sql, realm_id }: BenchOrganization,
  streams: readonly BenchStream[],
  users: readonly BenchUser[],
): Promise<void> {
  await sql`
    with turn as (
      update conversations set last_seq = last_seq + 1
      where realm_id = ${realm_id} and id = any(${streams.map(({ id }) => id)}::bigint[]) returning id, last_seq
    )
    insert into memberships (realm_id, conversation_id, user_id, active, received, color)
    select ${realm_id}::bigint, turn.id, p.id, true, int4multirange(int4range(turn.last_seq + 1, null)), '#76ce90'
    from turn, unnest(${users.map(({ id }) => id)}::bigint[]) as p(id)`;
}

interface Writing {
  readonly stream: BenchStream;
  readonly topic: string;
  readonly by: readonly BenchUser[];
  readonly count: number;
  /** Each has one of so many words besides, such as `blue7`, in turn from this one on. */
  readonly tags?: { readonly color: string; readonly from: number; readonly words: number };
}

/** Inserts messages into a topic, a second apart and the last one now. Returns their ids, ascending. */
export async function addMessages(
  { sql, realm_id }: BenchOrganization,
  { stream, topic, by, count, tags }: Writing,
): Promise<number[]> {
  const tag = tags ? sql`${` It is ${tags.color}`} || (n + ${tags.from}::int) % ${tags.words}::int || '.'` : sql`''`;
  const made = await sql<{ id: number }[]>`
    with target as (
      insert into topics (realm_id, conversation_id, name, name_key) values (${realm_id}, ${stream.id}, ${topic}, lower(${topic}))
      on conflict (realm_id, conversation_id, name_key) do update set name = excluded.name returning id
    ), turn as (
      update conversations set last_seq = last_seq + ${count}::int where realm_id = ${realm_id} and id = ${stream.id}
      returning last_seq - ${count}::int as before
    ), written as (
      insert into messages (realm_id, conversation_id, seq, topic_id, sender_id, content, rendered_content, client, sent_at,
        is_me_message, has_link, has_image, has_attachment, stream_wildcard)
      select ${realm_id}::bigint, ${stream.id}::bigint, turn.before + n, target.id, (${by.map(({ id }) => id)}::bigint[])[1 + n % ${by.length}],
        'Item ' || n || ' needs another look before Monday.' || ${tag}, '<p>Item ' || n || ' needs another look before Monday.</p>',
        'ParleyBench', now() - (${count}::int - n) * interval '1 second', false, false, false, false, false
      from target, turn, generate_series(1, ${count}::int) n order by n returning id
    )
    select id from written order by id`;
  await sql`
    update streams s set first_message_id = (
      select m.id from messages m where m.realm_id = s.realm_id and m.conversation_id = s.id order by m.seq limit 1
    ) where s.realm_id = ${realm_id} and s.id = ${stream.id}`;
  return made.map(({ id }) => id);
}

/**
 * Fills a table without its secondary indexes and without checking foreign keys, and creates the indexes afterwards: much
 * faster for millions of rows.
 */
export async function fillInBulk({ sql }: BenchOrganization, table: string, fill: () => Promise<void>): Promise<void> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indrelid = ${table}::regclass and not indisunique`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  await sql.unsafe(`alter table ${table} disable trigger all`);
  await fill();
  await sql.unsafe(`alter table ${table} enable trigger all`);
  for (const { definition } of indexes)
    await sql.begin((tx) => [tx`set local maintenance_work_mem = '1GB'`, tx.unsafe(definition)]);
}

/** An event queue for each of these users, at the newest event. */
export async function addQueues({ sql, realm_id }: BenchOrganization, users: readonly BenchUser[]): Promise<string[]> {
  const made = await sql<{ id: string }[]>`
    insert into event_queues (realm_id, id, user_id, event_types, narrow, all_public_streams, apply_markdown, client_gravatar,
      slim_presence, acknowledged, lifespan_secs, expires_at, seen_at)
    select ${realm_id}::bigint, gen_random_uuid()::text, p.id, null, '[]', false, true, true, false, c.last_event_id, 3600,
      now() + interval '1 hour', now()
    from unnest(${users.map(({ id }) => id)}::bigint[]) with ordinality as p(id, n), realm_clock c where c.realm_id = ${realm_id}
    order by p.n returning id`;
  return made.map(({ id }) => id);
}

export async function removeQueues({ sql, realm_id }: BenchOrganization): Promise<void> {
  await sql`delete from event_queues where realm_id = ${realm_id}`;
}

/** Leaves the database as if it had been running for a while: vacuumed, analyzed, and nothing left to write. */
export async function settle({ sql }: BenchOrganization): Promise<void> {
  await sql.unsafe('vacuum analyze');
  // Only some roles can run a checkpoint; without it the database writes at a time of its own, perhaps during a
  // measurement.
  await sql.unsafe('checkpoint').catch(() => {});
}
