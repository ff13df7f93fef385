// A SAML identity provider that signs what a test specifies.
import { randomBytes } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { SignedXml } from 'xml-crypto';
import { makeCertificate } from './certificate.ts';

const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const ISSUER = 'https://idp.example.com/metadata';

/** The request of a service. */
export interface SamlRequest {
  readonly request: string;
  readonly callback: string;
  readonly audience: string;
  readonly relay_state: string;
}

/** The values of an assertion, each as a test specifies. */
export interface SamlAssertion {
  readonly name_id: string;
  readonly issuer: string;
  readonly audience: string | undefined;
  readonly recipient: string | undefined;
  readonly in_response_to: string | undefined;
  readonly not_before: Date;
  readonly not_on_or_after: Date;
  readonly attributes: Readonly<Record<string, string>>;
}

const MINUTE = 60_000;
const id = () => `_${randomBytes(16).toString('hex')}`;
const attribute = (name: string, value: string | undefined) => (value === undefined ? '' : ` ${name}="${value}"`);

/** The request in the URL of a redirect. */
export function readRequest(location: string): SamlRequest {
  const { searchParams } = new URL(location);
  const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  const found = (pattern: RegExp) => pattern.exec(xml)?.[1] ?? '';
  return {
    request: found(/\bID="([^"]+)"/),
    callback: found(/AssertionConsumerServiceURL="([^"]+)"/),
    audience: found(/<saml:Issuer[^>]*>([^<]+)</),
    relay_state: searchParams.get('RelayState') ?? '',
  };
}

export function assertionOf(request: SamlRequest, name_id: string, more: Partial<SamlAssertion> = {}): string {
  const now = Date.now();
  const said: SamlAssertion = {
    name_id,
    issuer: ISSUER,
    audience: request.audience,
    recipient: request.callback,
    in_response_to: request.request,
    not_before: new Date(now - MINUTE),
    not_on_or_after: new Date(now + 5 * MINUTE),
    attributes: {},
    ...more,
  };
  const ends = said.not_on_or_after.toISOString();
  const data = `${attribute('InResponseTo', said.in_response_to)}${attribute('Recipient', said.recipient)} NotOnOrAfter="${ends}"`;
  const audience = said.audience && `<AudienceRestriction><Audience>${said.audience}</Audience></AudienceRestriction>`;
  const values = Object.entries(said.attributes).map(
    ([name, value]) => `<Attribute Name="${name}"><AttributeValue>${value}</AttributeValue></Attribute>`,
  );
  return [
    `<Assertion xmlns="${ASSERTION}" ID="${id()}" Version="2.0" IssueInstant="${new Date(now).toISOString()}">`,
    `<Issuer>${said.issuer}</Issuer>`,
    `<Subject><NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">${said.name_id}</NameID>`,
    `<SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><SubjectConfirmationData${data}/></SubjectConfirmation></Subject>`,
    `<Conditions NotBefore="${said.not_before.toISOString()}" NotOnOrAfter="${ends}">${audience ?? ''}</Conditions>`,
    `<AuthnStatement AuthnInstant="${new Date(now).toISOString()}"><AuthnContext/></AuthnStatement>`,
    values.length > 0 ? `<AttributeStatement>${values.join('')}</AttributeStatement>` : '',
    '</Assertion>',
  ].join('');
}

export function responseOf(request: Pick<SamlRequest, 'request' | 'callback'>, inside: string): string {
  const about = `InResponseTo="${request.request}" Destination="${request.callback}" IssueInstant="${new Date().toISOString()}"`;
  const status = '<Status><StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></Status>';
  return `<Response xmlns="${PROTOCOL}" ID="${id()}" Version="2.0" ${about}><Issuer xmlns="${ASSERTION}">${ISSUER}</Issuer>${status}${inside}</Response>`;
}

export async function makeSamlProvider() {
  const { cert, key } = await makeCertificate('idp.example.com');
  return {
    certificate: cert,
    /** Signs the element of this name in an XML text. */
    sign(xml: string, name: 'Assertion' | 'Response', with_key = key): string {
      const at = `//*[local-name(.)='${name}']`;
      const signature = new SignedXml({
        privateKey: with_key,
        canonicalizationAlgorithm: 'http://www.w3.org/2001/10/xml-exc-c14n#',
        signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      });
      signature.addReference({
        xpath: at,
        transforms: [
          'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
          'http://www.w3.org/2001/10/xml-exc-c14n#',
        ],
        digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
      });
      signature.computeSignature(xml, {
        location: { reference: `${at}/*[local-name(.)='Issuer']`, action: 'after' },
      });
      return signature.getSignedXml();
    },
  };
}

export type SamlProvider = Awaited<ReturnType<typeof makeSamlProvider>>;
