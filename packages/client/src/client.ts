import { createCalls } from './call.ts';
import { toEndpoint } from './endpoint.ts';
import { type EventStream, followEvents } from './events.ts';
import type { FetchedRegistration } from './fetched-state.ts';
import type { Calls } from './generated/calls.ts';
import type { ClientOptions } from './options.ts';
import type { EventOptions, EventTypeList, EventTypeOf, ResumingEventOptions, StateTypeList } from './queue.ts';
import type { CallOptions } from './types.ts';

/** One function for each operation, and the methods built on them. */
export interface Client extends Calls {
  /** The URL of the organization, without a slash at its end. */
  readonly url: string;
  /**
   * All events from now on, as an async iterator: each event once and in order, despite failures of the network and
   * restarts of the server. When the queue was lost (no poll for ten minutes), the iterator yields a `resync` with the
   * state to start from.
   *
   * @param options - Event types, a signal that ends the iteration, `resume` for a program that continues where it
   * stopped, and the parameters of `registerQueue`.
   * @throws {ParleyError} `UNAUTHORIZED`, `INVALID_API_KEY`, `USER_DEACTIVATED`, `REALM_DEACTIVATED`,
   * `NONEXISTENT_SUBDOMAIN`, `BAD_REQUEST`, `BAD_NARROW`: errors that a retry cannot resolve.
   * @since Feature level 237.
   * @see `/docs/guides/events/` on your server
   * @example
   * for await (const event of client.events({ types: ['message'] })) {
   *   if (event.type === 'message') console.log(event.message.content);
   * }
   */
  events<const Types extends EventTypeList = undefined, const Fetched extends StateTypeList = undefined>(
    options: ResumingEventOptions<Types, Fetched>,
  ): EventStream<
    EventTypeOf<Types>,
    FetchedRegistration<Types, Fetched>,
    FetchedRegistration<Types, Fetched> | undefined
  >;
  events<const Types extends EventTypeList = undefined, const Fetched extends StateTypeList = undefined>(
    options?: EventOptions<Types, Fetched>,
  ): EventStream<EventTypeOf<Types>, FetchedRegistration<Types, Fetched>>;
  /**
   * Whether the server has this feature level. The level is requested once, and then remembered.
   *
   * @param level - The feature level that the documentation names beside an operation, parameter or field.
   * @since Feature level 237.
   */
  supports(level: number, options?: CallOptions): Promise<boolean>;
}

/**
 * A client of one organization.
 *
 * @param url - URL of the organization, e.g. `https://acme.example.com`.
 * @param options - Credentials, and options of requests.
 * @throws {TypeError} The URL is not an http or https URL, or a credential is undefined, such as an environment
 * variable that is not set.
 * @since Feature level 237.
 * @example
 * const client = createClient('https://acme.example.com', { login: { email, apiKey } });
 * await client.sendMessage({ type: 'stream', to: 'general', topic: 'lunch', content: 'Soup?' });
 */
export function createClient(url: string, options: ClientOptions = {}): Client {
  const endpoint = toEndpoint(url, options);
  const calls = createCalls(endpoint, options);
  let level: number | undefined;
  return {
    ...calls,
    url: endpoint.url,
    events: ((followOptions) => followEvents(calls, followOptions, options)) as Client['events'],
    async supports(featureLevel, callOptions) {
      level ??= (await calls.getServerSettings({}, callOptions)).service_feature_level;
      return level >= featureLevel;
    },
  };
}

/**
 * A client of a user who logs in with a password.
 *
 * @param url - URL of the organization, e.g. `https://acme.example.com`.
 * @param credentials - The email, or the user name in the organization's directory, and the password.
 * @throws {ParleyError} `AUTHENTICATION_FAILED`, `PASSWORD_AUTH_DISABLED`, `USER_DEACTIVATED`, `REALM_DEACTIVATED`,
 * `NONEXISTENT_SUBDOMAIN`, `DIRECTORY_UNAVAILABLE`, `RATE_LIMIT_HIT`; `BAD_REQUEST` for a user name that is not an
 * email address where users log in with email addresses only.
 * @since Feature level 237.
 * @see `/docs/guides/authentication/` on your server
 */
export async function logIn(
  url: string,
  credentials: { username: string; password: string },
  options: Omit<ClientOptions, 'login' | 'token'> = {},
): Promise<Client> {
  const { email, api_key } = await createClient(url, options).fetchApiKey(credentials);
  return createClient(url, { ...options, login: { email, apiKey: api_key } });
}
