import { type Db, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, type SQL } from 'drizzle-orm';
import type { Schema } from '../../core/contract.ts';
import { jsonRows } from '../../core/json-rows-sql.ts';
import type { PlaygroundValues } from './rules.ts';

const { playgrounds } = tables;

/** The playgrounds of an organization, oldest first. */
const selectPlaygrounds = (realm_id: number): SQL =>
  sql`select id, name, pygments_language, url_template from playgrounds where realm_id = ${realm_id} order by id`;

export const listPlaygrounds = (db: Db, realm_id: number): Promise<Schema<'Playground'>[]> =>
  rows(db, selectPlaygrounds(realm_id));

export const jsonPlaygrounds = (realm_id: number): SQL => jsonRows(selectPlaygrounds(realm_id));

export async function insertPlayground(
  db: Db,
  realm_id: number,
  { name, pygments_language, url_template }: PlaygroundValues,
): Promise<number> {
  const [inserted] = await db
    .insert(playgrounds)
    .values({ realm_id, name, pygments_language, url_template })
    .returning({ id: playgrounds.id });
  if (!inserted) throw new Error('unreachable');
  return inserted.id;
}

/** Returns false if there is none. */
export async function deletePlaygroundRow(db: Db, realm_id: number, id: number): Promise<boolean> {
  const deleted = await db
    .delete(playgrounds)
    .where(and(eq(playgrounds.realm_id, realm_id), eq(playgrounds.id, id)))
    .returning({ id: playgrounds.id });
  return deleted.length > 0;
}
