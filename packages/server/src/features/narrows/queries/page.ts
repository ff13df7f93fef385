import { type Db, rows, withGenericPlan } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import type { PageWindow } from '../rules/page.ts';
import { allOf, type NarrowSql, toNarrowSql } from './narrow.ts';

type Me = Pick<User, 'realm_id' | 'id' | 'role'>;

/** A message that was found, and the bytes of its texts. */
export interface FoundMessage {
  readonly id: number;
  readonly size: number;
}

/** The bytes of the texts of a message. The length of a text stands beside it: PostgreSQL does not read the text for it. */
export const sizeColumn: SQL = sql`octet_length(m.content) + octet_length(m.rendered_content)`;

const found = sql`m.id, ${sizeColumn} as size`;

/** The messages of a page, ascending. Everything else about them is looked up for as many as a response has room for. */
export async function listPage(db: Db, narrows: readonly NarrowSql[], window: PageWindow): Promise<FoundMessage[]> {
  // PostgreSQL plans each part for each request, which takes longer than reading a page, unless one plan serves all.
  const plan = narrows.every(({ isIndexed }) => isIndexed) ? withGenericPlan : sql``;
  return rows(db, sql`select ${plan} id, size from (${selectPage(narrows, window)}) page order by id`);
}

/** The messages on one side of an id that are nearest to it, ascending. */
export const listNearest = (
  db: Db,
  narrows: readonly NarrowSql[],
  reach: Reach,
  limit: number,
): Promise<FoundMessage[]> =>
  rows(db, sql`select id, size from (${selectNearest(narrows, found, reach, limit)}) page order by id`);

/** Selects these columns of the messages of a page. */
export function selectPage(narrows: readonly NarrowSql[], window: PageWindow, columns = found): SQL {
  const { end, before, num_before, at, after, num_after } = window;
  const older = () => selectNearest(narrows, columns, { below: before }, num_before);
  const newer = () => selectNearest(narrows, columns, { above: after }, num_after);
  switch (end) {
    case 'newest':
      return older();
    case 'oldest':
      return newer();
    case 'middle':
      return unionOf([older(), ...narrows.map((narrow) => selectAt(narrow, columns, at)), newer()]);
  }
}

const unionOf = (parts: readonly SQL[]): SQL =>
  sql.join(
    parts.map((part) => sql`(${part})`),
    sql` union all `,
  );

const selectAt = (narrow: NarrowSql, columns: SQL, at: number | null): SQL =>
  sql`select ${columns} from ${narrow.source(sql`asc`)} where ${allOf(narrow)} and ${narrow.id} = ${at}::bigint`;

/** The ids on one side of an anchor, nearest first. */
export type Reach = { readonly below: number } | { readonly above: number };

/** The messages nearest to an anchor: as many of each query, and the nearest of these. */
function selectNearest(narrows: readonly NarrowSql[], columns: SQL, reach: Reach, limit: number): SQL {
  const parts = narrows.map((narrow) => selectFirst(narrow, columns, reach, limit));
  const [only, ...others] = parts;
  if (only && others.length === 0) return only;
  return sql`select * from (${unionOf(parts)}) n order by id ${orderOf(reach)} limit ${limit}`;
}

const orderOf = (reach: Reach): SQL => ('below' in reach ? sql`desc` : sql`asc`);

/**
 * The messages of one query that are nearest to an anchor. Of several conversations or topics, only as many can have
 * one of them as there are messages: those whose nearest message is nearest.
 */
function selectFirst({ source, where, id, several }: NarrowSql, columns: SQL, reach: Reach, limit: number): SQL {
  const order = orderOf(reach);
  const range = 'below' in reach ? sql`${id} < ${reach.below}` : sql`${id} > ${reach.above}`;
  const select = sql`select ${columns} from ${source(order)} where ${where}`;
  if (!several) return sql`${select} and ${range} order by ${id} ${order} limit ${limit}`;
  const selectWithin = (most: number) =>
    sql`${select} and ${several.column} = one.id and ${range} order by ${id} ${order} limit ${most}`;
  return sql`select n.* from (
      select one.id from (${several.ids}) one cross join lateral (${selectWithin(1)}) n order by n.id ${order} limit ${limit}
    ) one cross join lateral (${selectWithin(limit)}) n order by n.id ${order} limit ${limit}`;
}

/** Those of these messages that are in a narrow. */
export async function listAmong(
  db: Db,
  narrows: readonly NarrowSql[],
  ids: readonly number[],
): Promise<FoundMessage[]> {
  const parts = narrows.map(
    (narrow) =>
      sql`select ${found} from ${narrow.source(sql`asc`)} where ${allOf(narrow)} and ${narrow.id} = any(${bigints(ids)})`,
  );
  return rows(db, sql`select id, size from (${unionOf(parts)}) found order by id`);
}

/** The oldest message of a narrow that is unread. */
export async function findFirstUnread(
  db: Db,
  me: Me,
  terms: Parameters<typeof toNarrowSql>[1],
): Promise<number | undefined> {
  const narrows = toNarrowSql(me, [...terms, { is_a: 'is', property: 'unread', negated: false }]);
  const [first] = await listPage(db, narrows, {
    end: 'oldest',
    before: 0,
    num_before: 0,
    at: null,
    after: 0,
    num_after: 1,
  });
  return first?.id;
}
