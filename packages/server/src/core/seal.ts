import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SaltedRealm, Secrets } from './secrets.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

const keyOf = (secret: string, { id, key_salt }: SaltedRealm): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, key_salt, `sealed:${id}`, 32));

/** Encrypts a text so that only processes with the same secret can read it, and only for the same organization. */
export function seal({ current }: Secrets, realm: SaltedRealm, text: string): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(ALGORITHM, keyOf(current, realm), nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
}

/** Decrypts it; fails if it was encrypted with another secret or for another organization, or was changed. */
export function unseal({ current, previous }: Secrets, realm: SaltedRealm, sealed: string): string {
  if (previous === undefined) return unsealWith(current, realm, sealed);
  try {
    return unsealWith(current, realm, sealed);
  } catch {
    return unsealWith(previous, realm, sealed);
  }
}

function unsealWith(secret: string, realm: SaltedRealm, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(ALGORITHM, keyOf(secret, realm), bytes.subarray(0, NONCE), {
    authTagLength: TAG,
  });
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString('utf8');
}
