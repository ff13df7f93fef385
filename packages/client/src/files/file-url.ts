import type { Client } from '../client.ts';

/** Milliseconds for which a URL is returned again. The server accepts it for twice as long. */
const LIFETIME = 30_000;

interface KnownAddress {
  readonly address: Promise<string>;
  readonly until: number;
}

const known = new WeakMap<Client, Map<string, KnownAddress>>();

/**
 * Returns the absolute URL of a file or a picture, for elements that cannot send credentials: an `<img>`, a `<video>`,
 * a download link. The URL of a file of a message is temporary: it is valid for 60 seconds, and only while the user can
 * read the file, so request it when you show the file. A repetition within 30 seconds sends no request and returns the
 * same URL. Avatars, custom emoji and URLs of other servers need no request.
 *
 * A page of another site needs `crossorigin="anonymous"` on the element.
 *
 * @param client - The client of a user.
 * @param uri - The `uri` of an upload, an `avatar_url`, a `source_url` of an emoji, or an `href` or `src` of a message that is HTML.
 * @throws {ParleyError} `BAD_REQUEST` if the file does not exist or the user cannot read it; and the other errors of
 * `getFileUrl`.
 * @throws {TypeError} The URL is not an http or https URL.
 * @since Feature level 237.
 * @see `/docs/guides/files/` on your server
 * @example
 * import { fileUrl } from '@parley/client/files';
 * const { uri } = await client.uploadFile({ file });
 * image.src = await fileUrl(client, uri);
 */
export async function fileUrl(client: Client, uri: string): Promise<string> {
  const base = new URL(`${client.url}/`).href.slice(0, -1);
  // A path belongs to the organization, even if the organization's URL has a path of its own.
  const { href, protocol } = new URL(/^\/(?![/\\])/.test(uri) ? base + uri : uri, base);
  if (!/^https?:$/.test(protocol)) throw new TypeError(`${uri} is not http.`);
  const path = href.startsWith(`${base}/`) ? href.slice(base.length) : '';
  const [, realm_id, upload_key, name] = /^\/user_uploads\/(\d+)\/([^/?#]+)\/([^/?#]+)/.exec(path) ?? [];
  if (!realm_id || !upload_key || !name) return href;
  const address = { realm_id: Number(realm_id), upload_key, file_name: decodeURIComponent(name) };
  return remember(client, href, () => client.getFileUrl(address).then(({ url }) => base + url));
}

function remember(client: Client, key: string, request: () => Promise<string>): Promise<string> {
  const addresses = known.get(client) ?? new Map<string, KnownAddress>();
  known.set(client, addresses);
  // The oldest come first.
  for (const [old, { until }] of addresses) {
    if (until > Date.now()) break;
    addresses.delete(old);
  }
  const found = addresses.get(key);
  if (found) return found.address;
  const address = request();
  addresses.set(key, { address, until: Date.now() + LIFETIME });
  address.catch(() => addresses.delete(key));
  return address;
}
