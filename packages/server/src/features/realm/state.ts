import type { PublicCtx, RealmSettings } from '../../core/context.ts';
import { limits } from '../../core/limits.ts';
import { PreserializedFields } from '../../core/preserialized-fields.ts';
import type { SnapshotCaching } from '../../core/snapshot-cache.ts';
import { type RegistrationState, stateQuery } from '../../core/state-query.ts';
import { getCachedSettings } from './cached-settings.ts';
import { externalAccounts } from './external-accounts.ts';
import { permissionSettings } from './permission-settings.ts';
import { jsonServerStart } from './queries/realms.ts';
import { defaultSettings } from './settings.ts';

/** The URL of an organization's square logo. */
export const getRealmIcon = (realm_id: number): string => `/icon/${realm_id}`;

type Prefixed<T> = { [K in keyof T & string as `realm_${K}`]: T[K] };

/** The part of `POST /register` about the server. */
export const serverState = () =>
  stateQuery(jsonServerStart, (started_at: number | null) => ({ server_generation: started_at ?? 0 }));

/** The part of `POST /register` about the organization: the same for all callers. */
export async function realmState(ctx: PublicCtx<SnapshotCaching>): Promise<PreserializedFields<RegistrationState>> {
  const share = { name: `organization at ${ctx.realm.url}`, invalidatedBy: ['realm'] } as const;
  return ctx.server.snapshotCache.getOrCompute(
    ctx,
    share,
    async () => new PreserializedFields(presentRealmState(ctx, await getCachedSettings(ctx))),
  );
}

const prefixedNames = Object.keys(defaultSettings).map(
  (name) => [name as keyof RealmSettings, `realm_${name}` as keyof Prefixed<RealmSettings>] as const,
);

function presentRealmState(ctx: PublicCtx, settings: RealmSettings) {
  const prefixed = Object.fromEntries(prefixedNames.map(([name, prefixedName]) => [prefixedName, settings[name]]));
  const { Email = false, LDAP = false } = settings.authentication_methods;
  return {
    ...(prefixed as Prefixed<typeof settings>),
    realm_uri: ctx.realm.url,
    realm_icon_url: getRealmIcon(ctx.realm.id),
    realm_bot_domain: ctx.realm.host,
    realm_email_auth_enabled: Email,
    realm_password_auth_enabled: Email || LDAP,
    realm_default_external_accounts: externalAccounts,
    ...limits,
    server_supported_permission_settings: permissionSettings,
  };
}
