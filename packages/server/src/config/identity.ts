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
const webAddress: ValueReader<string> = createTextReader((given) => {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname)) ? given : undefined;
}, 'an https:// URL');

const id = createTextReader(
  (given) => (/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(given) ? given : undefined),
  '1 to 40 lower-case letters, digits and hyphens',
);

const icon = createTextReader(
  (given) => (/^https?:\/\/\S+$/.test(given) ? given : undefined),
  'an http:// or https:// URL of an icon',
);

/** Subdomains of the organizations that can use it; undefined: all. */
const organizations = optional(
  list(createTextReader((given) => (/^[a-z0-9-]*$/.test(given) ? given : undefined), 'a subdomain')),
  undefined,
);

const ldapAddress = createTextReader((given) => {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const plain = url?.hostname && /^ldaps?:$/.test(url.protocol) && !url.username && !url.search && !url.hash;
  return plain && /^\/?$/.test(url.pathname) ? given : undefined;
}, 'an ldap:// or ldaps:// URL of a host, without a path');

const filter = createTextReader(
  (given) => (given.includes('{username}') && /^\(.*\)$/s.test(given) ? given : undefined),
  'a filter in parentheses that contains {username}',
);

const pemFile = createTextReader((path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}, 'a file that the server can read');

const certificate = createTextReader((given) => {
  try {
    const bytes = given.includes('-----BEGIN') ? given : Buffer.from(given, 'base64');
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
    createTextReader((given) => ({ on: true, off: false })[given], '"on" or "off"'),
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
      (given) => Object.entries(methods).find(([name]) => name === given)?.[1],
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

export function ldapSettings(given: string): DirectorySettings {
  const found = directory(parseJsonValue(given), 'it must be');
  if ((found.bind_dn === undefined) !== (found.bind_password === undefined))
    throw new ValueProblem('"bind_dn" and "bind_password" must be set together');
  return found;
}

const providersAre = 'it must be an array of providers: each';
export const oidcSettings = (given: string) => eachOnce(list(oidcProvider)(parseJsonValue(given), providersAre));
export const samlSettings = (given: string) => eachOnce(list(samlProvider)(parseJsonValue(given), providersAre));

const SECRETS = new Set(['bind_password', 'client_secret']);

/** The same settings without their secrets. */
export function withoutSecrets(given: string): string {
  try {
    return JSON.stringify(
      JSON.parse(given, (name, value: unknown) => {
        if (SECRETS.has(name)) return maskValue();
        return typeof value === 'string' && value.includes('://') ? withoutPassword(value) : value;
      }),
    );
  } catch {
    return maskValue();
  }
}
