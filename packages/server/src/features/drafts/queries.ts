import { type Db, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, type SQL } from 'drizzle-orm';
import { bigints } from '../../core/bigints-sql.ts';
import { jsonRows, jsonTime } from '../../core/json-rows-sql.ts';
import type { SizedDraftFields } from './rules.ts';

const { drafts } = tables;

export type DraftRow = typeof drafts.$inferSelect;

interface Owner {
  readonly realm_id: number;
  readonly id: number;
}

const isOf = ({ realm_id, id }: Owner) => and(eq(drafts.realm_id, realm_id), eq(drafts.user_id, id));

/** An account's newest drafts as a JSON array, in the order of their last change, oldest first. */
export const jsonNewestDrafts = ({ realm_id, id }: Owner, limit: number): SQL =>
  jsonRows(sql`select id, type, "to", topic, content, ${jsonTime(sql`changed_at`)} as changed_at from (
      select * from drafts
      where realm_id = ${realm_id} and user_id = ${id} order by changed_at desc, id desc limit ${limit}
    ) newest order by newest.changed_at, id`);

/** All drafts of an account with their sizes, in the order of their last change, oldest first. */
export async function listDraftSizes(db: Db, { realm_id, id }: Owner): Promise<{ id: number; size: number }[]> {
  return rows(
    db,
    sql`select id, bytes as size from drafts
        where realm_id = ${realm_id} and user_id = ${id} order by changed_at, id`,
  );
}

/** These drafts of an account, in the order of their last change, oldest first. */
export async function listDrafts(db: Db, owner: Owner, ids: readonly number[]): Promise<DraftRow[]> {
  return db
    .select()
    .from(drafts)
    .where(and(isOf(owner), sql`${drafts.id} = any(${bigints(ids)})`))
    .orderBy(drafts.changed_at, drafts.id);
}

/** Inserts drafts, and returns their ids in the same order. */
export async function insertDrafts(db: Db, owner: Owner, all: readonly SizedDraftFields[]): Promise<number[]> {
  if (all.length === 0) return [];
  const inserted = await rows<{ id: number }>(
    db,
    sql`insert into drafts (realm_id, user_id, type, "to", topic, content, changed_at, bytes)
        select ${owner.realm_id}::bigint, ${owner.id}::bigint, n.type, n."to", n.topic, n.content, n.changed_at, n.bytes
        from jsonb_array_elements(${JSON.stringify(all)}::jsonb) with ordinality as new_drafts(draft, position)
        cross join lateral jsonb_to_record(new_drafts.draft) as n(type text, "to" bigint[], topic text, content text, changed_at timestamptz, bytes int)
        order by new_drafts.position returning id`,
  );
  return inserted.map(({ id }) => id).sort((one, other) => one - other);
}

/** The size of a draft, if it is the account's. */
export async function findDraftBytes(db: Db, owner: Owner, id: number): Promise<number | undefined> {
  const [found] = await db
    .select({ bytes: drafts.bytes })
    .from(drafts)
    .where(and(isOf(owner), eq(drafts.id, id)));
  return found?.bytes;
}

/** Returns false if the account has no such draft. */
export async function updateDraftRow(db: Db, owner: Owner, id: number, fields: SizedDraftFields): Promise<boolean> {
  const changed = await db
    .update(drafts)
    .set({ ...fields, to: [...fields.to] })
    .where(and(isOf(owner), eq(drafts.id, id)))
    .returning({ id: drafts.id });
  return changed.length > 0;
}

/** Returns false if the account has no such draft. */
export async function deleteDraftRow(db: Db, owner: Owner, id: number): Promise<boolean> {
  const deleted = await db
    .delete(drafts)
    .where(and(isOf(owner), eq(drafts.id, id)))
    .returning({ id: drafts.id });
  return deleted.length > 0;
}
