// The only reader of the environment. Everything an operator can set stands in the table below.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { type IdentitySettings, ldapSettings, oidcSettings, samlSettings, withoutSecrets } from './config-identity.ts';
import { ValueProblem } from './config-json.ts';
import {
  DEFAULT_RULES,
  domain,
  hidden,
  hostName,
  LOG_LEVELS,
  type Mail,
  mail,
  port,
  positiveInteger,
  postgresUrl,
  type RateRules,
  rateRules,
  SECRET_LENGTH,
  secretText,
  trustProxy,
  withoutPassword,
  word,
} from './config-values.ts';

export type { DirectorySettings, IdentitySettings, OidcSettings, SamlSettings } from './config-identity.ts';
export type { Mail, RateRules, Rule, RuleName } from './config-values.ts';

/** A setting that cannot be used. The message is one sentence that names it. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

interface Variable<T> {
  /** What it is when the environment does not say, as one would write it there. */
  readonly default: string | undefined;
  /** One sentence for the operator guide. */
  readonly about: string;
  /** The value, or undefined for a text that means nothing. */
  readonly parse: (text: string) => T | undefined;
  /** What `parse` takes, to follow "must be". */
  readonly expects: string;
  readonly mask?: (text: string) => string;
}

const variables = {
  PARLEY_PORT: variable('8080', 'Port to listen on; 0 takes any free one.', port, 'a port number, 0 to 65535'),
  PARLEY_HOST: variable(
    '127.0.0.1',
    'Address to listen on; 0.0.0.0 or :: for all of them.',
    hostName,
    'an address or a host name',
  ),
  DATABASE_URL: {
    ...variable(
      undefined,
      'PostgreSQL 15 or newer; without it the embedded database under PARLEY_DATA_DIR.',
      postgresUrl,
      'a postgres:// URL',
    ),
    mask: withoutPassword,
  },
  PARLEY_DATA_DIR: variable('./data', 'Folder of the embedded database.', (text) => resolve(text), 'a path'),
  PARLEY_SECRET: {
    ...variable(
      undefined,
      'API keys and tokens derive from it. Made and kept in the data directory with the embedded database; required with DATABASE_URL.',
      secretText,
      `at least ${SECRET_LENGTH} characters`,
    ),
    mask: hidden,
  },
  PARLEY_SECRET_FILE: variable(undefined, 'File that holds PARLEY_SECRET.', (text) => resolve(text), 'a path'),
  PARLEY_BASE_DOMAIN: variable(
    'localhost',
    'An organization answers at <subdomain>.<base domain>; the base domain itself is the organization with the empty subdomain.',
    domain,
    'a domain name without scheme and port',
  ),
  PARLEY_TRUST_PROXY: variable(
    'off',
    'Whose forwarded headers count: off, the number of proxies in front, or their addresses separated by commas. Not off: links are https without a port.',
    trustProxy,
    'off, a number of proxies, or addresses such as 10.0.0.0/8 or loopback separated by commas',
  ),
  PARLEY_WEB_PUBLIC_STREAMS_ENABLED: variable(
    'false',
    'Whether organizations may have web-public streams.',
    word({ true: true, false: false }),
    'true or false',
  ),
  PARLEY_UPLOAD_SPACE_MIB: variable(
    '10240',
    'MiB that the files of one organization may take up together; they are in the database.',
    positiveInteger,
    'a positive whole number',
  ),
  PARLEY_RATE_LIMITS: variable(
    '{}',
    'Request limits: off, or JSON such as {"account":"60:1000"}; a rule is seconds:count[,seconds:count]. Keys left out keep their defaults.',
    rateRules,
    `off, or a JSON object whose keys ${Object.keys(DEFAULT_RULES).join(', ')} hold rules such as "60:200"`,
  ),
  PARLEY_MAIL: {
    ...variable(
      'log',
      'Where letters go: smtp://user:pass@host:port, log, or dir:PATH for .eml files. They are from noreply@ the base domain, or from ADDRESS with ?from=ADDRESS at the end of the URL.',
      mail,
      'smtp://user:pass@host:port, log or dir:PATH',
    ),
    mask: withoutPassword,
  },
  PARLEY_LDAP: {
    ...variable(
      undefined,
      'A directory that checks passwords, as JSON: url, base, and more in "Single sign-on and directories".',
      ldapSettings,
      'JSON',
    ),
    mask: withoutSecrets,
  },
  PARLEY_LDAP_FILE: variable(undefined, 'File that holds PARLEY_LDAP.', (text) => resolve(text), 'a path'),
  PARLEY_OIDC: {
    ...variable(
      undefined,
      'OpenID Connect providers that people log in with, as a JSON list: id, name, issuer, client_id, client_secret, and more in "Single sign-on and directories".',
      oidcSettings,
      'JSON',
    ),
    mask: withoutSecrets,
  },
  PARLEY_OIDC_FILE: variable(undefined, 'File that holds PARLEY_OIDC.', (text) => resolve(text), 'a path'),
  PARLEY_SAML: variable(
    undefined,
    'SAML identity providers that people log in with, as a JSON list: id, name, issuer, login_url, certificate, and more in "Single sign-on and directories".',
    samlSettings,
    'JSON',
  ),
  PARLEY_SAML_FILE: variable(undefined, 'File that holds PARLEY_SAML.', (text) => resolve(text), 'a path'),
  PARLEY_LOG: variable(
    'info',
    `How much to log: ${LOG_LEVELS.join(', ')}.`,
    word(Object.fromEntries(LOG_LEVELS.map((level) => [level, level]))),
    `one of ${LOG_LEVELS.join(', ')}`,
  ),
  PARLEY_METRICS_PORT: variable(
    'off',
    'Port of GET /metrics (Prometheus); 0 takes any free one.',
    (text) => (text === 'off' ? 'off' : port(text)),
    'off or a port number',
  ),
  PARLEY_MIGRATE: variable(
    'on',
    'Whether serve brings the database up to date when it starts.',
    word({ on: true, off: false }),
    'on or off',
  ),
  PARLEY_DOCS: variable(
    'on',
    'Whether GET /docs shows the API reference.',
    word({ on: true, off: false }),
    'on or off',
  ),
} satisfies Record<string, Variable<unknown>>;

type Name = keyof typeof variables;
export const variableNames = Object.keys(variables) as Name[];

/** What the operator guide says of each variable; a test compares the two. */
export const variableTable = variableNames.map((name) => ({
  name,
  default: variables[name].default,
  about: variables[name].about,
}));

export interface Config {
  readonly port: number;
  readonly host: string;
  /** Absent: the embedded database. */
  readonly database_url: string | undefined;
  readonly data_dir: string;
  /** Absent only with the embedded database, where `secretOf` makes one. */
  readonly secret: string | undefined;
  readonly base_domain: string;
  readonly trust_proxy: string | number | false;
  readonly web_public_streams_enabled: boolean;
  /** Bytes that the files of one organization may take up. */
  readonly upload_space: number;
  readonly rate_rules: RateRules;
  readonly mail: Mail;
  readonly identity: IdentitySettings;
  readonly log: string;
  readonly metrics_port: number | undefined;
  readonly migrate: boolean;
  readonly docs: boolean;
  /** Every variable as it takes effect, secrets masked. */
  readonly printed: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

// Programs that use the API take their credentials from these, often in the shell that the server is started in.
const ofClients: ReadonlySet<string> = new Set(['PARLEY_URL', 'PARLEY_EMAIL', 'PARLEY_API_KEY']);

/** Reads the environment; throws a `ConfigError` for what it cannot use. */
export function readConfig(environment: Environment = process.env): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== undefined && text !== ''));
  for (const name of Object.keys(given)) {
    if (name.startsWith('PARLEY_') && !(name in variables) && !ofClients.has(name))
      throw new ConfigError(`${name} is not a setting of Parley${guess(name)}.`);
  }
  const read = <N extends Name>(name: N) => parsedValue(name, given[name]) as Value<N> | undefined;
  const sure = <N extends Name>(name: N) => read(name) as Value<N>;
  const database_url = read('DATABASE_URL');
  const metrics = sure('PARLEY_METRICS_PORT');
  return Object.freeze({
    port: sure('PARLEY_PORT'),
    host: sure('PARLEY_HOST'),
    database_url,
    data_dir: sure('PARLEY_DATA_DIR'),
    secret: givenSecret(read('PARLEY_SECRET'), read('PARLEY_SECRET_FILE'), database_url !== undefined),
    base_domain: sure('PARLEY_BASE_DOMAIN'),
    trust_proxy: sure('PARLEY_TRUST_PROXY'),
    web_public_streams_enabled: sure('PARLEY_WEB_PUBLIC_STREAMS_ENABLED'),
    upload_space: sure('PARLEY_UPLOAD_SPACE_MIB') * 1024 * 1024,
    rate_rules: sure('PARLEY_RATE_LIMITS'),
    mail: sure('PARLEY_MAIL'),
    identity: {
      ldap: inFile('PARLEY_LDAP', read('PARLEY_LDAP_FILE'), given) ?? read('PARLEY_LDAP'),
      oidc: inFile('PARLEY_OIDC', read('PARLEY_OIDC_FILE'), given) ?? read('PARLEY_OIDC') ?? [],
      saml: inFile('PARLEY_SAML', read('PARLEY_SAML_FILE'), given) ?? read('PARLEY_SAML') ?? [],
    },
    log: sure('PARLEY_LOG'),
    metrics_port: metrics === 'off' ? undefined : metrics,
    migrate: sure('PARLEY_MIGRATE'),
    docs: sure('PARLEY_DOCS'),
    printed: printed(given),
  });
}

type Value<N extends Name> = NonNullable<ReturnType<(typeof variables)[N]['parse']>>;

function parsedValue(name: Name, text: string | undefined, where: string = name): unknown {
  const { default: fallback, parse, expects }: Variable<unknown> = variables[name];
  const used = text ?? fallback;
  if (used === undefined) return undefined;
  try {
    const value = parse(used);
    if (value !== undefined) return value;
  } catch (error) {
    if (error instanceof ValueProblem) throw new ConfigError(`${where}: ${error.message}.`);
    throw error;
  }
  throw new ConfigError(`${name} must be ${expects}.`);
}

/** What a variable's file holds in its stead. */
function inFile<N extends Name>(name: N, file: string | undefined, given: Environment): Value<N> | undefined {
  if (file === undefined) return undefined;
  if (given[name] !== undefined) throw new ConfigError(`${name} and ${name}_FILE are both set; set one of them.`);
  return parsedValue(name, readText(`${name}_FILE`, file), `${name}_FILE`) as Value<N>;
}

function printed(given: Environment): Readonly<Record<string, string>> {
  const show = (name: Name) => {
    const { default: fallback, mask }: Variable<unknown> = variables[name];
    const text = given[name] ?? fallback;
    return text === undefined ? '' : mask ? mask(text) : text;
  };
  return Object.freeze(Object.fromEntries(variableNames.map((name) => [name, show(name)])));
}

/** The known name that an unknown one was probably meant to be. */
function guess(name: string): string {
  const near = variableNames.find(
    (known) =>
      known.startsWith(name) || name.startsWith(known) || known.replaceAll('_', '') === name.replaceAll('_', ''),
  );
  return near ? `; did you mean ${near}` : '';
}

function givenSecret(text: string | undefined, file: string | undefined, required: boolean): string | undefined {
  if (text !== undefined && file !== undefined)
    throw new ConfigError('PARLEY_SECRET and PARLEY_SECRET_FILE are both set; set one of them.');
  if (file !== undefined) return readSecret('PARLEY_SECRET_FILE', file);
  if (text === undefined && required) {
    throw new ConfigError(
      `PARLEY_SECRET must be set with DATABASE_URL: at least ${SECRET_LENGTH} characters, the same for every process.`,
    );
  }
  return text;
}

function readText(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`${name}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function readSecret(name: string, file: string): string {
  const text = readText(name, file);
  if (!secretText(text)) throw new ConfigError(`${name}: ${file} must hold at least ${SECRET_LENGTH} characters.`);
  return text;
}

/** The secret in use. With the embedded database it is made once and kept beside the data that depends on it. */
export function secretOf(config: Config): string {
  if (config.secret !== undefined) return config.secret;
  const file = join(config.data_dir, 'secret');
  if (!existsSync(file)) keepNewSecret(file);
  return readSecret('PARLEY_DATA_DIR', file);
}

/** Appears whole or not at all: every API key would change if a half-written secret were ever used. */
function keepNewSecret(file: string): void {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}.new`;
  const handle = openSync(fresh, 'w', 0o600);
  writeSync(handle, `${randomBytes(32).toString('base64url')}\n`);
  fsyncSync(handle);
  closeSync(handle);
  try {
    linkSync(fresh, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(fresh);
  }
}

function variable<T>(
  fallback: string | undefined,
  about: string,
  parse: (text: string) => T | undefined,
  expects: string,
) {
  return { default: fallback, about, parse, expects };
}
