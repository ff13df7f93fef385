import { randomBytes, X509Certificate } from 'node:crypto';
import { generateServiceProviderMetadata, type Profile, SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import type { SamlSettings } from '../config/index.ts';
import {
  AuthenticationFailed,
  type CallbackUrls,
  type IdentityProvider,
  type VerifiedIdentity,
} from '../core/identity.ts';
import { findSamlProblem } from './saml-text.ts';

/** Maximum difference in milliseconds between the clocks of provider and server. */
const DRIFT = 60_000;
const ADDRESS = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

/** A SAML identity provider. The server never connects to it: all messages come through the browser, signed. */
export function createSaml(settings: SamlSettings): IdentityProvider {
  const { id, name, icon, organizations, certificate } = settings;
  return {
    kind: 'saml',
    id,
    name,
    icon,
    method: 'SAML',
    organizations,
    async begin(back, state) {
      const request = `_${randomBytes(20).toString('hex')}`;
      const url = await partner(settings, back, request).getAuthorizeUrlAsync(state, undefined, {});
      return { url, remembered: { request } };
    },
    async verify(back, _state, { request = '' }, callbackParams) {
      const profile = await validated(partner(settings, back, request), callbackParams.get('SAMLResponse') ?? '');
      const assertion = profile.getAssertion?.() as Parsed | undefined;
      if (profile.issuer !== settings.issuer)
        throw new AuthenticationFailed('no proof', `the issuer is ${profile.issuer}`);
      if (!isForUs(assertion, back, request))
        throw new AuthenticationFailed('no proof', 'the assertion is not for this request');
      return provenBy(settings, profile);
    },
    metadata: ({ callback, metadata }) =>
      generateServiceProviderMetadata({
        issuer: metadata,
        callbackUrl: callback,
        identifierFormat: ADDRESS,
        wantAssertionsSigned: true,
      }),
    async check() {
      const ends = certificate.map((one) => new Date(new X509Certificate(one).validTo));
      if (ends.every((end) => end < new Date())) throw new Error('the certificate has expired');
    },
  };
}

/** Validates the responses to one request, and to no other. */
function partner(
  { login_url, certificate }: SamlSettings,
  { callback, metadata }: CallbackUrls,
  request: string,
): SAML {
  const requests = new Map([[request, new Date().toISOString()]]);
  return new SAML({
    entryPoint: login_url,
    idpCert: [...certificate],
    issuer: metadata,
    audience: metadata,
    callbackUrl: callback,
    identifierFormat: ADDRESS,
    disableRequestedAuthnContext: true,
    acceptedClockSkewMs: DRIFT,
    // An unsigned assertion in a signed response would be valid too, but then one mistake in locating it would be
    // exploitable.
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    validateInResponseTo: ValidateInResponseTo.always,
    generateUniqueId: () => request,
    cacheProvider: {
      saveAsync: async () => null,
      getAsync: async (key) => requests.get(key) ?? null,
      removeAsync: async (key) => key,
    },
  });
}

async function validated(saml: SAML, response: string): Promise<Profile> {
  const why = findSamlProblem(Buffer.from(response, 'base64').toString('utf8'));
  if (why !== undefined) throw new AuthenticationFailed('no proof', why);
  try {
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response });
    if (profile) return profile;
  } catch (error) {
    throw new AuthenticationFailed('no proof', (error as Error).message);
  }
  throw new AuthenticationFailed('no proof', 'the response names no user');
}

/** An element as the library parses it: attributes under `$`, children by name. */
type Parsed = { readonly $?: Readonly<Record<string, string>> } & Readonly<Record<string, unknown>>;

const children = (parent: Parsed | undefined, name: string): readonly Parsed[] =>
  (parent?.[name] as readonly Parsed[] | undefined) ?? [];

/** The library accepts assertions that name no recipient or no request; these are rejected here. */
function isForUs(document: Parsed | undefined, { callback }: CallbackUrls, request: string): boolean {
  const assertion = document?.Assertion as Parsed | undefined;
  const confirmations = children(assertion, 'Subject').flatMap((subject) => children(subject, 'SubjectConfirmation'));
  return confirmations.some((confirmation) => {
    const {
      InResponseTo,
      Recipient,
      NotOnOrAfter = '',
    } = children(confirmation, 'SubjectConfirmationData')[0]?.$ ?? {};
    const open = Date.parse(NotOnOrAfter) + DRIFT > Date.now();
    return confirmation.$?.Method === BEARER && open && InResponseTo === request && Recipient === callback;
  });
}

function provenBy({ email, full_name }: SamlSettings, profile: Profile): VerifiedIdentity {
  const attributes = (profile.attributes ?? {}) as Readonly<Record<string, unknown>>;
  const address = email === undefined ? profile.nameID : attributes[email];
  if (typeof address !== 'string') throw new AuthenticationFailed('no proof', 'the assertion has no email address');
  const name = full_name === undefined ? undefined : attributes[full_name];
  return { email: address, full_name: typeof name === 'string' ? name : undefined };
}
