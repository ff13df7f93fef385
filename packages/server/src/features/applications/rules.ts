import { tokenNameProblem } from '../tokens/index.ts';

/** The problem of an application's name, if there is one. The name must be trimmed. */
export const applicationNameProblem = tokenNameProblem;

/** A loopback address of the user's device, with its port. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(:\d{1,5})?(?=[/?]|$)/;
/** A private-use scheme of a native application: the reversed domain of its maker, so that it is unique. */
const OWN_SCHEME = /^[a-z][a-z\d+-]*(\.[a-z\d+-]+)+:$/;

/** The reason why users cannot be redirected to an address; undefined if they can. */
export function redirectUriProblem(uri: string): string | undefined {
  const named = `redirect_uris: ${JSON.stringify(uri)}`;
  if (!/^[\x21-\x7e]+$/.test(uri) || !URL.canParse(uri)) return `${named} is not an absolute URI.`;
  const url = new URL(uri);
  if (url.hash !== '' || uri.includes('#')) return `${named} must have no fragment.`;
  if (url.username !== '' || url.password !== '') return `${named} must have no user name and no password.`;
  const isAllowed = url.protocol === 'https:' || LOOPBACK.test(uri) || OWN_SCHEME.test(url.protocol);
  if (!isAllowed)
    return `${named} must begin with https, with http and 127.0.0.1, [::1] or localhost, or with a scheme that has a dot.`;
  // Browsers are redirected to the registered text, so every browser must parse it as the server does.
  if (url.href !== uri && url.href !== `${uri}/`) return `${named} must be written as ${JSON.stringify(url.href)}.`;
  return undefined;
}

const withoutPort = (uri: string): string => uri.replace(LOOPBACK, '$1');

/**
 * Whether an application registered this address: an exact match, except for the port on the user's own device, where
 * native applications take any free port (RFC 8252).
 */
export function hasRedirectUri(registered: readonly string[], uri: string): boolean {
  if (registered.includes(uri)) return true;
  return LOOPBACK.test(uri) && URL.canParse(uri) && registered.map(withoutPort).includes(withoutPort(uri));
}

/** A short description of where a user is redirected. */
export function describeRedirect(uri: string): string {
  if (LOOPBACK.test(uri)) return 'a program on this device';
  const { protocol, host } = new URL(uri);
  return protocol === 'https:' ? host : `the application of ${protocol.slice(0, -1)} on this device`;
}

/** A source expression of a Content-Security-Policy for an address. There is none for the host [::1]. */
export function toPolicySource(uri: string): string {
  const { protocol, host } = new URL(uri);
  if (protocol === 'https:') return `https://${host}`;
  return protocol === 'http:' && !host.startsWith('[') ? `http://${host}` : protocol;
}

/** The address with parameters added to its query. */
export function addQuery(uri: string, params: Readonly<Record<string, string | undefined>>): string {
  const present = Object.entries(params).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(present)}`;
}

export const isWithin = <T>(some: readonly T[], all: readonly T[]): boolean => some.every((one) => all.includes(one));
