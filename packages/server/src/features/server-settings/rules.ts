import type { Schema } from '../../core/contract.ts';
import type { IdentityProvider, ProviderMethod } from '../../core/identity.ts';

/** Clients with these names are too old for the server (docs/behaviour/requests.md#client-names). */
const INCOMPATIBLE = 'ParleyInvalid';

export const isIncompatible = (client: string): boolean => client === INCOMPATIBLE;

/**
 * The authentication methods that work here: those that the organization has enabled and the server supports. Passwords
 * are always supported; the organization decides whether the directory checks them; the others need a provider that the
 * operator configured.
 */
export function presentMethods(
  methods: Readonly<Record<string, boolean>>,
  providers: readonly Pick<IdentityProvider, 'method'>[],
): Schema<'AuthenticationMethods'> {
  const email = methods.Email === true;
  const ldap = methods.LDAP === true;
  const has = (method: ProviderMethod) => providers.some((provider) => provider.method === method);
  return {
    password: email || ldap,
    dev: false,
    email,
    ldap,
    remoteuser: false,
    github: false,
    azuread: false,
    gitlab: has('GitLab'),
    apple: false,
    google: has('Google'),
    saml: has('SAML'),
    'openid connect': has('OpenID Connect'),
  };
}
