import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';

/** Finds one of these groups that a user cannot mention, with the group whose members can. */
export async function findForbiddenGroup(
  db: Db,
  realm_id: number,
  user_id: number,
  group_ids: readonly number[],
): Promise<{ name: string; allowed: string } | undefined> {
  const [forbidden] = await rows<{ name: string; allowed: string }>(
    db,
    // Walks upwards from the user: the cost depends on the groups of the user, and not on the sizes of the groups.
    sql`with recursive own_groups (id) as (
          select group_id from user_group_members where realm_id = ${realm_id} and user_id = ${user_id}
          union
          select s.group_id from own_groups join user_group_subgroups s on s.realm_id = ${realm_id} and s.subgroup_id = own_groups.id
        )
        select g.name, a.name as allowed from user_groups g
        join user_groups a on a.realm_id = g.realm_id and a.id = coalesce(g.can_mention_group, g.id)
        where g.realm_id = ${realm_id} and g.id = any(${bigints(group_ids)}) and a.id not in (select id from own_groups)
        order by g.id limit 1`,
  );
  return forbidden;
}

/** The number of active users in a stream, counted up to `limit`. */
export async function countSubscribers(db: Db, realm_id: number, stream_id: number, limit: number): Promise<number> {
  const [row] = await rows<{ count: number }>(
    db,
    sql`select count(*)::int as count from (
          select from memberships m join users u on u.realm_id = m.realm_id and u.id = m.user_id and u.is_active
          where m.realm_id = ${realm_id} and m.conversation_id = ${stream_id} and m.active limit ${limit}
        ) subscribers`,
  );
  return row?.count ?? 0;
}

/**
 * The participants of a topic: active users who sent messages or reacted in it. The query skips from user to user in an
 * index, so that the cost depends on the number of users, and not of messages.
 */
export async function listParticipantIds(db: Db, realm_id: number, topic_id: number): Promise<number[]> {
  const next = (table: SQL, column: SQL, after: SQL) => sql`(
    select x.${column} from ${table} x where x.realm_id = ${realm_id} and x.topic_id = ${topic_id} and x.${column} > ${after}
    order by x.${column} limit 1)`;
  const leap = (name: SQL, table: SQL, column: SQL) => sql`
    ${name}(id) as (
      select ${next(table, column, sql`0`)} union all
      select ${next(table, column, sql`${name}.id`)} from ${name} where ${name}.id is not null
    )`;
  const found = await rows<{ id: number }>(
    db,
    sql`with recursive ${leap(sql`writers`, sql`messages`, sql`sender_id`)}, ${leap(sql`reactors`, sql`reactions`, sql`user_id`)}
        select u.id from users u
        where u.realm_id = ${realm_id} and u.is_active and not u.is_system_bot and u.id in (select id from writers union select id from reactors) order by u.id`,
  );
  return found.map(({ id }) => id);
}

/** The users who sent or reacted to some messages of a topic; without ids, to any of its messages. */
export async function listParticipantsOf(
  db: Db,
  realm_id: number,
  topic_id: number,
  message_ids: readonly number[] | undefined,
): Promise<number[]> {
  if (!message_ids) return listParticipantIds(db, realm_id, topic_id);
  const found = await rows<{ id: number }>(
    db,
    sql`select u.id from users u where u.realm_id = ${realm_id} and u.is_active and not u.is_system_bot and u.id in (
          select sender_id from messages where realm_id = ${realm_id} and id = any(${bigints(message_ids)})
          union select user_id from reactions where realm_id = ${realm_id} and message_id = any(${bigints(message_ids)})
        ) order by u.id`,
  );
  return found.map(({ id }) => id);
}

interface Following {
  readonly realm_id: number;
  readonly topic_id: number;
  readonly user_ids: readonly number[];
  /** The value of the setting for users who never changed it. */
  readonly by_default: boolean;
  /** The maximum number of topics with a policy for one user. */
  readonly most: number;
  readonly now: Date;
}

/** Makes mentioned users follow a topic, if their settings say so and they neither muted nor follow it. */
export async function insertFollowersMentioned(
  db: Db,
  { realm_id, topic_id, user_ids, by_default, most, now }: Following,
): Promise<number[]> {
  const followed = await rows<{ user_id: number }>(
    db,
    sql`insert into user_topics (realm_id, user_id, topic_id, visibility_policy, last_updated)
        select u.realm_id, u.id, ${topic_id}::bigint, 3, ${now.toISOString()}::timestamptz
        from users u left join user_settings s on s.realm_id = u.realm_id and s.user_id = u.id
        where u.realm_id = ${realm_id} and u.id = any(${bigints(user_ids)}) and u.is_active and u.bot_type is null and not u.is_system_bot
          and coalesce((s.overrides->>'automatically_follow_topics_where_mentioned')::boolean, ${by_default}::boolean)
          and (select count(*) from user_topics x where x.realm_id = u.realm_id and x.user_id = u.id) < ${most}::bigint
        order by u.id
        on conflict (realm_id, user_id, topic_id) do update
          set visibility_policy = excluded.visibility_policy, last_updated = excluded.last_updated
          where user_topics.visibility_policy not in (1, 3)
        returning user_id`,
  );
  return followed.map(({ user_id }) => user_id).sort((one, other) => one - other);
}
