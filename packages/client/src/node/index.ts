// The one entry point that needs Node: credentials from the environment or a file, and positions in files.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type Client, type ClientOptions, createClient } from '../index.ts';
import { createStreamingFetch } from '../stream.ts';

/** The URL of an organization, and the credentials: the email and API key of an account, or the secret of a token. */
export type Credentials =
  | {
      readonly url: string;
      readonly login: { readonly email: string; readonly apiKey: string };
      readonly token?: never;
    }
  | { readonly url: string; readonly token: string; readonly login?: never };

/** Credentials are missing or cannot be read. The message names which and where, and never their values. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

/**
 * Creates a client with the credentials of the environment, or else of the file `.parleyrc` in the working directory or
 * the home directory. Its `events()` use an event stream where the server supports it, unless `fetch` is given.
 *
 * @param options - As for `createClient`.
 * @throws {CredentialsError} There are no credentials, a part is missing, or both an API key and a token are set.
 * @since Feature level 237.
 * @example
 * import { clientFromHere } from '@parley/client/node';
 * const client = clientFromHere({ name: 'digest' });
 */
export function clientFromHere(options: Omit<ClientOptions, 'login' | 'token'> = {}): Client {
  const { url, ...credentials } = fromEnvironment() ?? fromNearestFile();
  return createClient(url, { fetch: createStreamingFetch(), ...options, ...credentials });
}

/**
 * Returns the credentials in `PARLEY_URL` and `PARLEY_TOKEN`, or in `PARLEY_URL`, `PARLEY_EMAIL` and `PARLEY_API_KEY`;
 * undefined if none of them is set.
 *
 * @param environment - Default: the environment of the process.
 * @throws {CredentialsError} Only some of them are set, or both a token and an account.
 * @since Feature level 237.
 */
export function fromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Credentials | undefined {
  const { PARLEY_URL, PARLEY_TOKEN, PARLEY_EMAIL, PARLEY_API_KEY } = environment;
  if (!PARLEY_URL && !PARLEY_TOKEN && !PARLEY_EMAIL && !PARLEY_API_KEY) return undefined;
  return requireCredentials('The environment', { PARLEY_URL }, { PARLEY_TOKEN }, { PARLEY_EMAIL, PARLEY_API_KEY });
}

/**
 * Returns the credentials in a file of lines `url=…` and `token=…`, or `url=…`, `email=…` and `key=…`. Lines that begin
 * with `#` or `[` are ignored.
 *
 * @param file - Path of the file. Default: `~/.parleyrc`.
 * @throws {CredentialsError} The file cannot be read, a line is missing, or it has both a token and an account.
 * @since Feature level 237.
 */
export function fromFile(file: string = join(homedir(), '.parleyrc')): Credentials {
  const lines = read(file)
    .split('\n')
    .map((line) => /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line))
    .flatMap((match) => (match ? [[match[1], match[2]] as const] : []));
  const { url, token, email, key } = Object.fromEntries(lines) as Record<string, string>;
  return requireCredentials(file, { url }, { token }, { email, key });
}

function fromNearestFile(): Credentials {
  const here = '.parleyrc';
  const home = join(homedir(), here);
  const file = [here, home].find((path) => existsSync(path));
  if (file) return fromFile(file);
  throw new CredentialsError(
    `Set PARLEY_URL and PARLEY_TOKEN, or PARLEY_EMAIL and PARLEY_API_KEY in place of the token, or write ${home}.`,
  );
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CredentialsError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

type NamedValues = Readonly<Record<string, string | undefined>>;

/** The credentials in these values. Errors name the variables or lines that they come from. */
function requireCredentials(
  where: string,
  address: NamedValues,
  secret: NamedValues,
  account: NamedValues,
): Credentials {
  const [token] = Object.values(secret);
  const set = Object.keys(account).filter((name) => account[name]);
  // They could belong to two accounts.
  if (token && set.length > 0)
    throw new CredentialsError(`${where} has ${Object.keys(secret)} and ${set.join(' and ')}: leave one out.`);
  const values = { ...address, ...(token ? secret : account) };
  const missing = Object.keys(values).filter((name) => !values[name]);
  if (missing.length > 0) throw new CredentialsError(`${where} lacks ${missing.join(' and ')}.`);
  const [url = '', email = '', apiKey = ''] = Object.values(values);
  return token ? { url, token } : { url, login: { email, apiKey } };
}

export { createFilePositionStore } from './positions.ts';
