import type { Ctx, PublicCtx, User } from '../../core/context.ts';
import type { Params } from '../../core/contract.ts';
import { failInvalid } from '../../core/errors.ts';
import { stateQuery } from '../../core/state-query.ts';
import { findCurrentSettings, insertAudit, languages } from '../realm/index.ts';
import { findAudienceOfUser } from '../users/index.ts';
import { defaultUserSettings } from './defaults.ts';
import { findDefaultOverrides, jsonDefaultOverrides, updateDefaultOverrides } from './queries/defaults.ts';
import { updateUserSettings } from './queries/settings.ts';
import { valueProblem } from './rules.ts';
import type { UserSettings } from './state.ts';
import { timezones } from './timezones.ts';

/** Changes the initial settings of users who join from now on (docs/behaviour/settings.md#defaults-of-new-users). */
export async function updateUserSettingsDefaults(
  ctx: Ctx,
  params: Params<'updateUserSettingsDefaults'>,
): Promise<void> {
  const problem = valueProblem(params, { languages, timezones });
  if (problem !== undefined) failInvalid(problem);
  // Locked: of two concurrent requests the later one emits its difference from the earlier one.
  const { default_language } = await findCurrentSettings(ctx.db, ctx.realm.id, 'update');
  const overrides = await findDefaultOverrides(ctx.db, ctx.realm.id);
  const before: Record<string, unknown> = { ...defaultUserSettings, ...overrides };
  const sent = Object.entries(params).filter(([, value]) => value !== undefined);
  const different = sent.filter(([name, value]) => value !== before[name]);
  // Setting a default explicitly matters here: it overrides the organization's own language.
  const decided = sent.filter(([name]) => name === 'default_language' && default_language !== before[name]);
  const changes = Object.fromEntries([...different, ...decided]);
  if (Object.keys(changes).length === 0) return;
  await updateDefaultOverrides(ctx.db, ctx.realm.id, changes);
  for (const [property, value] of different) {
    ctx.emit({ type: 'realm_user_settings_defaults', op: 'update', property, value }, { everyone: true });
  }
  await insertAudit(ctx, 'settings of new people changed', changes);
}

/** The part of `POST /register` about the initial settings of new users. */
export const settingsDefaultsState = ({ realm }: Ctx) =>
  stateQuery(jsonDefaultOverrides(realm.id), (overrides: Partial<UserSettings> | null) => ({
    realm_user_settings_defaults: { ...defaultUserSettings, ...overrides },
  }));

/**
 * The settings of a user who joins now, as far as they differ from the defaults. The settings of the organization must
 * be locked.
 */
export async function getNewUserSettings({ db, realm }: PublicCtx): Promise<Partial<UserSettings>> {
  const { default_language } = realm.settings;
  const own = default_language === defaultUserSettings.default_language ? {} : { default_language };
  return { ...own, ...((await findDefaultOverrides(db, realm.id)) as Partial<UserSettings>) };
}

/** Stores the initial settings of a user whose account was just emitted. Emits `away` if presence is switched off. */
export async function insertNewUserSettings(ctx: PublicCtx, user: User, first: Partial<UserSettings>): Promise<void> {
  const { timezone: _, email_address_visibility: __, ...others } = first;
  await updateUserSettings(ctx.db, user, others);
  if (first.presence_enabled !== false) return;
  ctx.emit({ type: 'user_status', user_id: user.id, away: true }, await findAudienceOfUser(ctx, user.id));
}
