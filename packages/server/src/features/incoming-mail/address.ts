import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Db } from '@parley/db';
import { findSecret, type SaltedRealm, type Secrets } from '../../core/secrets.ts';
import { findEmailVersion } from '../streams/index.ts';
import { MAC_LENGTH, parseStreamId } from './rules.ts';

interface AddressedStream {
  readonly id: number;
  readonly email_version: number;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * Unguessable part of a stream's email address: HMAC of its id and version, and the id. Derived and not stored, like API keys; in
 * lower case, because mail servers need not keep the case. Raising the version ends the addresses before it.
 */
export function deriveMailToken(secret: string, realm: SaltedRealm, { id, email_version }: AddressedStream): string {
  const input = `stream-email:${realm.key_salt}:${realm.id}:${id}:${email_version}`;
  const digest = createHmac('sha256', secret).update(input).digest();
  const mac = [...digest.subarray(0, MAC_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `${mac}${id.toString(36)}`;
}

interface FoundStream {
  readonly id: number;
  /** The secret that the token was made with; undefined if it is not a valid token. */
  readonly secret: keyof Secrets;
}

/** The stream that has this token now. */
export async function findStreamByToken(
  db: Db,
  secrets: Secrets,
  realm: SaltedRealm,
  token: string,
): Promise<FoundStream | undefined> {
  const id = parseStreamId(token);
  const email_version = id === undefined ? undefined : await findEmailVersion(db, realm.id, id);
  if (id === undefined || email_version === undefined) return undefined;
  const secret = findSecret(secrets, (one) => isEqual(deriveMailToken(one, realm, { id, email_version }), token));
  return secret && { id, secret };
}

/** Compares in constant time. */
function isEqual(expected: string, token: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}
