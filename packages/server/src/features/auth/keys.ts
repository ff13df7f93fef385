import { createHmac, timingSafeEqual } from 'node:crypto';
import { findSecret, type SaltedRealm, type Secrets } from '../../core/secrets.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 32;

/** The account of a key. Raising `key_version` invalidates all its earlier keys. */
export interface KeyHolder {
  readonly id: number;
  readonly key_version: number;
}

/** Derives the key. Keys are not stored, so a reader of the database cannot log in. */
export function deriveApiKey(secret: string, realm: SaltedRealm, holder: KeyHolder): string {
  const { key_salt } = realm;
  const { key_version } = holder;
  const name = `${realm.id}:${holder.id}`;
  const known = derived.get(name);
  if (known?.secret === secret && known.key_salt === key_salt && known.key_version === key_version) return known.key;
  const key = deriveKey(secret, realm, holder);
  derived.set(name, { secret, key_salt, key_version, key });
  if (derived.size > CAPACITY) derived.delete(derived.keys().next().value ?? name);
  return key;
}

interface DerivedKey {
  readonly secret: string;
  readonly key_salt: string;
  readonly key_version: number;
  readonly key: string;
}

/**
 * Keys that were derived, by account, with all that they derive from. The process has the secret in memory as well, so this tells a reader of
 * its memory nothing new.
 */
const derived = new Map<string, DerivedKey>();
/** Accounts: about 3 MB. */
const CAPACITY = 10_000;

function deriveKey(secret: string, realm: SaltedRealm, { id, key_version }: KeyHolder): string {
  const input = `api-key:${realm.key_salt}:${realm.id}:${id}:${key_version}`;
  let rest = BigInt(`0x${createHmac('sha256', secret).update(input).digest('hex')}`);
  let key = '';
  while (key.length < LENGTH) {
    key += ALPHABET[Number(rest % 62n)];
    rest /= 62n;
  }
  return key;
}

/** The secret that the key was made with; undefined if it is not a key of the account. */
export function findSecretOfKey(
  secrets: Secrets,
  realm: SaltedRealm,
  holder: KeyHolder,
  key: string,
): keyof Secrets | undefined {
  return findSecret(secrets, (secret) => isEqual(deriveApiKey(secret, realm, holder), key));
}

/** Compares in constant time. */
function isEqual(expected: string, key: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(key)];
  return one.length === other.length && timingSafeEqual(one, other);
}
