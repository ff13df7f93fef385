import type { ClientOptions } from './options.ts';

/** The API of an organization, and the headers of every request to it. */
export interface ClientEndpoint {
  /** The URL of the organization, without a slash at its end. */
  readonly url: string;
  readonly address: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Returns the endpoint of a client's requests. Throws a TypeError if the URL or the credentials are invalid. */
export function toEndpoint(organizationUrl: string, options: ClientOptions): ClientEndpoint {
  const { login, token, name, headers } = options;
  if (!/^https?:/.test(organizationUrl)) throw new TypeError(`${organizationUrl} is not http.`);
  const url = organizationUrl.replace(/(\/api\/v1)?\/?$/, '');
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

/**
 * Keeps a browser from adding credentials of its own, and from asking the user for some in a dialog when those of the client are wrong. Absent where
 * requests know no such thing, as in some workers, which reject the option.
 */
export const omitCredentials = (): Pick<RequestInit, 'credentials'> =>
  'credentials' in Request.prototype ? { credentials: 'omit' } : {};

/** Base64 of the UTF-8 bytes; `btoa` alone fails for some characters, and encodes an umlaut differently. */
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
