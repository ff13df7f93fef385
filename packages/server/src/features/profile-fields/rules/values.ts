// Values of users in custom profile fields.
import type { Schema } from '../../../core/contract.ts';
import { bounds } from '../../../core/limits.ts';
import { codePoints } from '../../../text/names.ts';
import { isWebAddress, parseOptions, TYPE } from './fields.ts';

type Field = Pick<Schema<'ProfileField'>, 'type' | 'field_data'>;
export type ProfileValueInput = Schema<'ProfileDatum'>['value'];

/** An empty value: it deletes an existing one. */
export const isEmptyValue = (value: ProfileValueInput): boolean =>
  value === null || (typeof value === 'string' ? value.trim() === '' : value.length === 0);

export const takesMarkdown = ({ type }: Pick<Field, 'type'>): boolean =>
  type === TYPE.short_text || type === TYPE.long_text;

/** The problem of a value that is not empty, if there is one. Whether users exist is checked elsewhere. */
export function valueProblem(field: Field, value: ProfileValueInput): string | undefined {
  if (field.type === TYPE.users) {
    if (!Array.isArray(value)) return 'the value must be a list of user ids.';
    return value.length > bounds.profile_users
      ? `the value can have at most ${bounds.profile_users} users.`
      : undefined;
  }
  return typeof value === 'string' ? textProblem(field, value.trim()) : 'the value must be a text.';
}

function textProblem({ type, field_data }: Field, text: string): string | undefined {
  switch (type) {
    case TYPE.list:
      return parseOptions(field_data).includes(text) ? undefined : `there is no option "${text}".`;
    case TYPE.date:
      return isDate(text) ? undefined : 'the value must be a date, YYYY-MM-DD.';
    case TYPE.link:
      return isWebAddress(text)
        ? undefined
        : `the value must be an http or https address of at most ${bounds.url_template} characters.`;
    default: {
      const most = type === TYPE.long_text ? bounds.profile_long_text : bounds.profile_text;
      return codePoints(text) > most ? `the value can have at most ${most} characters.` : undefined;
    }
  }
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The value as it is stored and shown: users are a JSON list of ids, each once. */
export const serializeValue = (value: string | number[]): string =>
  typeof value === 'string' ? value.trim() : JSON.stringify([...new Set(value)]);
