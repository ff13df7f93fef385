import type { IdentitySettings } from '../config.ts';
import type { Identity } from '../core/identity.ts';
import { createDirectory } from './ldap.ts';
import { createOidc } from './oidc.ts';
import { createSaml } from './saml.ts';

/** Milliseconds that a directory or a provider has to answer. */
const PATIENCE = 5000;

/** The services that say who people are. None is spoken to before somebody logs in. */
export function createIdentity({ ldap, oidc, saml }: IdentitySettings, patience = PATIENCE): Identity {
  return {
    directory: ldap && createDirectory(ldap, patience),
    providers: [...oidc.map((one) => createOidc(one, patience)), ...saml.map(createSaml)],
  };
}
