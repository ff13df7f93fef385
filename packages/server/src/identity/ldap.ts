import { connect, isIP } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { Client, Filter, ResultCodeError } from 'ldapts';
import type { DirectorySettings } from '../config/index.ts';
import { type DirectoryEntry, type IdentityDirectory, IdentityServiceUnavailable } from '../core/identity.ts';

/** Result codes with which a directory rejects credentials; other codes are failures of the directory. */
const REJECTION_CODES = new Set([10, 19, 32, 48, 49, 50, 53]);

/** Queries a directory, with a connection for each query: passwords are sent on it. `timeoutMs` limits each query. */
export function createDirectory(settings: DirectorySettings, timeoutMs: number): IdentityDirectory {
  const { base, filter, email, full_name, organizations } = settings;
  const withClient = <T>(question: (client: Client) => Promise<T>) => inTime(settings, timeoutMs, question);
  const search = async (client: Client, username: string): Promise<DirectoryEntry[]> => {
    await introduce(client, settings);
    const { searchEntries } = await client.search(base, {
      scope: 'sub',
      filter: filter.replaceAll('{username}', () => Filter.escape(username)),
      attributes: [email, full_name],
      derefAliases: 'never',
      sizeLimit: 2,
    });
    return searchEntries.flatMap((found) => {
      const address = first(found, email);
      return address === undefined ? [] : [{ dn: found.dn, email: address, full_name: first(found, full_name) }];
    });
  };
  return {
    organizations,
    async find(username) {
      const found = await withClient((client) => search(client, username));
      // Two entries match the name: it is ambiguous which is meant.
      return found.length === 1 ? found[0] : undefined;
    },
    async verifyPassword({ dn }, password) {
      // A directory accepts a name without a password as an anonymous bind.
      if (password === '') return false;
      return withClient((client) =>
        client.bind(dn, password).then(
          () => true,
          (error: unknown) => {
            if (error instanceof ResultCodeError && REJECTION_CODES.has(error.code)) return false;
            throw error;
          },
        ),
      );
    },
    check: () =>
      withClient(async (client) => {
        await introduce(client, settings);
        await client.search(base, { scope: 'base', attributes: ['1.1'] });
      }),
  };
}

async function introduce(client: Client, { bind_dn, bind_password }: DirectorySettings): Promise<void> {
  if (bind_dn !== undefined) await client.bind(bind_dn, bind_password);
}

function first(entry: Readonly<Record<string, unknown>>, name: string): string | undefined {
  // The directory chooses the case of attribute names.
  const values = Object.entries(entry).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  const value: unknown = Array.isArray(values) ? values[0] : values;
  const words = typeof value === 'string' ? value.trim() : '';
  return words === '' ? undefined : words;
}

async function inTime<T>(
  settings: DirectorySettings,
  timeoutMs: number,
  question: (client: Client) => Promise<T>,
): Promise<T> {
  const client = clientOf(settings, timeoutMs);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response in ${timeoutMs / 1000} s`)), timeoutMs);
  });
  try {
    return await Promise.race([opened(client, settings).then(() => question(client)), late]);
  } catch (error) {
    throw new IdentityServiceUnavailable((error as Error).message, { cause: error });
  } finally {
    clearTimeout(timer);
    client.unbind().catch(() => {});
  }
}

async function opened(client: Client, { url, start_tls, ca }: DirectorySettings): Promise<void> {
  if (new URL(url).protocol === 'ldap:' && start_tls) await client.startTLS(tlsOptions(url, ca));
}

/** The library reconnects when a connection breaks: without encryption, and with a password to send. */
function clientOf({ url, ca }: DirectorySettings, timeoutMs: number): Client {
  let used = false;
  const once = <F extends typeof connect | typeof connectSecurely>(open: F): F =>
    ((...args: unknown[]) => {
      if (used) throw new Error('the connection broke');
      used = true;
      return (open as (...args: unknown[]) => unknown)(...args);
    }) as unknown as F;
  const common = { url, timeout: timeoutMs, connectTimeout: timeoutMs, strictDN: false };
  if (new URL(url).protocol === 'ldap:') return new Client({ ...common, createConnection: once(connect) });
  return new Client({ ...common, tlsOptions: tlsOptions(url, ca), createSecureConnection: once(connectSecurely) });
}

function tlsOptions(url: string, ca: string | undefined) {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return { host, ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) };
}
