import type { RealmSettings } from '../../core/context.ts';
import type { Params } from '../../core/contract.ts';
import { bounds } from '../../core/limits.ts';
import { codePoints, findBadCharacter } from '../../text/names.ts';
import { isOrigin } from '../../text/origins.ts';

export type RealmUpdateParams = Params<'updateRealm'>;
export type SettingName = keyof RealmSettings;

/** Settings that only owners can change (docs/behaviour/realm.md#change-settings-of-the-organization). */
const ownersOnly: readonly SettingName[] = [
  'invite_to_realm_policy',
  'waiting_period_threshold',
  'message_retention_days',
  'invite_required',
  'disallow_disposable_email_addresses',
  'emails_restricted_to_domains',
  'authentication_methods',
  'create_multiuse_invite_group',
  'can_access_all_users_group',
];

/** The first of these settings that only an owner can change. */
export function findOwnersSetting(params: RealmUpdateParams): SettingName | undefined {
  return ownersOnly.find((name) => params[name] !== undefined);
}

const LONGEST_CODE_LANGUAGE = 40;

/** The problem of the texts among these settings, if there is one. */
export function textProblem(params: RealmUpdateParams, languages: ReadonlyMap<string, string>): string | undefined {
  const { name, description, default_language, default_code_block_language } = params;
  if (name !== undefined) {
    if (name.trim() === '') return 'name: the name of an organization cannot be empty.';
    if (codePoints(name.trim()) > bounds.realm_name)
      return `name: it can have at most ${bounds.realm_name} characters.`;
    if (findBadCharacter(name.trim())) return 'name: it cannot contain control characters.';
  }
  if (description !== undefined && codePoints(description) > bounds.realm_description) {
    return `description: it can have at most ${bounds.realm_description} characters.`;
  }
  if (default_language !== undefined && !languages.has(default_language)) {
    return `default_language: there is no language "${default_language}".`;
  }
  if (codePoints(default_code_block_language ?? '') > LONGEST_CODE_LANGUAGE) {
    return `default_code_block_language: it can have at most ${LONGEST_CODE_LANGUAGE} characters.`;
  }
  return undefined;
}

/** The problem of the origins among these settings, if there is one. */
export function originProblem({ allowed_origins = [] }: RealmUpdateParams): string | undefined {
  const wrong = allowed_origins.find((origin) => !isOrigin(origin));
  return wrong === undefined
    ? undefined
    : `allowed_origins: "${wrong}" is not an origin, such as https://app.example.com, without a path.`;
}

/** The problem of the authentication methods to switch, if there is one. */
export function methodProblem(
  params: RealmUpdateParams,
  known: RealmSettings['authentication_methods'],
): string | undefined {
  const unknown = Object.keys(params.authentication_methods ?? {}).find((name) => !Object.hasOwn(known, name));
  return unknown === undefined ? undefined : `authentication_methods: there is no method "${unknown}".`;
}

/**
 * The settings as they are stored: `unlimited` as null or -1, names trimmed, authentication methods merged with the
 * present ones.
 */
export function toStoredValue(params: RealmUpdateParams, before: RealmSettings): Partial<RealmSettings> {
  const values = Object.entries(params).filter(([, value]) => value !== undefined);
  return Object.fromEntries(values.map(([name, value]) => [name, stored(name, value, before)]));
}

function stored(name: string, value: unknown, before: RealmSettings): unknown {
  if (value === 'unlimited')
    return name === 'message_retention_days' ? -1 : name.endsWith('_limit_seconds') ? null : value;
  if (name === 'name') return String(value).trim();
  if (name === 'allowed_origins') return [...new Set(value as readonly string[])];
  if (name === 'authentication_methods') return { ...before.authentication_methods, ...(value as object) };
  return value;
}

/** Those of the settings that differ from the present ones. */
export function listChangedSettings(requested: Partial<RealmSettings>, before: RealmSettings): Partial<RealmSettings> {
  const same = (name: string) => {
    const [now, then] = [requested, before].map((settings) => JSON.stringify(sorted(settings[name as SettingName])));
    return now === then;
  };
  return Object.fromEntries(Object.entries(requested).filter(([name]) => !same(name)));
}

/** The database returns the keys of an object in an order of its own. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

const inDict: readonly string[] = [
  'allow_message_editing',
  'edit_topic_policy',
  'message_content_edit_limit_seconds',
  'authentication_methods',
  'create_multiuse_invite_group',
  'can_access_all_users_group',
];

/**
 * Which changes share one `update_dict` event, and which have an `update` event each
 * (docs/behaviour/realm.md#events-of-the-organization).
 */
export function groupByEvent(changes: Partial<RealmSettings>): {
  data: Partial<RealmSettings>;
  single: [string, unknown][];
} {
  const all = Object.entries(changes);
  return {
    data: Object.fromEntries(all.filter(([name]) => inDict.includes(name))),
    single: all.filter(([name]) => !inDict.includes(name)),
  };
}
