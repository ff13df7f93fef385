/** The servers in a connection string, and its option for prepared statements. */
export interface DatabaseAddress {
  /** A connection string for each server, in the order given. */
  readonly servers: readonly [string, ...string[]];
  /** The `prepare` parameter of the connection string; undefined without it. */
  readonly prepare: boolean | undefined;
}

const PARTS = /^(\w+:\/\/(?:[^/?]*@)?)([^/?]*)([^?]*)(\?.*)?$/;

/** Splits a connection string that names several hosts, separated by commas. */
export function parseAddress(url: string): DatabaseAddress {
  const [, start = '', hosts = '', path = '', query = ''] = PARTS.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  const prepare = parameters.get('prepare');
  const rest = `${path}?${driverParameters(parameters)}`;
  const [first = '', ...others] = hosts.split(',').map((host) => `${start}${host}${rest}`);
  return { servers: [first, ...others], prepare: prepare === null ? undefined : prepare !== 'false' };
}

/** With `uselibpqcompat` the driver reads `sslmode` as libpq does. */
function driverParameters(parameters: URLSearchParams): URLSearchParams {
  const ssl = parameters.get('ssl');
  if (ssl !== null && SSL_MODES.has(ssl)) {
    parameters.delete('ssl');
    parameters.set('sslmode', ssl);
  }
  if (parameters.get('sslmode') === 'allow') parameters.set('sslmode', 'prefer');
  if (parameters.has('sslmode') && !parameters.has('uselibpqcompat')) parameters.set('uselibpqcompat', 'true');
  return parameters;
}

const SSL_MODES: ReadonlySet<string> = new Set(['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']);
