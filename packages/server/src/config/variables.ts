// All environment variables of the server.
import { resolve } from 'node:path';
import { ldapSettings, oidcSettings, samlSettings, withoutSecrets } from './identity.ts';
import {
  atLeast,
  atMost,
  collectionLimitsFrom,
  DEFAULT_CONNECTIONS,
  DEFAULT_RULES,
  DEFAULT_RULES_IN_WORDS,
  DEFAULT_TIMEOUTS,
  databaseTimeouts,
  domain,
  hostName,
  LOG_LEVELS,
  MOST_PROCESSES,
  mail,
  maskValue,
  origins,
  port,
  positiveInteger,
  postgresUrl,
  rateRules,
  SECRET_RULE,
  seconds,
  secretText,
  trustProxy,
  withoutPassword,
  word,
} from './values.ts';

export interface Variable<T> {
  /** The default, as it would be written in the environment. */
  readonly default: string | undefined;
  /** One sentence for the operator guide. */
  readonly about: string;
  /** The value; undefined for an invalid text. */
  readonly parse: (text: string) => T | undefined;
  /** The valid values, as they follow "must be". */
  readonly expects: string;
  readonly mask?: (text: string) => string;
}

export const variables = {
  PARLEY_PORT: variable('8080', 'Port to listen on; 0 takes any free one.', port, 'a port number, 0 to 65535'),
  PARLEY_HOST: variable(
    '127.0.0.1',
    'Address to listen on; 0.0.0.0 or :: for all of them.',
    hostName,
    'an address or a host name',
  ),
  PARLEY_PROCESSES: variable(
    '1',
    'Processes that `parley serve` runs on the port, one for each core; the option --processes says the same. More than one needs DATABASE_URL, and each opens connections of its own.',
    (text) => atMost(MOST_PROCESSES, positiveInteger(text)),
    `a whole number, 1 to ${MOST_PROCESSES}`,
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
  DATABASE_URL_FILE: variable(undefined, 'File that holds DATABASE_URL.', (text) => resolve(text), 'a path'),
  DATABASE_LISTEN_URL: {
    ...variable(
      undefined,
      'The same database without a pooler in between, for one connection that listens; only needed where DATABASE_URL leads to a pooler such as PgBouncer.',
      postgresUrl,
      'a postgres:// URL',
    ),
    mask: withoutPassword,
  },
  DATABASE_LISTEN_URL_FILE: variable(
    undefined,
    'File that holds DATABASE_LISTEN_URL.',
    (text) => resolve(text),
    'a path',
  ),
  PARLEY_DATABASE_CONNECTIONS: variable(
    String(DEFAULT_CONNECTIONS),
    'Connections to PostgreSQL that requests and jobs of a process share, at least 5; the process opens up to five more.',
    (text) => atLeast(5, positiveInteger(text)),
    'a whole number, 5 or more',
  ),
  PARLEY_DATABASE_TIMEOUTS: variable(
    '{}',
    `Milliseconds, as JSON: statement is the most a statement may run, read the most one of a request that only reads may run, lock the most it waits for a lock and less than statement (at most half of it by default), idle_transaction the most a transaction may be open without a statement, connect the most an attempt to connect may take, pool the most a request waits while all connections are in use. A statement without a response fails 5 seconds after its timeout. Keys left out keep their defaults: ${Object.entries(
      DEFAULT_TIMEOUTS,
    )
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}.`,
    databaseTimeouts,
    `a JSON object whose keys ${Object.keys(DEFAULT_TIMEOUTS).join(', ')} hold milliseconds, 1 to 3600000`,
  ),
  PARLEY_DATA_DIR: variable('./data', 'Folder of the embedded database.', (text) => resolve(text), 'a path'),
  PARLEY_SECRET: {
    ...variable(
      undefined,
      'API keys and tokens derive from it. Made and kept in the data directory with the embedded database; required with DATABASE_URL.',
      secretText,
      SECRET_RULE,
    ),
    mask: maskValue,
  },
  PARLEY_SECRET_FILE: variable(undefined, 'File that holds PARLEY_SECRET.', (text) => resolve(text), 'a path'),
  PARLEY_SECRET_PREVIOUS: {
    ...variable(
      undefined,
      'The secret before PARLEY_SECRET, while it is being replaced: API keys and tokens made with it stay valid.',
      secretText,
      SECRET_RULE,
    ),
    mask: maskValue,
  },
  PARLEY_SECRET_PREVIOUS_FILE: variable(
    undefined,
    'File that holds PARLEY_SECRET_PREVIOUS.',
    (text) => resolve(text),
    'a path',
  ),
  PARLEY_BASE_DOMAIN: variable(
    'localhost',
    'An organization answers at <subdomain>.<base domain>; the base domain itself is the organization with the empty subdomain.',
    domain,
    'a domain name without scheme and port',
  ),
  PARLEY_ALLOWED_ORIGINS: variable(
    undefined,
    'Origins whose pages may call the API of every organization, separated by commas: https://app.example.com. An organization can allow more with its setting allowed_origins. Pages of other origins cannot, whatever key they have.',
    origins,
    'origins such as https://app.example.com, separated by commas',
  ),
  PARLEY_TRUST_PROXY: variable(
    'off',
    'Whose forwarded headers count: off, the number of proxies in front, or their addresses (10.0.0.0/8, loopback) separated by commas. Not off: links are https without a port.',
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
  PARLEY_COLLECTION_LIMITS: variable(
    '{}',
    'How many things of each kind an account, an organization or a message can have: JSON such as {"drafts":2000}. Names and defaults are in "Limits"; names left out keep their defaults.',
    collectionLimitsFrom,
    'a JSON object whose keys are names of limits, with positive whole numbers',
  ),
  PARLEY_RATE_LIMITS: variable(
    '{}',
    `Request limits: off, or JSON such as {"account":"60:1000"}; a rule is seconds:count[,seconds:count]. events is for polls that deliver no news, for streams of events and for acknowledgements. ip is for one IPv4 address or IPv6 /64, and counts five things apart: reads without credentials, wrong credentials, logins, pictures that do not exist, and requests of applications for tokens (OAuth). password is for one user name and one network. Keys left out keep their defaults: ${DEFAULT_RULES_IN_WORDS}.`,
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
  PARLEY_MAIL_FILE: variable(undefined, 'File that holds PARLEY_MAIL.', (text) => resolve(text), 'a path'),
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
  PARLEY_SAML: {
    ...variable(
      undefined,
      'SAML identity providers that people log in with, as a JSON list: id, name, issuer, login_url, certificate, and more in "Single sign-on and directories".',
      samlSettings,
      'JSON',
    ),
    mask: withoutSecrets,
  },
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
  PARLEY_DRAIN: variable(
    '0',
    'Seconds for which the server goes on serving after SIGTERM while /readyz answers 503, so that load balancers choose another server before the port closes. The files in deploy/ set 5.',
    seconds,
    'a whole number of seconds, 0 to 3600',
  ),
  PARLEY_GRACE: variable(
    '10',
    'Seconds that requests in flight and background jobs then have to finish.',
    seconds,
    'a whole number of seconds, 0 to 3600',
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

export type VariableName = keyof typeof variables;
export const variableNames = Object.keys(variables) as VariableName[];

/** The rows of the operator guide for each variable; a test compares the two. */
export const variableTable = variableNames.map((name) => ({
  name,
  default: variables[name].default,
  about: variables[name].about,
}));

function variable<T>(
  fallback: string | undefined,
  about: string,
  parse: (text: string) => T | undefined,
  expects: string,
) {
  return { default: fallback, about, parse, expects };
}
