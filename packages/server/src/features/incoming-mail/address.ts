import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Db } from '@parley/db';
import { findEmailVersion } from '../streams/index.ts';
import { idOf, MAC_LENGTH } from './rules.ts';

interface AddressedStream {
  readonly realm_id: number;
  readonly id: number;
  readonly email_version: number;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * Unguessable part of a stream's email address: HMAC of its id and version, and the id. Derived and not stored, like API keys; in
 * lower case, because mail servers need not keep the case. Raising the version ends the addresses before it.
 */
export function mailTokenOf(secret: string, { realm_id, id, email_version }: AddressedStream): string {
  // The first version is the address that streams had when there were no versions.
  const version = email_version === 1 ? '' : `:${email_version}`;
  const digest = createHmac('sha256', secret).update(`stream-email:${realm_id}:${id}${version}`).digest();
  const mac = [...digest.subarray(0, MAC_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `${mac}${id.toString(36)}`;
}

/** The id of the stream that has this token now, compared in a time that does not tell how much of the token was right. */
export async function findStreamByToken(
  db: Db,
  secret: string,
  realm_id: number,
  token: string,
): Promise<number | undefined> {
  const id = idOf(token);
  const email_version = id === undefined ? undefined : await findEmailVersion(db, realm_id, id);
  if (id === undefined || email_version === undefined) return undefined;
  const [given, expected] = [Buffer.from(token), Buffer.from(mailTokenOf(secret, { realm_id, id, email_version }))];
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : undefined;
}
