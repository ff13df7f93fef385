import { createHmac, timingSafeEqual } from 'node:crypto';
import { idOf, MAC_LENGTH } from './rules.ts';

interface Of {
  readonly realm_id: number;
  readonly id: number;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * What nobody can guess of a stream's address: a keyed digest, and the stream's id. Derived and not stored, like API keys; in small
 * letters, because mail servers need not keep the case.
 */
export function mailTokenOf(secret: string, { realm_id, id }: Of): string {
  const digest = createHmac('sha256', secret).update(`stream-email:${realm_id}:${id}`).digest();
  const mac = [...digest.subarray(0, MAC_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `${mac}${id.toString(36)}`;
}

/** The stream that the token is of, compared in a time that does not tell how much of it was right. */
export function streamOfToken(secret: string, realm_id: number, token: string): number | undefined {
  const id = idOf(token);
  if (id === undefined) return undefined;
  const [given, expected] = [Buffer.from(token), Buffer.from(mailTokenOf(secret, { realm_id, id }))];
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : undefined;
}
