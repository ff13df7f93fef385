// What the database stores of a secret: enough to recognize it, and useless for finding it.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { LRUCache } from 'lru-cache';

const derive = promisify(scrypt) as (secret: string, salt: Buffer, length: number) => Promise<Buffer>;
const SALT = 16;
const LENGTH = 32;

/** Different each time; `isFingerprintOf` recognizes it. */
export async function fingerprintOf(secret: string): Promise<string> {
  const salt = randomBytes(SALT);
  return `${salt.toString('base64url')}.${(await derive(secret, salt, LENGTH)).toString('base64url')}`;
}

/** The last results. A process checks the same secrets several times, and each check takes 50 ms of a processor. */
const results = new LRUCache<string, Promise<boolean>>({ max: 10 });

export function isFingerprintOf(secret: string, fingerprint: string): Promise<boolean> {
  const key = `${fingerprint} ${secret}`;
  const result = results.get(key) ?? compare(secret, fingerprint);
  results.set(key, result);
  result.catch(() => results.delete(key));
  return result;
}

async function compare(secret: string, fingerprint: string): Promise<boolean> {
  const [salt, hash] = fingerprint.split('.').map((part) => Buffer.from(part, 'base64url'));
  return salt?.length === SALT && hash?.length === LENGTH && timingSafeEqual(await derive(secret, salt, LENGTH), hash);
}
