import type { PublicCtx } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { limits } from '../../core/limits.ts';
import { currentSettings } from './access.ts';
import { permissionSettings } from './permission-settings.ts';

/** Where an organization's square logo is. */
export const iconOf = (realm_id: number): string => `/icon/${realm_id}`;

type Prefixed<T> = { [K in keyof T & string as `realm_${K}`]: T[K] };

/** The organization, as `POST /register` gives it: read in the transaction of the registration, not before it. */
export async function realmState(ctx: PublicCtx) {
  const settings = await currentSettings(ctx.db, ctx.realm.id);
  const prefixed = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`realm_${name}`, value]));
  return {
    ...(prefixed as Prefixed<typeof settings>),
    realm_uri: ctx.realm.url,
    realm_icon_url: iconOf(ctx.realm.id),
    ...limits,
    server_supported_permission_settings: permissionSettings,
  } satisfies Partial<Schema<'State'>>;
}
