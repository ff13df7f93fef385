import type { Client } from '../client.ts';

/** Milliseconds for which an address is given again. The server accepts it for twice as long. */
const KEPT = 30_000;

interface KnownAddress {
  readonly address: Promise<string>;
  readonly until: number;
}

const known = new WeakMap<Client, Map<string, KnownAddress>>();

/**
 * The absolute address of a file or a picture, for what cannot send credentials: an `<img>`, a `<video>`, a link to download. Of a file of a message
 * it is a temporary one: it is for this user, who can read the file, and for 60 seconds, so ask when you show the file. When you ask again within 30 seconds, no
 * request is sent, and the address is the same. Avatars, custom emoji and addresses elsewhere need no request.
 *
 * A page of another site needs `crossorigin="anonymous"` on the element.
 *
 * @param client - The client of a user.
 * @param uri - The `uri` of an upload, an `avatar_url`, a `source_url` of an emoji, or an `href` or `src` of a message that is HTML.
 * @throws {ParleyError} `BAD_REQUEST` if there is no such file or the user cannot read it, and what else `getFileUrl` throws.
 * @throws {TypeError} The address is none of the web.
 * @since Feature level 237.
 * @see `/docs/guides/files/` on your server
 * @example
 * import { fileUrl } from '@parley/client/files';
 * const { uri } = await client.uploadFile({ file });
 * image.src = await fileUrl(client, uri);
 */
export async function fileUrl(client: Client, uri: string): Promise<string> {
  const base = new URL(`${client.url}/`).href.slice(0, -1);
  // A path is one of the organization, also where that is below a path of its own.
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
  addresses.set(key, { address, until: Date.now() + KEPT });
  address.catch(() => addresses.delete(key));
  return address;
}
