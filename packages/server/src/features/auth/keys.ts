import { createHmac, timingSafeEqual } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 32;

/** Whose key it is. Raising `key_version` makes every earlier key a wrong one. */
export interface Holder {
  readonly realm_id: number;
  readonly id: number;
  readonly key_version: number;
}

/** Keys are derived and never stored: whoever reads the database cannot log in with what is in it. */
export function apiKeyOf(secret: string, { realm_id, id, key_version }: Holder): string {
  const digest = createHmac('sha256', secret).update(`api-key:${realm_id}:${id}:${key_version}`).digest('hex');
  let rest = BigInt(`0x${digest}`);
  let key = '';
  while (key.length < LENGTH) {
    key += ALPHABET[Number(rest % 62n)];
    rest /= 62n;
  }
  return key;
}

/** Compares in a time that does not tell how much of the key was right. */
export function isApiKeyOf(secret: string, holder: Holder, key: string): boolean {
  const expected = Buffer.from(apiKeyOf(secret, holder));
  const given = Buffer.from(key);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
