import type { Realm, ServerCtx } from '../../core/context.ts';
import type { Payload } from '../../core/contract.ts';
import type { IdentityProvider } from '../../core/identity.ts';
import { FEATURE_LEVEL } from '../../core/limits.ts';
import { VERSION } from '../../core/version.ts';
import { renderPlain } from '../../text/markdown.ts';
import { listProvidersFor } from '../auth/index.ts';
import { defaultSettings, getRealmIcon } from '../realm/index.ts';
import { isIncompatible, presentMethods } from './rules.ts';

/** What a client needs before login. Without an organization, the facts about the server itself. */
export async function getServerSettings({ realm, client, server }: ServerCtx): Promise<Payload<'getServerSettings'>> {
  const providers = realm ? listProvidersFor(server.identity, realm) : [];
  const methods = presentMethods((realm?.settings ?? defaultSettings).authentication_methods, providers);
  return {
    authentication_methods: methods,
    external_authentication_methods: realm ? providers.map((one) => presentProvider(realm, one)) : [],
    service_feature_level: FEATURE_LEVEL,
    service_version: VERSION,
    service_merge_base: VERSION,
    push_notifications_enabled: false,
    is_incompatible: isIncompatible(client),
    email_auth_enabled: methods.email,
    require_email_format_usernames: !methods.ldap,
    ...(realm && presentOrganization(realm)),
  };
}

function presentProvider({ url }: Realm, { kind, id, name, icon }: IdentityProvider) {
  return {
    name: `${kind}:${id}`,
    display_name: name,
    display_icon: icon,
    login_url: `${url}/accounts/login/${kind}/${id}`,
    signup_url: `${url}/accounts/register/${kind}/${id}`,
  };
}

function presentOrganization({ id, url, settings, web_public_streams_enabled }: Realm) {
  return {
    realm_uri: url,
    realm_name: settings.name,
    realm_icon: getRealmIcon(id),
    realm_description: renderPlain(settings.description),
    realm_web_public_access_enabled: web_public_streams_enabled && settings.enable_spectator_access,
  };
}
