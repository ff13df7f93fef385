import { createHash } from 'node:crypto';
import { type Db, rows } from '@parley/db';
import { sql } from 'drizzle-orm';

/** What identifies a direct conversation: the same people in any order are the same conversation. */
export function memberKey(user_ids: readonly number[]): string {
  const sorted = [...new Set(user_ids)].sort((one, other) => one - other);
  return createHash('sha256').update(sorted.join()).digest('hex');
}

/** The conversations of these groups of people by `memberKey`, made if there are none yet. */
export async function findOrCreateDirect(
  db: Db,
  realm_id: number,
  groups: readonly (readonly number[])[],
): Promise<Map<string, number>> {
  const wanted = new Map(groups.map((user_ids) => [memberKey(user_ids), user_ids]));
  const found = await findDirect(db, realm_id, [...wanted.keys()]);
  if (found.size === wanted.size) return found;
  // Nobody else makes conversations from here to the commit, so what is missing now can be made.
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`direct conversations of ${realm_id}`}, 0))`);
  const known = await findDirect(db, realm_id, [...wanted.keys()]);
  const missing = [...wanted].filter(([key]) => !known.has(key));
  return new Map([...known, ...(await insertDirect(db, realm_id, missing))]);
}

export async function findDirect(db: Db, realm_id: number, keys: readonly string[]): Promise<Map<string, number>> {
  const found = await rows<{ id: number; member_key: string }>(
    db,
    sql`select id, member_key from direct_conversations
        where realm_id = ${realm_id} and member_key = any(${sql.param([...keys])}::text[])`,
  );
  return new Map(found.map(({ id, member_key }) => [member_key, id]));
}

async function insertDirect(
  db: Db,
  realm_id: number,
  missing: readonly (readonly [string, readonly number[]])[],
): Promise<Map<string, number>> {
  if (missing.length === 0) return new Map();
  const members = missing.flatMap(([key, user_ids]) => [...new Set(user_ids)].map((user_id) => ({ key, user_id })));
  const inserted = await rows<{ id: number; member_key: string }>(
    db,
    sql`with made as (
          insert into conversations (realm_id, kind)
          select ${realm_id}::bigint, 'direct' from unnest(${sql.param(missing.map(([key]) => key))}::text[]) returning id
        ),
        numbered as (select id, row_number() over (order by id) as n from made),
        linked as (
          insert into direct_conversations (realm_id, id, member_key)
          select ${realm_id}::bigint, numbered.id, k.key
          from numbered join unnest(${sql.param(missing.map(([key]) => key))}::text[]) with ordinality as k(key, n) on k.n = numbered.n
          returning id, member_key
        ),
        joined as (
          insert into memberships (realm_id, conversation_id, user_id, active, received)
          select ${realm_id}::bigint, linked.id, p.user_id, true, '{[1,)}'
          from jsonb_to_recordset(${JSON.stringify(members)}::jsonb) as p(key text, user_id bigint) join linked on linked.member_key = p.key
        )
        select id, member_key from linked`,
  );
  return new Map(inserted.map(({ id, member_key }) => [member_key, id]));
}
