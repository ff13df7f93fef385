// The part of an IP address by which the server counts: a client can have many addresses of one network.
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';

/** For a peer without an IP address, such as a Unix socket, and for invalid addresses from a proxy. */
const UNKNOWN = 'unknown';

/** Characters of the longest IPv6 address with brackets, a zone and a port. */
const LONGEST = 64;

/** Parsing an IPv6 address takes microseconds, and each request does it several times. */
const addresses = new LRUCache<string, string>({ max: 10_000 });

/** The address that requests are counted by: an IPv4 address, or the /64 of an IPv6 address. Never a port. */
export function toAddress(ip = ''): string {
  // What a proxy sends may be long; an address is not.
  if (ip.length > LONGEST) return parseAddress(ip);
  const known = addresses.get(ip);
  if (known !== undefined) return known;
  const address = parseAddress(ip);
  addresses.set(ip, address);
  return address;
}

function parseAddress(ip: string): string {
  const plain = withoutPort(ip);
  if (isIPv4(plain)) return plain;
  return isIPv6(plain) ? toPrefix(plain) : UNKNOWN;
}

/** The network that wrong passwords are counted by: the /24 of an IPv4 address, or the /64 of an IPv6 address. */
export function toNetwork(ip: string | undefined): string {
  const address = toAddress(ip);
  return isIPv4(address) ? `${address.slice(0, address.lastIndexOf('.'))}.0/24` : address;
}

/** Some proxies append the port of the client: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const bare = text.trim().replace(/^\[([^\]]*)\](:\d+)?$/, '$1');
  const [address = ''] = isIP(bare) ? [bare] : bare.split(':');
  const [plain = ''] = (isIP(address) ? address : '').split('%');
  return plain;
}

/** The first four groups in canonical form; for an IPv4-mapped IPv6 address, the IPv4 address. */
function toPrefix(address: string): string {
  // Node writes addresses in URLs in canonical form: lower case, the longest run of zeros as `::`.
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - groups.length - after.length;
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...after];
  const isMapped = all.slice(0, 6).join() === '0,0,0,0,0,ffff';
  return isMapped ? toIPv4(all) : `${all.slice(0, 4).join(':')}::/64`;
}

/** The last two groups as an IPv4 address. */
function toIPv4(groups: readonly string[]): string {
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff])
    .join('.');
}
