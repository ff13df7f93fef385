import type { IdentitySettings } from '../config/index.ts';
import type { IdentityServices } from '../core/identity.ts';

/** Milliseconds that a directory or a provider has to answer. */
const PATIENCE = 5000;

/**
 * The services that say who people are. None is spoken to before somebody logs in, and the library that speaks to one is read
 * only where there is one: most servers have none.
 */
export async function createIdentity(
  { ldap, oidc, saml }: IdentitySettings,
  patience = PATIENCE,
): Promise<IdentityServices> {
  return {
    directory: ldap && (await import('./ldap.ts')).createDirectory(ldap, patience),
    providers: [
      ...(oidc.length > 0
        ? await import('./oidc.ts').then((it) => oidc.map((one) => it.createOidc(one, patience)))
        : []),
      ...(saml.length > 0 ? await import('./saml.ts').then((it) => saml.map(it.createSaml)) : []),
    ],
  };
}
