import type { Schema } from '../../core/contract.ts';
import type { IdentityProvider, ProviderMethod } from '../../core/identity.ts';

/** Clients by this name are too old for the server (docs/behaviour/requests.md#client-names). */
const INCOMPATIBLE = 'ParleyInvalid';

export const isIncompatible = (client: string): boolean => client === INCOMPATIBLE;

/**
 * The ways to log in that work here: those the organization has on and this server can do. Passwords it can always do;
 * whether a directory is asked for them is the organization's setting; the others take a provider that the operator set up.
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
