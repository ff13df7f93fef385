import type { PublicCtx, RealmSettings } from '../../core/context.ts';
import { limits } from '../../core/limits.ts';
import { stateQuery } from '../../core/state-query.ts';
import { permissionSettings } from './permission-settings.ts';
import { jsonRealmOverrides } from './queries/realms.ts';
import { settingsOf } from './settings.ts';

/** Where an organization's square logo is. */
export const iconOf = (realm_id: number): string => `/icon/${realm_id}`;

type Prefixed<T> = { [K in keyof T & string as `realm_${K}`]: T[K] };

/** The part of `POST /register` about the organization: read in the transaction of the registration, not before it. */
export const realmState = (ctx: PublicCtx) =>
  stateQuery(jsonRealmOverrides(ctx.realm.id), (overrides: Record<string, unknown> | null) =>
    presentRealmState(ctx, settingsOf(overrides ?? {})),
  );

function presentRealmState(ctx: PublicCtx, settings: RealmSettings) {
  const prefixed = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`realm_${name}`, value]));
  return {
    ...(prefixed as Prefixed<typeof settings>),
    realm_uri: ctx.realm.url,
    realm_icon_url: iconOf(ctx.realm.id),
    ...limits,
    server_supported_permission_settings: permissionSettings,
  };
}
