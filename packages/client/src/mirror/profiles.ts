import type { Schema } from '../types.ts';
import { inLists, type Of, pickPresent, type State } from './state.ts';

type ProfileData = Schema<'ProfileData'>;
const LIST = 3;

/** A user's profile with a new value in one field. */
export function withValue(
  profile: ProfileData = {},
  { id, value, rendered_value }: { id: number; value: string | null; rendered_value?: string },
): ProfileData {
  const { [id]: _, ...others } = profile;
  if (value === null) return others;
  return { ...others, [id]: { value, ...(rendered_value && { rendered_value }) } };
}

/** Removing a field removes the values in it, and removing an option removes the values that name it. */
export function withProfileFields(state: State, { fields }: Of<'custom_profile_fields'>): State {
  const isThere = ([id, { value }]: [string, { value: string }]) =>
    fields.some(
      (field) =>
        field.id === +id && (field.type !== LIST || Object.hasOwn(JSON.parse(field.field_data) as object, value)),
    );
  const withoutRemoved = (profile: ProfileData) => Object.fromEntries(Object.entries(profile).filter(isThere));
  const next = inLists<Schema<'User'>>(state, ['realm_users', 'realm_non_active_users'], (users) =>
    users.map((user) => (user.profile_data ? { ...user, profile_data: withoutRemoved(user.profile_data) } : user)),
  );
  return pickPresent(next, 'custom_profile_fields', () => fields);
}
