import { createHash, timingSafeEqual } from 'node:crypto';
import { generateRandomText } from '../tokens/index.ts';

export const generateClientSecret = (): string => `parley_client_${generateRandomText()}`;

/**
 * The hash that the database stores of an application's secret. It does not depend on the server's secret, which can be
 * replaced: an application's secret is useless without the consent of a user.
 */
export const hashClientSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** Compares in constant time. */
export function isClientSecret(hash: string, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hash), Buffer.from(hashClientSecret(secret)));
}
