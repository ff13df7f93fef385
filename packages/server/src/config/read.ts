// The only reader of the environment.

import type { CollectionLimits } from '../core/collection-limits.ts';
import { readText } from './file.ts';
import type { IdentitySettings } from './identity.ts';
import { ValueProblem } from './json.ts';
import { ConfigError } from './problem.ts';
import { findConfiguredSecret } from './secret.ts';
import type { DatabaseTimeouts, Mail, RateRules } from './values.ts';
import { type Variable, type VariableName, variableNames, variables } from './variables.ts';

export interface Config {
  readonly port: number;
  /** Whether the operator chose the port. */
  readonly port_is_chosen: boolean;
  readonly host: string;
  /** The number of processes that serve the port. */
  readonly processes: number;
  /** Absent: the embedded database. */
  readonly database_url: string | undefined;
  readonly database_listen_url: string | undefined;
  readonly allowed_origins: ReadonlySet<string>;
  readonly database_connections: number;
  readonly database_timeouts: DatabaseTimeouts;
  readonly data_dir: string;
  /** Absent only with the embedded database, where `loadSecret` generates one. */
  readonly secret: string | undefined;
  /** The previous secret, while it is being replaced. */
  readonly secret_previous: string | undefined;
  readonly base_domain: string;
  readonly trust_proxy: string | number | false;
  readonly web_public_streams_enabled: boolean;
  /** The maximum size of the files of one organization, in bytes. */
  readonly upload_space: number;
  readonly collection_limits: CollectionLimits;
  readonly rate_rules: RateRules;
  readonly mail: Mail;
  readonly identity: IdentitySettings;
  readonly log: string;
  readonly metrics_port: number | undefined;
  /** Seconds. */
  readonly drain: number;
  readonly grace: number;
  readonly migrate: boolean;
  readonly docs: boolean;
  /** The effective value of every variable, secrets masked. */
  readonly printed: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

// Variables for programs that use the API. They are often set in the shell in which the server is started, so they are
// not reported as unknown.
const ofClients: ReadonlySet<string> = new Set(['PARLEY_URL', 'PARLEY_EMAIL', 'PARLEY_API_KEY', 'PARLEY_TOKEN']);

/** Reads the environment; throws a `ConfigError` for an invalid value. */
export function readConfig(environment: Environment = process.env): Config {
  const nonEmpty = Object.fromEntries(
    Object.entries(environment).filter(([, text]) => text !== undefined && text !== ''),
  );
  for (const name of Object.keys(nonEmpty)) {
    if (name.startsWith('PARLEY_') && !(name in variables) && !ofClients.has(name))
      throw new ConfigError(`${name} is not a setting of Parley${guess(name)}.`);
  }
  const read = <N extends VariableName>(name: N) => parsedValue(name, nonEmpty[name]) as Value<N> | undefined;
  const sure = <N extends VariableName>(name: N) => read(name) as Value<N>;
  const database_url = inFile('DATABASE_URL', read('DATABASE_URL_FILE'), nonEmpty) ?? read('DATABASE_URL');
  const metrics = sure('PARLEY_METRICS_PORT');
  return Object.freeze({
    port: sure('PARLEY_PORT'),
    port_is_chosen: nonEmpty.PARLEY_PORT !== undefined,
    host: sure('PARLEY_HOST'),
    processes: sure('PARLEY_PROCESSES'),
    database_url,
    database_listen_url:
      inFile('DATABASE_LISTEN_URL', read('DATABASE_LISTEN_URL_FILE'), nonEmpty) ?? read('DATABASE_LISTEN_URL'),
    database_connections: sure('PARLEY_DATABASE_CONNECTIONS'),
    database_timeouts: sure('PARLEY_DATABASE_TIMEOUTS'),
    data_dir: sure('PARLEY_DATA_DIR'),
    secret: findConfiguredSecret(read('PARLEY_SECRET'), read('PARLEY_SECRET_FILE'), database_url !== undefined),
    secret_previous:
      inFile('PARLEY_SECRET_PREVIOUS', read('PARLEY_SECRET_PREVIOUS_FILE'), nonEmpty) ?? read('PARLEY_SECRET_PREVIOUS'),
    base_domain: sure('PARLEY_BASE_DOMAIN'),
    allowed_origins: read('PARLEY_ALLOWED_ORIGINS') ?? new Set(),
    trust_proxy: sure('PARLEY_TRUST_PROXY'),
    web_public_streams_enabled: sure('PARLEY_WEB_PUBLIC_STREAMS_ENABLED'),
    upload_space: sure('PARLEY_UPLOAD_SPACE_MIB') * 1024 * 1024,
    collection_limits: sure('PARLEY_COLLECTION_LIMITS'),
    rate_rules: sure('PARLEY_RATE_LIMITS'),
    mail: inFile('PARLEY_MAIL', read('PARLEY_MAIL_FILE'), nonEmpty) ?? sure('PARLEY_MAIL'),
    identity: {
      ldap: inFile('PARLEY_LDAP', read('PARLEY_LDAP_FILE'), nonEmpty) ?? read('PARLEY_LDAP'),
      oidc: inFile('PARLEY_OIDC', read('PARLEY_OIDC_FILE'), nonEmpty) ?? read('PARLEY_OIDC') ?? [],
      saml: inFile('PARLEY_SAML', read('PARLEY_SAML_FILE'), nonEmpty) ?? read('PARLEY_SAML') ?? [],
    },
    log: sure('PARLEY_LOG'),
    metrics_port: metrics === 'off' ? undefined : metrics,
    drain: sure('PARLEY_DRAIN'),
    grace: sure('PARLEY_GRACE'),
    migrate: sure('PARLEY_MIGRATE'),
    docs: sure('PARLEY_DOCS'),
    printed: printed(nonEmpty),
  });
}

type Value<N extends VariableName> = NonNullable<ReturnType<(typeof variables)[N]['parse']>>;

function parsedValue(name: VariableName, text: string | undefined, where: string = name): unknown {
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
  throw new ConfigError(`${where} must ${where === name ? 'be' : 'hold'} ${expects}.`);
}

/** The content of the file that a variable names instead of the value. */
function inFile<N extends VariableName>(
  name: N,
  file: string | undefined,
  environment: Environment,
): Value<N> | undefined {
  if (file === undefined) return undefined;
  if (environment[name] !== undefined) throw new ConfigError(`${name} and ${name}_FILE are both set; set one of them.`);
  return parsedValue(name, readText(`${name}_FILE`, file), `${name}_FILE`) as Value<N>;
}

function printed(environment: Environment): Readonly<Record<string, string>> {
  const show = (name: VariableName) => {
    const { default: fallback, mask }: Variable<unknown> = variables[name];
    const text = environment[name] ?? fallback;
    return text === undefined ? '' : mask ? mask(text) : text;
  };
  return Object.freeze(Object.fromEntries(variableNames.map((name) => [name, show(name)])));
}

/** The known name that is most similar to an unknown one. */
function guess(name: string): string {
  const near = variableNames.find(
    (known) =>
      known.startsWith(name) || name.startsWith(known) || known.replaceAll('_', '') === name.replaceAll('_', ''),
  );
  return near ? `; did you mean ${near}` : '';
}

/** A single `&`: the shell ends and the script goes on. */
const BACKGROUND = /(^|[^&])&($|[^&])/;

/** Whether this process is what `npx`, `npm start` or an operator's npm script runs, rather than a program further below. */
export function isRunByNpm(environment: Environment = process.env): boolean {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = environment;
  if (event === undefined || BACKGROUND.test(script)) return false;
  return event === 'npx' || event === 'start' || script.includes('parley');
}
