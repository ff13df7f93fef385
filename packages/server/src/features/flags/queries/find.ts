import { type Db, rows } from '@parley/db';
import { sql } from 'drizzle-orm';
import type { User } from '../../../core/context.ts';
import { readableMessages } from '../access-sql.ts';
import { bigints } from './open.ts';

type Me = Pick<User, 'realm_id' | 'id' | 'role'>;

/**
 * The first of these ids that names no message the person can read. With `inOwnStreams`, messages of streams that they are
 * not subscribed to do not count.
 */
export async function findUnreadable(
  db: Db,
  me: Me,
  ids: readonly number[],
  { inOwnStreams }: { inOwnStreams: boolean },
): Promise<number | undefined> {
  const { joins, readable } = readableMessages(me);
  const elsewhere = sql`ms.id is not null and (ms.archived_at is not null or not coalesce(mine.active, false))`;
  const [row] = await rows<{ id: number }>(
    db,
    sql`select asked.id from unnest(${bigints(ids)}) with ordinality as asked(id, n)
        left join messages m on m.realm_id = ${me.realm_id} and m.id = asked.id ${joins}
        where (m.id is null or not ${readable}) ${inOwnStreams ? sql`and not (${elsewhere})` : sql``}
        order by asked.n limit 1`,
  );
  return row?.id;
}

/** Whether the person can read any message of a topic. */
export async function isTopicReadable(db: Db, me: Me, topic_id: number): Promise<boolean> {
  const { joins, readable } = readableMessages(me);
  const found = await rows(
    db,
    sql`select from messages m ${joins} where m.realm_id = ${me.realm_id} and m.topic_id = ${topic_id} and ${readable}
        order by m.id desc limit 1`,
  );
  return found.length > 0;
}
