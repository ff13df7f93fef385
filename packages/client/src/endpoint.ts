import type { ClientOptions } from './options.ts';

/** The API of an organization, and the headers of every request to it. */
export interface ClientEndpoint {
  /** The URL of the organization, without a slash at its end. */
  readonly url: string;
  readonly address: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Returns the endpoint of a client's requests. Throws a TypeError if the URL or the credentials are invalid. */
export function toEndpoint(given: string, options: ClientOptions): ClientEndpoint {
  const { login, token, name, headers } = options;
  if (!/^https?:/.test(given)) throw new TypeError(`${given} is not http.`);
  const url = given.replace(/\/$/, '');
  for (const part of ['email', 'apiKey'] as const) {
    if (login && !login[part]) throw new TypeError(`login.${part} is ${JSON.stringify(login[part])}.`);
  }
  // The value of an environment variable that is not set.
  if ('token' in options && !token) throw new TypeError(`token is ${JSON.stringify(token)}.`);
  return {
    url,
    address: `${url}/api/v1`,
    headers: {
      Authorization: token ? `Bearer ${token}` : login && `Basic ${base64(`${login.email}:${login.apiKey}`)}`,
      'User-Agent': name ? `${name}/1` : undefined,
      ...headers,
    },
  };
}

/** Base64 of the UTF-8 bytes: `btoa` alone fails for characters beyond U+00FF. */
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
