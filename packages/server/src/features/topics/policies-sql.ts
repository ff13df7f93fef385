import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { toViewerRow } from '../../access/messages-sql.ts';
import { canReadStreamContent } from '../../access/rules-sql.ts';

interface PolicyOf {
  readonly user_id: number;
  readonly visibility_policy: number;
}

/** The policies of users for a topic, with a new time of change. */
export async function updatePolicyDates(db: Db, realm_id: number, topic_id: number, now: Date): Promise<PolicyOf[]> {
  return rows(
    db,
    sql`update user_topics set last_updated = ${now.toISOString()}::timestamptz
        where realm_id = ${realm_id} and topic_id = ${topic_id} returning user_id, visibility_policy`,
  );
}

export async function deletePoliciesOf(db: Db, realm_id: number, topic_id: number): Promise<void> {
  await rows(db, sql`delete from user_topics where realm_id = ${realm_id} and topic_id = ${topic_id}`);
}

interface TopicKey {
  readonly stream_id: number;
  readonly topic_id: number;
}

/**
 * The policies for two topics (0 for none) of all users who have one for either, and whether they can read the second
 * topic's stream.
 */
export async function listPolicyPairs(
  db: Db,
  realm_id: number,
  from: TopicKey,
  to: TopicKey,
): Promise<{ user_id: number; from_policy: number; to_policy: number; can_read: boolean }[]> {
  const policy = (topic_id: number) =>
    sql`coalesce(max(p.visibility_policy) filter (where p.topic_id = ${topic_id}), 0)`;
  return rows(
    db,
    sql`select p.user_id, ${policy(from.topic_id)} as from_policy, ${policy(to.topic_id)} as to_policy,
          bool_or(${canReadStreamContent(toViewerRow(sql`u`), sql`s`, sql`coalesce(x.active, false)`)}) as can_read
        from user_topics p
        join users u on u.realm_id = p.realm_id and u.id = p.user_id
        join streams s on s.realm_id = p.realm_id and s.id = ${to.stream_id}
        left join memberships x on x.realm_id = p.realm_id and x.conversation_id = s.id and x.user_id = p.user_id
        where p.realm_id = ${realm_id} and p.topic_id in (${from.topic_id}, ${to.topic_id})
        group by p.user_id order by p.user_id`,
  );
}

/** Sets policies for a topic; 0 deletes one. */
export async function upsertPolicies(
  db: Db,
  { realm_id, topic_id, now }: { realm_id: number; topic_id: number; now: Date },
  policies: readonly { user_id: number; policy: number }[],
): Promise<void> {
  if (policies.length === 0) return;
  await rows(
    db,
    sql`with requested as materialized (
        select user_id, policy from jsonb_to_recordset(${JSON.stringify(policies)}::jsonb) as g(user_id bigint, policy int)
      ),
      deleted as (
        delete from user_topics u using requested g where u.realm_id = ${realm_id} and u.topic_id = ${topic_id} and u.user_id = g.user_id and g.policy = 0
      )
      insert into user_topics (realm_id, user_id, topic_id, visibility_policy, last_updated)
      select ${realm_id}::bigint, g.user_id, ${topic_id}::bigint, g.policy, ${now.toISOString()}::timestamptz from requested g where g.policy <> 0
      order by g.user_id
      on conflict (realm_id, user_id, topic_id) do update set visibility_policy = excluded.visibility_policy, last_updated = excluded.last_updated`,
  );
}
