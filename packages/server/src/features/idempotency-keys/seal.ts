import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const METHOD = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

/** An answer as it is stored: some have API keys in them, and nothing secret lies readable in the database. */
export function sealed(secret: string, answer: object): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(METHOD, keyOf(secret), nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(answer), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
}

export function opened(secret: string, stored: string): unknown {
  const bytes = Buffer.from(stored, 'base64');
  const decipher = createDecipheriv(METHOD, keyOf(secret), bytes.subarray(0, NONCE));
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
  return JSON.parse(`${decipher.update(bytes.subarray(NONCE + TAG), undefined, 'utf8')}${decipher.final('utf8')}`);
}

const keyOf = (secret: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', 'parley: answers to writes', 32));
