import * as client from 'openid-client';
import type { OidcSettings } from '../config/index.ts';
import {
  AuthenticationFailed,
  type IdentityProvider,
  IdentityServiceUnavailable,
  type SignInState,
  type VerifiedIdentity,
} from '../core/identity.ts';

const SCOPE = 'openid email profile';
/** Milliseconds after which the provider's metadata is fetched again. */
const KNOWN_FOR = 3_600_000;

/** An OpenID Connect provider. `timeoutMs` is the timeout of each of its responses. */
export function createOidc(settings: OidcSettings, timeoutMs: number): IdentityProvider {
  const { id, name, icon, method, organizations } = settings;
  const discover = memoizeFor(KNOWN_FOR, () => discovered(settings, timeoutMs));
  return {
    kind: 'oidc',
    id,
    name,
    icon,
    method,
    organizations,
    async begin({ callback }, state) {
      const config = await discover();
      const verifier = client.randomPKCECodeVerifier();
      const nonce = client.randomNonce();
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: callback,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, remembered: { verifier, nonce } };
    },
    verify: async ({ callback }, state, remembered, callbackParams) =>
      prove(await discover(), new URL(`${callback}?${callbackParams}`), { state, remembered }),
    check: async () => void (await discovered(settings, timeoutMs)),
  };
}

async function discovered(
  { issuer, client_id, client_secret }: OidcSettings,
  timeoutMs: number,
): Promise<client.Configuration> {
  const at = new URL(issuer);
  // Only issuers on this machine are without https (config/identity.ts).
  const execute = at.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  const login = client_secret === undefined ? client.None() : client.ClientSecretBasic(client_secret);
  try {
    return await client.discovery(at, client_id, undefined, login, { execute, timeout: timeoutMs / 1000 });
  } catch (error) {
    throw new IdentityServiceUnavailable(`${issuer} cannot be used: ${reasonOf(error)}`, { cause: error });
  }
}

async function prove(
  config: client.Configuration,
  url: URL,
  { state, remembered }: { state: string; remembered: SignInState },
): Promise<VerifiedIdentity> {
  const { verifier = '', nonce = '' } = remembered;
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
  const tokens = await callProvider(() => client.authorizationCodeGrant(config, url, checks));
  const claims = tokens.claims();
  if (!claims) throw new AuthenticationFailed('no proof', 'there is no ID token');
  if (claims.email !== undefined) return provenBy(claims);
  return provenBy(await callProvider(() => client.fetchUserInfo(config, tokens.access_token, claims.sub)));
}

function provenBy(claims: Readonly<Record<string, unknown>>): VerifiedIdentity {
  const { email, email_verified, name } = claims;
  if (typeof email !== 'string') throw new AuthenticationFailed('unverified', 'the provider gives no email address');
  // A user can write another user's address into their profile: the provider must declare that it verified the address.
  if (email_verified !== true)
    throw new AuthenticationFailed('unverified', 'the provider has not verified the email address');
  return { email, full_name: typeof name === 'string' ? name : undefined };
}

/** Sends a request to the provider, and distinguishes failures of the provider from invalid responses. */
async function callProvider<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof client.AuthorizationResponseError) throw new AuthenticationFailed('canceled', error.error);
    if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant')
      throw new AuthenticationFailed('no proof', error.error);
    const isBadResponse = error instanceof client.ResponseBodyError || (error as Error).cause instanceof Response;
    if (isBadResponse || isSilence(error)) throw new IdentityServiceUnavailable(reasonOf(error), { cause: error });
    throw new AuthenticationFailed('no proof', reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error && cause.message !== '' ? `${message} (${cause.message})` : message;
}

/** Whether there was no response: `fetch` fails with a TypeError without a code, a timeout with one of these. */
function isSilence(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { name?: unknown } };
  if (code === 'OAUTH_TIMEOUT') return true;
  return error instanceof TypeError && code === undefined && cause !== undefined;
}

/** Caches the result of `make` for a time; failures are not cached. */
function memoizeFor<T>(time: number, make: () => Promise<T>): () => Promise<T> {
  let entry: { until: number; value: Promise<T> } | undefined;
  return () => {
    if (!entry || entry.until < performance.now()) {
      const current = { until: performance.now() + time, value: make() };
      entry = current;
      current.value.catch(() => {
        if (entry === current) entry = undefined;
      });
    }
    return entry.value;
  };
}
