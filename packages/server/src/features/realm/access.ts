import type { PublicCtx, RealmSettings } from '../../core/context.ts';
import { fail } from '../../core/errors.ts';
import type { ServerAddress } from './present.ts';
import { findRealmOverrides, lockRealmSettings } from './queries/realms.ts';
import { toRealmSettings } from './settings.ts';

/** The present settings; `ctx.realm` has them as of the start of the request. */
export async function findCurrentSettings(
  db: PublicCtx['db'],
  realm_id: number,
  lock?: 'share' | 'update',
): Promise<RealmSettings> {
  return toRealmSettings(await findRealmOverrides(db, realm_id, lock));
}

/** The same context with the present settings of the organization, locked until the commit. */
export async function withLockedSettings<C extends PublicCtx>(ctx: C): Promise<C> {
  if (ctx.realm.has_locked_settings) return ctx;
  const locked = await lockRealmSettings(ctx.db, ctx.realm.id);
  if (!locked) throw new Error('The organization no longer exists.');
  const settings = toRealmSettings(locked.overrides);
  const { limits_guests } = locked;
  return { ...ctx, realm: { ...ctx.realm, settings, limits_guests, has_locked_settings: true } };
}

/** Fails a request whose host names no organization. */
export const failUnknownOrganization = ({ base_domain }: ServerAddress): never =>
  fail(
    'NONEXISTENT_SUBDOMAIN',
    `There is no organization at this address. Those of this server are at ${base_domain}.`,
  );
