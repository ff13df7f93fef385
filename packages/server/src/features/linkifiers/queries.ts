import { type Db, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, type SQL } from 'drizzle-orm';
import { bigints } from '../../core/bigints-sql.ts';
import type { Schema } from '../../core/contract.ts';
import { jsonRows } from '../../core/json-rows-sql.ts';
import type { LinkifierValues } from './rules.ts';

const { linkifiers } = tables;

/** The linkifiers of an organization in the order in which they apply. */
const selectLinkifiers = (realm_id: number): SQL =>
  sql`select id, pattern, url_template from linkifiers where realm_id = ${realm_id} order by position, id`;

export const listLinkifiers = (db: Db, realm_id: number): Promise<Schema<'Linkifier'>[]> =>
  rows(db, selectLinkifiers(realm_id));

export const jsonLinkifiers = (realm_id: number): SQL => jsonRows(selectLinkifiers(realm_id));

/** Adds a linkifier after the others, and returns its id. */
export async function insertLinkifier(db: Db, realm_id: number, values: LinkifierValues): Promise<number> {
  const [inserted] = await rows<{ id: number }>(
    db,
    sql`insert into linkifiers (realm_id, pattern, url_template, position)
        select ${realm_id}::bigint, ${values.pattern}, ${values.url_template}, coalesce(max(position), 0) + 1
        from linkifiers where realm_id = ${realm_id} returning id`,
  );
  if (!inserted) throw new Error('unreachable');
  return inserted.id;
}

export async function updateLinkifierValues(
  db: Db,
  realm_id: number,
  id: number,
  { pattern, url_template }: LinkifierValues,
): Promise<void> {
  await db
    .update(linkifiers)
    .set({ pattern, url_template })
    .where(and(eq(linkifiers.realm_id, realm_id), eq(linkifiers.id, id)));
}

export async function deleteLinkifierRow(db: Db, realm_id: number, id: number): Promise<void> {
  await db.delete(linkifiers).where(and(eq(linkifiers.realm_id, realm_id), eq(linkifiers.id, id)));
}

/** Renumbers the linkifiers in the order of these ids. */
export async function updatePositions(db: Db, realm_id: number, ids: readonly number[]): Promise<void> {
  await rows(
    db,
    sql`update linkifiers l set position = o.position
        from unnest(${bigints(ids)}) with ordinality as o(id, position)
        where l.realm_id = ${realm_id} and l.id = o.id`,
  );
}
