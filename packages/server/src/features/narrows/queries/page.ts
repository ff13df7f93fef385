import { type Db, rows, withGenericPlan } from '@parley/db';
import { sql } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import type { PageWindow } from '../rules/page.ts';
import { type NarrowSql, toNarrowSql } from './narrow.ts';

type Me = Pick<User, 'realm_id' | 'id' | 'role'>;

/** A message that was found, and the bytes of its texts. */
export interface FoundMessage {
  readonly id: number;
  readonly size: number;
}

// The length of a text stands beside it: PostgreSQL does not read the text for it.
const found = sql`m.id, octet_length(m.content) + octet_length(m.rendered_content) as size`;

/** The messages of a page, ascending. Everything else about them is looked up for as many as a response has room for. */
export async function listPage(
  db: Db,
  { source, where, isIndexed }: NarrowSql,
  window: PageWindow,
): Promise<FoundMessage[]> {
  const select = sql`select ${found} from ${source} where ${where}`;
  const before = sql`(${select} and m.id < ${window.before} order by m.id desc limit ${window.num_before})`;
  const at = sql`(${select} and m.id = ${window.at}::bigint)`;
  const after = sql`(${select} and m.id > ${window.after} order by m.id limit ${window.num_after})`;
  // PostgreSQL plans each part for each request, which takes longer than reading a page, unless one plan serves all.
  const plan = isIndexed ? withGenericPlan : sql``;
  const parts = { newest: before, oldest: after, middle: sql`${before} union all ${at} union all ${after}` };
  return rows(db, sql`select ${plan} id, size from (${parts[window.end]}) page order by id`);
}

/** Those of these messages that are in a narrow. */
export async function listAmong(db: Db, { source, where }: NarrowSql, ids: readonly number[]): Promise<FoundMessage[]> {
  return rows(db, sql`select ${found} from ${source} where ${where} and m.id = any(${bigints(ids)}) order by m.id`);
}

/** The oldest message of a narrow that is unread. */
export async function findFirstUnread(
  db: Db,
  me: Me,
  terms: Parameters<typeof toNarrowSql>[1],
): Promise<number | undefined> {
  const { source, where } = toNarrowSql(me, [...terms, { is_a: 'is', property: 'unread', negated: false }]);
  const [first] = await rows<{ id: number }>(db, sql`select m.id from ${source} where ${where} order by m.id limit 1`);
  return first?.id;
}
