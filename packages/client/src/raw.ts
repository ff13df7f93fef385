// Requests by path. An entry of its own, because most programs call operations by their names.
import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import { omitCredentials, toEndpoint } from './endpoint.ts';
import { encodeBody, encodeForm } from './form.ts';
import type { paths } from './generated/schema.ts';
import type { ClientOptions } from './options.ts';

/** What a client for requests by path takes. */
export type RawClientOptions = Pick<ClientOptions, 'login' | 'name' | 'headers' | 'fetch'>;

/**
 * A client for requests by path, typed by the document: openapi-fetch with the encoding of parameters. It repeats no request, and throws only
 * when there is no response.
 *
 * @param url - The organization's, e.g. `https://acme.example.com`.
 * @param options - Credentials, the name of your program, headers, and what sends requests.
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
    // `fetch` itself says which kind of form a body is, and of one with a file where its parts end.
    headers: { 'Content-Type': null, ...headers },
    bodySerializer: encodeBody as (body: unknown) => URLSearchParams | FormData,
    querySerializer: (query) => encodeForm(query).toString(),
    fetch: options.fetch ?? fetch,
    ...omitCredentials(),
  });
}
