import type { IdentitySettings } from '../config/index.ts';
import type { IdentityServices } from '../core/identity.ts';

/** Milliseconds within which a directory or a provider must respond. */
const RESPONSE_TIMEOUT = 5000;

/**
 * The services that verify users. The server connects to none before a user logs in. The library for each is loaded
 * only where it is configured: most servers have none.
 */
export async function createIdentity(
  { ldap, oidc, saml }: IdentitySettings,
  timeoutMs = RESPONSE_TIMEOUT,
): Promise<IdentityServices> {
  return {
    directory: ldap && (await import('./ldap.ts')).createDirectory(ldap, timeoutMs),
    providers: [
      ...(oidc.length > 0
        ? await import('./oidc.ts').then((it) => oidc.map((one) => it.createOidc(one, timeoutMs)))
        : []),
      ...(saml.length > 0 ? await import('./saml.ts').then((it) => saml.map(it.createSaml)) : []),
    ],
  };
}
