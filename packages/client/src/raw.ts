// Requests by path. A separate entry point, because most programs call operations by their names.
import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import { toEndpoint } from './endpoint.ts';
import { encodeBody, encodeForm } from './form.ts';
import type { paths } from './generated/schema.ts';
import type { ClientOptions } from './options.ts';

/** The options of a client for requests by path. */
export type RawClientOptions = Pick<ClientOptions, 'login' | 'name' | 'headers' | 'fetch'>;

/**
 * Creates a client for requests by path, typed by the OpenAPI document: openapi-fetch with the API's encoding of
 * parameters. It does not retry requests, and throws only when there is no response.
 *
 * @param url - URL of the organization, e.g. `https://acme.example.com`.
 * @param options - Credentials, the name of your program, headers, and a `fetch` that sends requests.
 * @throws {TypeError} As `createClient`.
 * @since Feature level 237.
 * @see `/docs/guides/sdk/` on your server
 * @example
 * import { createRawClient } from '@parley/client/raw';
 * const raw = createRawClient('https://acme.example.com', { login: { email, apiKey } });
 * const { data, error } = await raw.GET('/users/me');
 */
export function createRawClient(url: string, options: RawClientOptions = {}): FetchClient<paths> {
  const { address, headers } = toEndpoint(url, options);
  return createFetchClient<paths>({
    baseUrl: address,
    // `fetch` sets the content type of form bodies, including the boundary of multipart bodies.
    headers: { 'Content-Type': null, ...headers },
    bodySerializer: encodeBody as (body: unknown) => URLSearchParams | FormData,
    querySerializer: (query) => `${encodeForm(query)}`,
    fetch: options.fetch ?? fetch,
  });
}
