import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SaltedRealm, Secrets } from './secrets.ts';

/** What a text is sealed for. Each purpose has keys of its own, so a text that was sealed for one cannot be read for another. */
export type SealPurpose = 'email' | 'file_ticket' | 'idempotent_response' | SignInSealPurpose;

/** The state of a sign-in in the database, and the two texts that a browser carries to the next request. */
export type SignInSealPurpose = 'sign_in_state' | 'sign_in_arrival' | 'sign_in_grant';

export interface Sealing {
  /** A text that only processes with the same secret can read, and only for the same purpose and organization. */
  readonly seal: (purpose: SealPurpose, realm: SaltedRealm, text: string) => string;
  /** Reads it; fails for what was not written so. */
  readonly unseal: (purpose: SealPurpose, realm: SaltedRealm, sealed: string) => string;
}

const ALGORITHM = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

const labelOf = (purpose: SealPurpose, { id }: SaltedRealm): string => `sealed:${purpose}:${id}`;

/** Before purposes had keys of their own, one key sealed all texts of an organization. */
const formerLabelOf = ({ id }: SaltedRealm): string => `sealed:${id}`;

/** Texts that the database keeps for a day: those that were sealed with the former key are still read. */
const STORED_PURPOSES: ReadonlySet<SealPurpose> = new Set<SealPurpose>(['email', 'idempotent_response']);

const keyOf = (secret: string, { key_salt }: SaltedRealm, label: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, key_salt, label, 32));

/** @see Sealing */
export function seal({ current }: Secrets, purpose: SealPurpose, realm: SaltedRealm, text: string): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(ALGORITHM, keyOf(current, realm, labelOf(purpose, realm)), nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
}

/** @throws when it was sealed with another secret, for another purpose or organization, or changed. */
export function unseal(secrets: Secrets, purpose: SealPurpose, realm: SaltedRealm, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  let failure: unknown;
  for (const key of keysOf(secrets, purpose, realm)) {
    try {
      return decrypt(key, bytes);
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

/** The keys that a text may have been sealed with, the most likely first. */
function* keysOf({ current, previous }: Secrets, purpose: SealPurpose, realm: SaltedRealm): Generator<Buffer> {
  const labels = [labelOf(purpose, realm), ...(STORED_PURPOSES.has(purpose) ? [formerLabelOf(realm)] : [])];
  for (const label of labels) {
    yield keyOf(current, realm, label);
    if (previous !== undefined) yield keyOf(previous, realm, label);
  }
}

function decrypt(key: Buffer, bytes: Buffer): string {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString('utf8');
}
