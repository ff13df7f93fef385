import { isDeepStrictEqual } from 'node:util';
import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { Ctx } from '../../../core/context.ts';
import type { Params, Payload, Schema } from '../../../core/contract.ts';
import { failConflict, failInvalid, failOnProblem, failUnknown } from '../../../core/errors.ts';
import { hasEachOnce } from '../../../core/order.ts';
import { requireRoom } from '../../../core/require-room.ts';
import { stateQuery } from '../../../core/state-query.ts';
import { findCurrentSettings } from '../../realm/index.ts';
import {
  deleteField,
  deleteOtherValues,
  type FieldRow,
  insertField,
  jsonFields,
  listFields,
  lockFields,
  updateField,
  updateFieldPositions,
} from '../queries.ts';
import {
  type FieldValues,
  fieldProblem,
  parseOptions,
  serializeFieldData,
  summaryProblem,
  TYPE,
} from '../rules/fields.ts';

const valuesOf = ({ name, hint, field_data, display_in_profile_summary }: FieldRow) => ({
  name,
  hint,
  field_data,
  display_in_profile_summary,
});

export async function getProfileFields(ctx: Ctx): Promise<Payload<'getProfileFields'>> {
  return { custom_fields: (await listFields(ctx.db, ctx.realm.id)).map(presentField) };
}

/** The part of `POST /register` about custom profile fields. */
export const profileFieldsState = (ctx: Ctx) =>
  stateQuery(jsonFields(ctx.realm.id), (found: FieldRow[]) => ({
    custom_profile_fields: found.map(presentField),
  }));

/** The shape that clients expect: false summary fields are absent. */
const presentField = ({ display_in_profile_summary, ...field }: FieldRow): Schema<'ProfileField'> => ({
  ...field,
  ...(display_in_profile_summary && { display_in_profile_summary }),
});

/** Adds a field, which comes after all others. */
export async function createProfileField(
  ctx: Ctx<CollectionLimiting>,
  params: Params<'createProfileField'>,
): Promise<{ id: number }> {
  const { field_type, field_data = {}, display_in_profile_summary } = params;
  const values = { name: params.name.trim(), hint: (params.hint ?? '').trim(), field_type, field_data };
  requireGood(values);
  const others = await listInTurn(ctx);
  requireFree(values.name, others);
  requireSummarizable({ type: field_type, display_in_profile_summary }, others);
  await requireRoom(ctx, 'profile_fields', 1);
  const id = await insertField(ctx.db, ctx.realm.id, {
    ...values,
    field_data: serializeFieldData(values),
    display_in_profile_summary,
  });
  await emitProfileFields(ctx);
  return { id };
}

/** Changes the given properties of a field. Values that name a removed option are deleted. */
export async function updateProfileField(ctx: Ctx, params: Params<'updateProfileField'>): Promise<void> {
  const { field_id, name, hint, field_data } = params;
  const fields = await listInTurn(ctx);
  const field = requireAmong(fields, field_id);
  const { type: field_type } = field;
  const now = field.field_data === '' ? {} : (JSON.parse(field.field_data) as FieldValues['field_data']);
  const values = {
    name: (name ?? field.name).trim(),
    hint: (hint ?? field.hint).trim(),
    field_data: field_data ?? now,
  };
  requireGood({ ...values, field_type });
  const others = fields.filter(({ id }) => id !== field_id);
  requireFree(values.name, others);
  const { display_in_profile_summary = field.display_in_profile_summary } = params;
  requireSummarizable({ type: field_type, display_in_profile_summary }, others);
  const data = serializeFieldData({ field_type, field_data: values.field_data });
  const changed = { ...values, field_data: data, display_in_profile_summary };
  if (isDeepStrictEqual(changed, valuesOf(field))) return;
  await updateField(ctx.db, ctx.realm.id, field_id, changed);
  if (field_type === TYPE.list) {
    await deleteOtherValues(ctx.db, ctx.realm.id, field_id, parseOptions(changed.field_data));
  }
  await emitProfileFields(ctx);
}

export async function deleteProfileField(ctx: Ctx, field_id: number): Promise<void> {
  requireAmong(await listInTurn(ctx), field_id);
  await deleteField(ctx.db, ctx.realm.id, field_id);
  await emitProfileFields(ctx);
}

/** Puts the fields into the order of `ids`, which must contain each of them once. */
export async function reorderProfileFields(ctx: Ctx, ids: readonly number[]): Promise<void> {
  const fields = await listInTurn(ctx);
  if (!hasEachOnce(ids, fields)) {
    failInvalid('order: the ids of all custom profile fields are needed, each exactly once.');
  }
  if (fields.every(({ id }, index) => id === ids[index])) return;
  await updateFieldPositions(ctx.db, ctx.realm.id, ids);
  await emitProfileFields(ctx);
}

/**
 * Locks the fields until the commit: events contain all of them, so of two concurrent changes the later one must see
 * the earlier one.
 */
async function listInTurn({ db, realm }: Ctx): Promise<FieldRow[]> {
  await findCurrentSettings(db, realm.id, 'update');
  await lockFields(db, realm.id);
  return listFields(db, realm.id);
}

function requireGood(values: FieldValues): void {
  const problem = fieldProblem(values);
  if (problem !== undefined) failInvalid(problem);
}

function requireSummarizable(...args: Parameters<typeof summaryProblem>): void {
  const problem = summaryProblem(...args);
  failOnProblem(problem);
}

function requireFree(name: string, others: readonly FieldRow[]): void {
  if (others.some((one) => one.name === name)) {
    failConflict(`name: there is a custom profile field "${name}" already.`);
  }
}

function requireAmong(fields: readonly FieldRow[], id: number): FieldRow {
  return fields.find((one) => one.id === id) ?? failUnknown(`field_id: there is no custom profile field ${id}.`);
}

async function emitProfileFields(ctx: Ctx): Promise<void> {
  ctx.emit(
    { type: 'custom_profile_fields', fields: (await listFields(ctx.db, ctx.realm.id)).map(presentField) },
    { everyone: true },
  );
}
