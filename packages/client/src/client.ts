import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import { createCalls } from './call.ts';
import { type EventOptions, type EventStream, type EventType, followEvents } from './events.ts';
import { encodeBody, encodeForm } from './form.ts';
import type { Calls } from './generated/calls.ts';
import type { paths } from './generated/schema.ts';
import type { ClientOptions } from './options.ts';
import type { CallOptions } from './types.ts';

/** One function for each operation, and what stands on them. */
export interface Client extends Calls {
  /**
   * Everything that happens from now on, as an async iterator: each event once and in order, whatever becomes of the network
   * and the server. When the queue was lost (nobody asked for ten minutes), a `resync` comes with the state to start from.
   *
   * @param options - Types of events, a signal that ends it, and whatever `registerQueue` takes.
   * @throws {ParleyError} `UNAUTHORIZED`, `INVALID_API_KEY`, `USER_DEACTIVATED`, `REALM_DEACTIVATED`,
   * `NONEXISTENT_SUBDOMAIN`, `BAD_REQUEST`, `BAD_NARROW`: what waiting does not mend.
   * @since Feature level 237.
   * @see `/docs/guides/events/` on your server
   * @example
   * for await (const event of client.events({ types: ['message'] })) {
   *   if (event.type === 'message') console.log(event.message.content);
   * }
   */
  events<Type extends EventType = EventType>(options?: EventOptions<Type>): EventStream<Type>;
  /**
   * Whether the server has this feature level. Once that is known, it is not asked again.
   *
   * @param level - As the documentation gives it with what was added.
   * @since Feature level 237.
   */
  supports(level: number, options?: CallOptions): Promise<boolean>;
  /**
   * The openapi-fetch client below, for requests by path. It tries nothing again and throws only when there is no answer; hooks,
   * `timeout` and `onIgnoredParameters` are not for it.
   */
  readonly raw: FetchClient<paths>;
}

/**
 * A client of one organization.
 *
 * @param url - The organization's, e.g. `https://acme.example.com`.
 * @param options - Credentials, and how to call.
 * @throws {TypeError} The URL is none of the web.
 * @since Feature level 237.
 * @example
 * const client = createClient('https://acme.example.com', { login: { email, apiKey } });
 * await client.sendMessage({ type: 'stream', to: 'general', topic: 'lunch', content: 'Soup?' });
 */
export function createClient(url: string, options: ClientOptions = {}): Client {
  if (!/^https?:/.test(url)) throw new TypeError(`${url} is not http.`);
  const { login, name } = options;
  const raw = createFetchClient<paths>({
    baseUrl: `${url.replace(/\/$/, '')}/api/v1`,
    headers: {
      // `fetch` itself says which kind of form a body is, and of one with a file where its parts end.
      'Content-Type': null,
      Authorization: login && `Basic ${base64(`${login.email}:${login.apiKey}`)}`,
      'User-Agent': name && `${name}/1`,
      ...options.headers,
    },
    bodySerializer: encodeBody as (body: unknown) => URLSearchParams | FormData,
    querySerializer: (query) => encodeForm(query).toString(),
    fetch: options.fetch ?? fetch,
  });
  const calls = createCalls(raw, options);
  let level: number | undefined;
  return {
    ...calls,
    raw,
    events: (given) => followEvents(calls, given, options),
    async supports(wanted, given) {
      level ??= (await calls.getServerSettings({}, given)).service_feature_level;
      return level >= wanted;
    },
  };
}

/**
 * A client of somebody who logs in with a password.
 *
 * @param url - The organization's, e.g. `https://acme.example.com`.
 * @param credentials - The email, or what else people log in with there, and the password.
 * @throws {ParleyError} `AUTHENTICATION_FAILED`, `PASSWORD_AUTH_DISABLED`, `USER_DEACTIVATED`, `REALM_DEACTIVATED`,
 * `NONEXISTENT_SUBDOMAIN`, `DIRECTORY_UNAVAILABLE`, `RATE_LIMIT_HIT`; `BAD_REQUEST` for a name that is no email address where
 * people log in with these alone.
 * @since Feature level 237.
 * @see `/docs/guides/authentication/` on your server
 */
export async function logIn(
  url: string,
  credentials: { username: string; password: string },
  options: Omit<ClientOptions, 'login'> = {},
): Promise<Client> {
  const { email, api_key } = await createClient(url, options).fetchApiKey(credentials);
  return createClient(url, { ...options, login: { email, apiKey: api_key } });
}

/** Base64 of the UTF-8 bytes; `btoa` alone refuses an address with an umlaut. */
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
