// Identity services: the values of PARLEY_LDAP, PARLEY_OIDC and PARLEY_SAML.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  createTextReader,
  list,
  object,
  optional,
  parseJsonValue,
  text,
  ValueProblem,
  type ValueReader,
} from './json.ts';
import { maskValue, withoutPassword } from './values.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Connections that authenticate users must be encrypted, except within one machine. */
const webAddress: ValueReader<string> = createTextReader((value) => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname)) ? value : undefined;
}, 'an https:// URL');

const id = createTextReader(
  (value) => (/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(value) ? value : undefined),
  '1 to 40 lower-case letters, digits and hyphens',
);

const icon = createTextReader(
  (value) => (/^https?:\/\/\S+$/.test(value) ? value : undefined),
  'an http:// or https:// URL of an icon',
);

/** Subdomains of the organizations that can use it; undefined: all. */
const organizations = optional(
  list(createTextReader((value) => (/^[a-z0-9-]*$/.test(value) ? value : undefined), 'a subdomain')),
  undefined,
);

const ldapAddress = createTextReader((value) => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const plain = url?.hostname && /^ldaps?:$/.test(url.protocol) && !url.username && !url.search && !url.hash;
  return plain && /^\/?$/.test(url.pathname) ? value : undefined;
}, 'an ldap:// or ldaps:// URL of a host, without a path');

const filter = createTextReader(
  (value) => (value.includes('{username}') && /^\(.*\)$/s.test(value) ? value : undefined),
  'a filter in parentheses that contains {username}',
);

const pemFile = createTextReader((path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}, 'a file that the server can read');

const certificate = createTextReader((value) => {
  try {
    const bytes = value.includes('-----BEGIN') ? value : Buffer.from(value, 'base64');
    return new X509Certificate(bytes).toString();
  } catch {
    return undefined;
  }
}, 'a certificate, as PEM or as base64');

const certificates: ValueReader<readonly string[]> = (value, at) =>
  Array.isArray(value) ? list(certificate)(value, at) : [certificate(value, at)];

const directory = object({
  url: ldapAddress,
  /** Whether an ldap:// connection is encrypted (StartTLS) before anything else is sent. */
  start_tls: optional(
    createTextReader((value) => ({ on: true, off: false })[value], '"on" or "off"'),
    true,
  ),
  /** Certificate authorities of the directory's certificate, instead of the well-known ones. */
  ca: optional(pemFile, undefined),
  bind_dn: optional(text, undefined),
  bind_password: optional(text, undefined),
  base: text,
  filter: optional(filter, '(|(uid={username})(mail={username}))'),
  email: optional(text, 'mail'),
  full_name: optional(text, 'cn'),
  organizations,
});

/**
 * The authentication methods of an organization that an OpenID Connect provider can implement. Others have protocols of
 * their own.
 */
const methods = { 'OpenID Connect': 'OpenID Connect', Google: 'Google', GitLab: 'GitLab' } as const;

const oidcProvider = object({
  id,
  name: text,
  icon: optional(icon, null),
  issuer: webAddress,
  client_id: text,
  /** Absent: a public client, protected by PKCE alone. */
  client_secret: optional(text, undefined),
  method: optional(
    createTextReader(
      (value) => Object.entries(methods).find(([name]) => name === value)?.[1],
      Object.keys(methods).join(' or '),
    ),
    methods['OpenID Connect'],
  ),
  organizations,
});

const samlProvider = object({
  id,
  name: text,
  icon: optional(icon, null),
  /** The entity id of the provider. */
  issuer: text,
  /** The URL at which users log in. */
  login_url: webAddress,
  certificate: certificates,
  /** Absent: the name of the subject is the address. */
  email: optional(text, undefined),
  full_name: optional(text, undefined),
  organizations,
});

export type DirectorySettings = ReturnType<typeof directory>;
export type OidcSettings = ReturnType<typeof oidcProvider>;
export type SamlSettings = ReturnType<typeof samlProvider>;

/** All identity services that the operator configured. */
export interface IdentitySettings {
  readonly ldap: DirectorySettings | undefined;
  readonly oidc: readonly OidcSettings[];
  readonly saml: readonly SamlSettings[];
}

function eachOnce<T extends { readonly id: string }>(providers: readonly T[]): readonly T[] {
  const twice = providers.find((one, index) => providers.some((other, at) => at < index && other.id === one.id));
  if (twice) throw new ValueProblem(`two providers have the id ${JSON.stringify(twice.id)}`);
  return providers;
}

export function ldapSettings(json: string): DirectorySettings {
  const found = directory(parseJsonValue(json), 'it must be');
  if ((found.bind_dn === undefined) !== (found.bind_password === undefined))
    throw new ValueProblem('"bind_dn" and "bind_password" must be set together');
  return found;
}

const providersAre = 'it must be an array of providers: each';
export const oidcSettings = (json: string) => eachOnce(list(oidcProvider)(parseJsonValue(json), providersAre));
export const samlSettings = (json: string) => eachOnce(list(samlProvider)(parseJsonValue(json), providersAre));

const SECRETS = new Set(['bind_password', 'client_secret']);

/** The same settings without their secrets. */
export function withoutSecrets(json: string): string {
  try {
    return JSON.stringify(
      JSON.parse(json, (name, value: unknown) => {
        if (SECRETS.has(name)) return maskValue();
        return typeof value === 'string' && value.includes('://') ? withoutPassword(value) : value;
      }),
    );
  } catch {
    return maskValue();
  }
}
