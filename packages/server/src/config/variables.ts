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
  PARLEY_PORT: variable(
    '8080',
    'Port that the server listens on; 0 selects any free port.',
    port,
    'a port number, 0 to 65535',
  ),
  PARLEY_HOST: variable(
    '127.0.0.1',
    'Address that the server listens on; 0.0.0.0 or :: for all addresses.',
    hostName,
    'an address or a host name',
  ),
  PARLEY_PROCESSES: variable(
    '1',
    'Number of processes that `parley serve` runs on the port: one for each core. The option --processes overrides it. More than one process needs DATABASE_URL, and each opens its own connections.',
    (text) => atMost(MOST_PROCESSES, positiveInteger(text)),
    `a whole number, 1 to ${MOST_PROCESSES}`,
  ),
  DATABASE_URL: {
    ...variable(
      undefined,
      'URL of a PostgreSQL database, version 15 or newer. Without it the server uses the embedded database in PARLEY_DATA_DIR.',
      postgresUrl,
      'a postgres:// URL',
    ),
    mask: withoutPassword,
  },
  DATABASE_URL_FILE: variable(undefined, 'File with the value of DATABASE_URL.', (text) => resolve(text), 'a path'),
  DATABASE_LISTEN_URL: {
    ...variable(
      undefined,
      'URL of the same database without a pooler, for the connection that listens to notifications. Only needed where DATABASE_URL points to a pooler such as PgBouncer.',
      postgresUrl,
      'a postgres:// URL',
    ),
    mask: withoutPassword,
  },
  DATABASE_LISTEN_URL_FILE: variable(
    undefined,
    'File with the value of DATABASE_LISTEN_URL.',
    (text) => resolve(text),
    'a path',
  ),
  PARLEY_DATABASE_CONNECTIONS: variable(
    String(DEFAULT_CONNECTIONS),
    'Number of connections to PostgreSQL that requests and jobs of a process share, at least 5. The process opens up to five more for other purposes.',
    (text) => atLeast(5, positiveInteger(text)),
    'a whole number, 5 or more',
  ),
  PARLEY_DATABASE_TIMEOUTS: variable(
    '{}',
    `Timeouts in milliseconds, as a JSON object. statement limits a statement, and read a statement of a request that only reads. lock limits the wait for a lock, and must be less than statement (default: at most half of it). idle_transaction limits the time that a transaction is open without a statement, connect an attempt to connect, and pool the wait of a request while all connections are in use. A statement without a response fails 5 seconds after its timeout. Omitted keys have their defaults: ${Object.entries(
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
      'Secret that API keys and tokens derive from. Required with DATABASE_URL. With the embedded database the server generates it and stores it in the data directory.',
      secretText,
      SECRET_RULE,
    ),
    mask: maskValue,
  },
  PARLEY_SECRET_FILE: variable(undefined, 'File with the value of PARLEY_SECRET.', (text) => resolve(text), 'a path'),
  PARLEY_SECRET_PREVIOUS: {
    ...variable(
      undefined,
      'Previous value of PARLEY_SECRET, during its replacement: API keys and tokens that derive from it stay valid.',
      secretText,
      SECRET_RULE,
    ),
    mask: maskValue,
  },
  PARLEY_SECRET_PREVIOUS_FILE: variable(
    undefined,
    'File with the value of PARLEY_SECRET_PREVIOUS.',
    (text) => resolve(text),
    'a path',
  ),
  PARLEY_BASE_DOMAIN: variable(
    'localhost',
    'Domain of the server. The host name of an organization is <subdomain>.<base domain>; the base domain itself belongs to the organization with the empty subdomain.',
    domain,
    'a domain name without scheme and port',
  ),
  PARLEY_ALLOWED_ORIGINS: variable(
    undefined,
    'Origins whose pages can call the API of every organization, separated by commas: https://app.example.com. An organization can allow more origins with its setting allowed_origins. Pages of other origins cannot call the API, with any credentials.',
    origins,
    'origins such as https://app.example.com, separated by commas',
  ),
  PARLEY_TRUST_PROXY: variable(
    'off',
    'Proxies whose forwarded headers the server trusts: off, the number of proxies in front of the server, or their addresses (10.0.0.0/8, loopback) separated by commas. Unless it is off, links are https without a port.',
    trustProxy,
    'off, a number of proxies, or addresses such as 10.0.0.0/8 or loopback separated by commas',
  ),
  PARLEY_WEB_PUBLIC_STREAMS_ENABLED: variable(
    'false',
    'Whether organizations can have web-public streams.',
    word({ true: true, false: false }),
    'true or false',
  ),
  PARLEY_UPLOAD_SPACE_MIB: variable(
    '10240',
    'Maximum size of all files of one organization, in MiB. The server stores them in the database.',
    positiveInteger,
    'a positive whole number',
  ),
  PARLEY_COLLECTION_LIMITS: variable(
    '{}',
    'Maximum numbers of items of an account, an organization or a message, as a JSON object such as {"drafts":2000}. The page "Limits" lists names and defaults; omitted names have their defaults.',
    collectionLimitsFrom,
    'a JSON object whose keys are names of limits, with positive whole numbers',
  ),
  PARLEY_RATE_LIMITS: variable(
    '{}',
    `Rate limits: off, or a JSON object such as {"account":"60:1000"}, whose rules are seconds:count[,seconds:count]. events limits polls that deliver no new events, streams of events, and acknowledgements. ip limits one IPv4 address or IPv6 /64, and counts separately: reads without credentials, wrong credentials, logins, missing pictures, and token requests of applications (OAuth). password limits one user name and one network. Omitted keys have their defaults: ${DEFAULT_RULES_IN_WORDS}.`,
    rateRules,
    `off, or a JSON object whose keys ${Object.keys(DEFAULT_RULES).join(', ')} hold rules such as "60:200"`,
  ),
  PARLEY_MAIL: {
    ...variable(
      'log',
      'Destination of emails: smtp://user:pass@host:port, log, or dir:PATH for .eml files. The sender is noreply@ the base domain, or ADDRESS with ?from=ADDRESS at the end of the URL.',
      mail,
      'smtp://user:pass@host:port, log or dir:PATH',
    ),
    mask: withoutPassword,
  },
  PARLEY_MAIL_FILE: variable(undefined, 'File with the value of PARLEY_MAIL.', (text) => resolve(text), 'a path'),
  PARLEY_LDAP: {
    ...variable(
      undefined,
      'LDAP directory that checks passwords, as a JSON object: url, base, and the fields in "Single sign-on and directories".',
      ldapSettings,
      'JSON',
    ),
    mask: withoutSecrets,
  },
  PARLEY_LDAP_FILE: variable(undefined, 'File with the value of PARLEY_LDAP.', (text) => resolve(text), 'a path'),
  PARLEY_OIDC: {
    ...variable(
      undefined,
      'OpenID Connect providers with which users log in, as a JSON array of objects: id, name, issuer, client_id, client_secret, and the fields in "Single sign-on and directories".',
      oidcSettings,
      'JSON',
    ),
    mask: withoutSecrets,
  },
  PARLEY_OIDC_FILE: variable(undefined, 'File with the value of PARLEY_OIDC.', (text) => resolve(text), 'a path'),
  PARLEY_SAML: {
    ...variable(
      undefined,
      'SAML identity providers with which users log in, as a JSON array of objects: id, name, issuer, login_url, certificate, and the fields in "Single sign-on and directories".',
      samlSettings,
      'JSON',
    ),
    mask: withoutSecrets,
  },
  PARLEY_SAML_FILE: variable(undefined, 'File with the value of PARLEY_SAML.', (text) => resolve(text), 'a path'),
  PARLEY_LOG: variable(
    'info',
    `Log level: ${LOG_LEVELS.join(', ')}.`,
    word(Object.fromEntries(LOG_LEVELS.map((level) => [level, level]))),
    `one of ${LOG_LEVELS.join(', ')}`,
  ),
  PARLEY_METRICS_PORT: variable(
    'off',
    'Port of GET /metrics (Prometheus); 0 selects any free port.',
    (text) => (text === 'off' ? 'off' : port(text)),
    'off or a port number',
  ),
  PARLEY_DRAIN: variable(
    '0',
    'Seconds after SIGTERM in which the server still accepts requests while /readyz returns 503, so that load balancers select another server before the port closes. The files in deploy/ set 5.',
    seconds,
    'a whole number of seconds, 0 to 3600',
  ),
  PARLEY_GRACE: variable(
    '10',
    'Seconds that requests in flight and background jobs have to finish after PARLEY_DRAIN.',
    seconds,
    'a whole number of seconds, 0 to 3600',
  ),
  PARLEY_MIGRATE: variable(
    'on',
    'Whether `parley serve` applies missing migrations when it starts.',
    word({ on: true, off: false }),
    'on or off',
  ),
  PARLEY_DOCS: variable(
    'on',
    'Whether GET /docs returns the API reference.',
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
