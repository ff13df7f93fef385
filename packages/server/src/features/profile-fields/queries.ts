import { type Db, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, inArray, notInArray, type SQL } from 'drizzle-orm';
import { bigints } from '../../core/bigints-sql.ts';
import type { User } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { jsonRows } from '../../core/json-rows-sql.ts';

const { profile_fields, profile_values } = tables;
type Field = Schema<'ProfileField'>;

/** A field as it is stored. */
export type FieldRow = Field & { readonly display_in_profile_summary: boolean };

/** The fields of an organization in their order. */
const selectFields = (realm_id: number): SQL =>
  sql`select id, name, field_type as type, hint, field_data, row_number() over (order by position, id)::int as order,
        display_in_profile_summary
      from profile_fields where realm_id = ${realm_id} order by position, id`;

export const listFields = (db: Db, realm_id: number): Promise<FieldRow[]> => rows(db, selectFields(realm_id));

export const jsonFields = (realm_id: number): SQL => jsonRows(selectFields(realm_id));

/** Locks the fields: requests that write values or change fields are serialized. */
export async function lockFields(db: Db, realm_id: number): Promise<void> {
  await rows(db, sql`select from profile_fields where realm_id = ${realm_id} order by id for update`);
}

/** Locks these fields for share: they do not change until the commit. */
export function lockFieldsForShare(
  db: Db,
  realm_id: number,
  ids: readonly number[],
): Promise<Pick<Field, 'id' | 'type' | 'field_data'>[]> {
  return rows(
    db,
    sql`select id, field_type as type, field_data from profile_fields
        where realm_id = ${realm_id} and id = any(${bigints(ids)}) order by id for share`,
  );
}

type Values = Pick<FieldRow, 'name' | 'hint' | 'field_data' | 'display_in_profile_summary'>;

/** Adds a field after the others, and returns its id. */
export async function insertField(db: Db, realm_id: number, field: Values & { field_type: number }): Promise<number> {
  const [inserted] = await rows<{ id: number }>(
    db,
    sql`insert into profile_fields (realm_id, name, field_type, hint, field_data, display_in_profile_summary, position)
        select ${realm_id}::bigint, ${field.name}, ${field.field_type}::int, ${field.hint}, ${field.field_data},
          ${field.display_in_profile_summary}::boolean,
          coalesce(max(position), 0) + 1
        from profile_fields where realm_id = ${realm_id} returning id`,
  );
  if (!inserted) throw new Error('unreachable');
  return inserted.id;
}

export async function updateField(db: Db, realm_id: number, id: number, values: Values): Promise<void> {
  await db
    .update(profile_fields)
    .set(values)
    .where(and(eq(profile_fields.realm_id, realm_id), eq(profile_fields.id, id)));
}

/** Renumbers the fields in the order of these ids. */
export async function updateFieldPositions(db: Db, realm_id: number, ids: readonly number[]): Promise<void> {
  await rows(
    db,
    sql`update profile_fields f set position = o.position
        from unnest(${bigints(ids)}) with ordinality as o(id, position)
        where f.realm_id = ${realm_id} and f.id = o.id`,
  );
}

/** Deletes a field, which must be locked, and the values in it. */
export async function deleteField(db: Db, realm_id: number, id: number): Promise<void> {
  await db.delete(profile_values).where(and(eq(profile_values.realm_id, realm_id), eq(profile_values.field_id, id)));
  await db.delete(profile_fields).where(and(eq(profile_fields.realm_id, realm_id), eq(profile_fields.id, id)));
}

/** Deletes the values in a field, which must be locked, except these. */
export async function deleteOtherValues(
  db: Db,
  realm_id: number,
  field_id: number,
  values: readonly string[],
): Promise<void> {
  await db
    .delete(profile_values)
    .where(
      and(
        eq(profile_values.realm_id, realm_id),
        eq(profile_values.field_id, field_id),
        notInArray(profile_values.value, [...values]),
      ),
    );
}

type Owner = Pick<User, 'realm_id' | 'id'>;
export interface NewValue {
  readonly field_id: number;
  readonly value: string;
  readonly rendered_value: string | null;
}

/** The values of a user in fields, by field id. */
export async function listValues(db: Db, { realm_id, id }: Owner): Promise<Map<number, string>> {
  const found = await db
    .select({ field_id: profile_values.field_id, value: profile_values.value })
    .from(profile_values)
    .where(and(eq(profile_values.realm_id, realm_id), eq(profile_values.user_id, id)));
  return new Map(found.map(({ field_id, value }) => [field_id, value]));
}

export async function upsertValues(db: Db, { realm_id, id: user_id }: Owner, values: NewValue[]): Promise<void> {
  if (values.length === 0) return;
  await db
    .insert(profile_values)
    .values(values.map((value) => ({ realm_id, user_id, ...value })))
    .onConflictDoUpdate({
      target: [profile_values.realm_id, profile_values.user_id, profile_values.field_id],
      set: { value: sql`excluded.value`, rendered_value: sql`excluded.rendered_value` },
    });
}

export async function deleteValues(db: Db, { realm_id, id }: Owner, field_ids: number[]): Promise<void> {
  if (field_ids.length === 0) return;
  await db
    .delete(profile_values)
    .where(
      and(
        eq(profile_values.realm_id, realm_id),
        eq(profile_values.user_id, id),
        inArray(profile_values.field_id, field_ids),
      ),
    );
}
