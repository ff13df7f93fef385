import type { Ctx, User } from '../../../core/context.ts';
import type { Schema } from '../../../core/contract.ts';
import { failInvalid, failUnknown } from '../../../core/errors.ts';
import { renderPlain } from '../../../text/markdown.ts';
import { findAudienceOfUser, lockUser, requirePrincipals } from '../../users/index.ts';
import { deleteValues, listValues, lockFieldsForShare, type NewValue, upsertValues } from '../queries.ts';
import { isEmptyValue, type ProfileValueInput, serializeValue, takesMarkdown, valueProblem } from '../rules/values.ts';

type Datum = Schema<'ProfileDatum'>;
type Owner = Pick<User, 'realm_id' | 'id'>;

/**
 * Changes a user's values in custom profile fields, and emits them to the users who can see them. `parameter` is the
 * name in error responses.
 */
export async function changeProfile(ctx: Ctx, owner: Owner, data: readonly Datum[], parameter: string): Promise<void> {
  await lockUser(ctx.db, owner);
  const fields = await requireFields(ctx, data, parameter);
  await requireUsers(ctx, data, parameter);
  const before = await listValues(ctx.db, owner);
  const deletedIds = data.filter(({ id, value }) => isEmptyValue(value) && before.has(id)).map(({ id }) => id);
  const said = data.flatMap(({ id, value }): NewValue[] => {
    if (value === null || isEmptyValue(value) || serializeValue(value) === before.get(id)) return [];
    const text = serializeValue(value);
    const field = fields.get(id);
    return [{ field_id: id, value: text, rendered_value: field && takesMarkdown(field) ? renderPlain(text) : null }];
  });
  await deleteValues(ctx.db, owner, deletedIds);
  await upsertValues(ctx.db, owner, said);
  await emitProfileValues(ctx, owner.id, [
    ...deletedIds.map((field_id) => ({ field_id, value: null, rendered_value: null })),
    ...said,
  ]);
}

export const clearProfile = (ctx: Ctx, ids: readonly number[]): Promise<void> =>
  changeProfile(
    ctx,
    ctx.me,
    [...new Set(ids)].map((id) => ({ id, value: null })),
    'data',
  );

/** Locks the fields for this request; a concurrent removal of a field removes the value with it. */
async function requireFields(ctx: Ctx, data: readonly Datum[], parameter: string) {
  const ids = data.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) failInvalid(`${parameter}: the field ${twice} is there twice.`);
  const fields = new Map((await lockFieldsForShare(ctx.db, ctx.realm.id, ids)).map((field) => [field.id, field]));
  for (const { id, value } of data) {
    const field = fields.get(id) ?? failUnknown(`${parameter}: there is no custom profile field ${id}.`);
    const problem = isEmptyValue(value) ? undefined : valueProblem(field, value);
    if (problem !== undefined) failInvalid(`${parameter}: field ${id}: ${problem}`);
  }
  return fields;
}

async function requireUsers(ctx: Ctx, data: readonly Datum[], parameter: string): Promise<void> {
  const idsOf = (value: ProfileValueInput) => (Array.isArray(value) ? value : []);
  const users = await requirePrincipals(ctx, [...new Set(data.flatMap(({ value }) => idsOf(value)))]);
  const bot = users.find(({ bot_type }) => bot_type !== null);
  if (bot) failInvalid(`${parameter}: the user ${bot.id} is a bot.`);
}

interface ProfileValue {
  readonly field_id: number;
  readonly value: string | null;
  readonly rendered_value: string | null;
}

async function emitProfileValues(ctx: Ctx, user_id: number, values: readonly ProfileValue[]): Promise<void> {
  if (values.length === 0) return;
  const audience = await findAudienceOfUser(ctx, user_id);
  for (const { field_id: id, value, rendered_value } of values) {
    const custom_profile_field = { id, value, ...(rendered_value !== null && { rendered_value }) };
    ctx.emit({ type: 'realm_user', op: 'update', person: { user_id, custom_profile_field } }, audience);
  }
}
