// The one entry that needs Node: it looks for credentials where programs on a computer keep them.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type Client, type ClientOptions, createClient } from '../index.ts';
import { createStreamingFetch } from '../stream.ts';

/** Where an organization is, and whose account to use there. */
export interface Credentials {
  readonly url: string;
  readonly login: { readonly email: string; readonly apiKey: string };
}

/** Credentials cannot be found, or not be read. The message says which and where, and never their values. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

/**
 * A client with the credentials of the environment, or else of the file `.parleyrc` here or in the home folder. Its `events()` are
 * a stream where the server has streams, unless `fetch` is given.
 *
 * @param options - As for `createClient`.
 * @throws {CredentialsError} There are none, or a part is missing.
 * @since Feature level 237.
 * @example
 * import { clientFromHere } from '@parley/client/node';
 * const client = clientFromHere({ name: 'digest' });
 */
export function clientFromHere(options: Omit<ClientOptions, 'login'> = {}): Client {
  const { url, login } = fromEnvironment() ?? fromNearestFile();
  return createClient(url, { fetch: createStreamingFetch(), ...options, login });
}

/**
 * Credentials in `PARLEY_URL`, `PARLEY_EMAIL` and `PARLEY_API_KEY`; undefined if none of them is set.
 *
 * @param environment - Absent: the one of the process.
 * @throws {CredentialsError} Only some of them are set.
 * @since Feature level 237.
 */
export function fromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Credentials | undefined {
  const { PARLEY_URL, PARLEY_EMAIL, PARLEY_API_KEY } = environment;
  if (!PARLEY_URL && !PARLEY_EMAIL && !PARLEY_API_KEY) return undefined;
  return complete({ PARLEY_URL, PARLEY_EMAIL, PARLEY_API_KEY }, 'The environment');
}

/**
 * Credentials in a file of lines `url=…`, `email=…` and `key=…`. Lines that begin with `#` or `[` count as empty.
 *
 * @param file - Its path. Absent: `~/.parleyrc`.
 * @throws {CredentialsError} It cannot be read, or a line is missing.
 * @since Feature level 237.
 */
export function fromFile(file: string = join(homedir(), '.parleyrc')): Credentials {
  const lines = read(file)
    .split('\n')
    .map((line) => /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line))
    .flatMap((match) => (match ? [[match[1], match[2]] as const] : []));
  const { url, email, key } = Object.fromEntries(lines) as Record<string, string>;
  return complete({ url, email, key }, file);
}

function fromNearestFile(): Credentials {
  const here = '.parleyrc';
  const home = join(homedir(), here);
  const file = [here, home].find((path) => existsSync(path));
  if (file) return fromFile(file);
  throw new CredentialsError(`Set PARLEY_URL, PARLEY_EMAIL and PARLEY_API_KEY, or write ${home}.`);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CredentialsError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** The three values, in the order url, email, key. */
function complete(values: Record<string, string | undefined>, where: string): Credentials {
  const missing = Object.keys(values).filter((name) => !values[name]);
  if (missing.length > 0) throw new CredentialsError(`${where} lacks ${missing.join(' and ')}.`);
  const [url = '', email = '', apiKey = ''] = Object.values(values);
  return { url, login: { email, apiKey } };
}
