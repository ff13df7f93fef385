import { createHash, timingSafeEqual } from 'node:crypto';
import { generateRandomText } from '../tokens/index.ts';

export const generateClientSecret = (): string => `parley_client_${generateRandomText()}`;

/**
 * What the database has of the secret of an application. Without the secret of the server, which may be replaced: only applications with the consent
 * of a user get something for it.
 */
export const hashClientSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** Compares in a time that does not depend on how much of the secret was right. */
export function isClientSecret(hash: string, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hash), Buffer.from(hashClientSecret(secret)));
}
