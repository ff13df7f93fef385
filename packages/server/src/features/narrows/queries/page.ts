import { type Db, rows, withGenericPlan } from '@parley/db';
import { type SQL, sql } from 'drizzle-orm';
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

// The length of a text stands beside it: PostgreSQL does not read the text for it.
const found = sql`m.id, octet_length(m.content) + octet_length(m.rendered_content) as size`;

type Side = Pick<PageWindow, 'before' | 'num_before' | 'at' | 'after' | 'num_after'>;

/** The messages of a page, ascending. Everything else about them is looked up for as many as a response has room for. */
export async function listPage(db: Db, narrows: readonly NarrowSql[], window: PageWindow): Promise<FoundMessage[]> {
  const ends = { newest: [selectBefore], oldest: [selectAfter], middle: [selectBefore, selectAt, selectAfter] };
  const parts = narrows.flatMap((narrow) => ends[window.end].map((select) => sql`(${select(narrow, window)})`));
  // PostgreSQL plans each part for each request, which takes longer than reading a page, unless one plan serves all.
  const plan = narrows.every(({ isIndexed }) => isIndexed) ? withGenericPlan : sql``;
  return rows(db, sql`select ${plan} id, size from (${sql.join(parts, sql` union all `)}) page order by id`);
}

const selectBefore = (narrow: NarrowSql, { before, num_before }: Side): SQL =>
  selectFirst(narrow, { below: before }, num_before);

const selectAfter = (narrow: NarrowSql, { after, num_after }: Side): SQL =>
  selectFirst(narrow, { above: after }, num_after);

const selectAt = (narrow: NarrowSql, { at }: Side): SQL =>
  sql`select ${found} from ${narrow.source} where ${allOf(narrow)} and m.id = ${at}::bigint`;

/** The ids on one side of an anchor, nearest first. */
type Reach = { readonly below: number } | { readonly above: number };

/** The messages of a narrow that are nearest to an anchor: of several places, as many of each, and the nearest of these. */
function selectFirst({ source, where, several }: NarrowSql, reach: Reach, limit: number): SQL {
  const order = 'below' in reach ? sql`desc` : sql`asc`;
  const select = sql`select ${found} from ${source} where ${where}`;
  const range = 'below' in reach ? sql`m.id < ${reach.below}` : sql`m.id > ${reach.above}`;
  const nearest = sql`${range} order by m.id ${order} limit ${limit}`;
  if (!several) return sql`${select} and ${nearest}`;
  return sql`select n.id, n.size from (${several.ids}) place cross join lateral (
      ${select} and ${several.column} = place.id and ${nearest}
    ) n order by n.id ${order} limit ${limit}`;
}

/** Those of these messages that are in a narrow. */
export async function listAmong(
  db: Db,
  narrows: readonly NarrowSql[],
  ids: readonly number[],
): Promise<FoundMessage[]> {
  const parts = narrows.map(
    (narrow) => sql`(select ${found} from ${narrow.source} where ${allOf(narrow)} and m.id = any(${bigints(ids)}))`,
  );
  return rows(db, sql`select id, size from (${sql.join(parts, sql` union all `)}) found order by id`);
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
