import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { messageAccess, toViewer } from '../../../access/messages-sql.ts';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import { topicKey } from '../../../text/topics.ts';

type Me = Pick<User, 'realm_id' | 'id' | 'role'>;

/**
 * Those of these ids that are messages which the user can read. `elsewhere` adds those in streams that they are not
 * subscribed to, readable or not.
 */
export async function listReadable(
  db: Db,
  me: Me,
  ids: readonly number[],
  { elsewhere }: { elsewhere: boolean },
): Promise<number[]> {
  const { joins, readable } = messageAccess(toViewer(me));
  const isElsewhere = sql`ms.id is not null and (ms.archived_at is not null or not coalesce(own.active, false))`;
  // An array instead of a join with the ids: with stale statistics the planner would compare each with each.
  const [row] = await rows<{ ids: number[] }>(
    db,
    sql`select coalesce(json_agg(m.id), '[]') as ids from messages m ${joins}
        where m.realm_id = ${me.realm_id} and m.id = any(${bigints(ids)})
          and (${readable} ${elsewhere ? sql`or ${isElsewhere}` : sql``})`,
  );
  return row?.ids ?? [];
}

/** Whether the user can read any message of a topic. */
export async function isTopicReadable(db: Db, me: Me, topic_id: number): Promise<boolean> {
  const { joins, readable } = messageAccess(toViewer(me));
  const found = await rows(
    db,
    sql`select from messages m ${joins} where m.realm_id = ${me.realm_id} and m.topic_id = ${topic_id} and ${readable}
        order by m.id desc limit 1`,
  );
  return found.length > 0;
}

/** The topic of that name in a stream, if the user can read any message of it. */
export async function findReadableTopic(db: Db, me: Me, stream_id: number, name: string): Promise<number | undefined> {
  const { joins, readable } = messageAccess(toViewer(me));
  const [topic] = await rows<{ id: number }>(
    db,
    sql`select t.id from topics t
        cross join lateral (
          select from messages m ${joins} where m.realm_id = t.realm_id and m.topic_id = t.id and ${readable}
          order by m.id desc limit 1
        ) newest
        where t.realm_id = ${me.realm_id} and t.conversation_id = ${stream_id} and t.name_key = ${topicKey(name)}`,
  );
  return topic?.id;
}
