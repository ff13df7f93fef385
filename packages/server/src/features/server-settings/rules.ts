import type { Schema } from '../../core/contract.ts';

/** Clients by this name are too old for the server (behaviour 1.7). */
const INCOMPATIBLE = 'ParleyInvalid';

export const isIncompatible = (client: string): boolean => client === INCOMPATIBLE;

/**
 * The ways to log in that work here: those the organization has on and this server can do. It can do passwords; whether it
 * asks a directory for them is the organization's setting, other services it knows none.
 */
export function presentMethods(methods: Readonly<Record<string, boolean>>): Schema<'AuthenticationMethods'> {
  const email = methods.Email === true;
  const ldap = methods.LDAP === true;
  return {
    password: email || ldap,
    dev: false,
    email,
    ldap,
    remoteuser: false,
    github: false,
    azuread: false,
    gitlab: false,
    apple: false,
    google: false,
    saml: false,
    'openid connect': false,
  };
}
