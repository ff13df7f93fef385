// What is valid for a custom profile field.
import type { RequestProblem } from '../../../core/errors.ts';
import { bounds } from '../../../core/limits.ts';
import { codePoints } from '../../../text/names.ts';
import { externalAccounts } from '../../realm/index.ts';

export const TYPE = Object.freeze({
  short_text: 1,
  long_text: 2,
  list: 3,
  date: 4,
  link: 5,
  users: 6,
  account: 7,
  pronouns: 8,
});

export interface FieldValues {
  readonly name: string;
  readonly field_type: number;
  readonly hint: string;
  readonly field_data: Readonly<Record<string, unknown>>;
}

/** The problem of a field, if there is one: a sentence that names the parameter. */
export function fieldProblem({ name, hint, field_type, field_data }: FieldValues): string | undefined {
  if (name === '') return 'name: it must not be blank.';
  if (codePoints(name) > bounds.profile_field_name)
    return `name: it can have at most ${bounds.profile_field_name} characters.`;
  if (codePoints(hint) > bounds.profile_field_hint)
    return `hint: it can have at most ${bounds.profile_field_hint} characters.`;
  const problem = dataProblem(field_type, field_data);
  return problem === undefined ? undefined : `field_data: ${problem}`;
}

function dataProblem(field_type: number, data: FieldValues['field_data']): string | undefined {
  if (field_type === TYPE.list) return optionsProblem(data);
  if (field_type === TYPE.account) return accountProblem(data);
  return Object.keys(data).length > 0 ? 'a field of this type takes none.' : undefined;
}

function optionsProblem(options: FieldValues['field_data']): string | undefined {
  const entries = Object.entries(options);
  if (entries.length === 0) return 'a list needs at least one option.';
  if (entries.length > bounds.profile_options) return `a list can have at most ${bounds.profile_options} options.`;
  for (const [key, option] of entries) {
    const problem = optionProblem(key, option);
    if (problem !== undefined) return problem;
  }
  const texts = entries.map(([, option]) => (option as { text: string }).text.trim());
  const twice = texts.find((text, at) => texts.indexOf(text) !== at);
  return twice === undefined ? undefined : `the option "${twice}" is there twice.`;
}

function optionProblem(key: string, option: unknown): string | undefined {
  if (key.trim() === '' || codePoints(key) > bounds.profile_text) {
    return `the key of an option has 1 to ${bounds.profile_text} characters.`;
  }
  const { text, order, ...others } = isObject(option) ? option : {};
  const isText = typeof text === 'string' && text.trim() !== '' && codePoints(text.trim()) <= bounds.profile_text;
  const isOrder = typeof order === 'string' && /^\d{1,9}$/.test(order);
  if (isText && isOrder && Object.keys(others).length === 0) return undefined;
  return `the option "${key}" must have a "text" of 1 to ${bounds.profile_text} characters and an "order", a text of digits, and nothing else.`;
}

const hasKnownAddress = (subtype: unknown): boolean =>
  typeof subtype === 'string' && Object.hasOwn(externalAccounts, subtype);

function accountProblem({ subtype, url_pattern, ...others }: FieldValues['field_data']): string | undefined {
  const [other] = Object.keys(others);
  if (other !== undefined) return `an external account has no "${other}".`;
  if (hasKnownAddress(subtype)) {
    return url_pattern === undefined ? undefined : `an account of "${subtype}" has no "url_pattern".`;
  }
  if (subtype !== 'custom') return 'the "subtype" must be "custom", "github" or "twitter".';
  const isPattern =
    typeof url_pattern === 'string' &&
    url_pattern.split('%(username)s').length === 2 &&
    isWebAddress(url_pattern.replace('%(username)s', 'username'));
  if (isPattern) return undefined;
  return `the "url_pattern" must be an http or https address of at most ${bounds.url_template} characters that has %(username)s once.`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function isWebAddress(text: string): boolean {
  if (codePoints(text) > bounds.url_template || !/^https?:\/\/[^\s]+$/i.test(text)) return false;
  return URL.canParse(text);
}

/** The `field_data` that clients get: JSON, and an empty string where the type has none. */
export function serializeFieldData({ field_type, field_data }: Pick<FieldValues, 'field_type' | 'field_data'>): string {
  if (field_type === TYPE.account) return JSON.stringify(field_data);
  if (field_type !== TYPE.list) return '';
  const options = Object.entries(field_data).map(([key, option]) => {
    const { text, order } = option as { text: string; order: string };
    return [key, { text: text.trim(), order }];
  });
  return JSON.stringify(Object.fromEntries(options));
}

/** The keys of a list's options. */
export const parseOptions = (field_data: string): string[] => Object.keys(JSON.parse(field_data) as object);

/** A field with its visibility in clients. */
interface Summarized {
  readonly type: number;
  readonly display_in_profile_summary: boolean;
}

/** The problem of showing a field in profile summaries in addition to those shown already, if there is one. */
export function summaryProblem(field: Summarized, others: readonly Summarized[]): RequestProblem | undefined {
  if (!field.display_in_profile_summary) return undefined;
  if (field.type === TYPE.long_text || field.type === TYPE.users)
    return {
      reason: 'invalid',
      text: 'display_in_profile_summary: a field of this type cannot be shown in profile summaries.',
    };
  const count = others.filter((one) => one.display_in_profile_summary).length;
  if (count < bounds.profile_summary_fields) return undefined;
  const text = `display_in_profile_summary: at most ${bounds.profile_summary_fields} fields can be shown in profile summaries.`;
  return { reason: 'limit_reached', text };
}
