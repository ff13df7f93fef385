import type { Realm, User } from '../../core/context.ts';
import { fail } from '../../core/errors.ts';
import type { Secrets } from '../../core/secrets.ts';
import { findSecretOfKey } from './keys.ts';

/** Bots of this type can only send messages (docs/behaviour/bots.md#incoming-webhooks). */
export const INCOMING_WEBHOOK = 2;

/** An email address and an API key; undefined: the request has none, or none that can be parsed. */
export type BasicCredentials = { readonly email: string; readonly key: string } | undefined;

/** The Basic credentials of an `Authorization` header. */
export function readCredentials(header: string | undefined): BasicCredentials {
  // A header can have tens of thousands of words: three say that there are too many.
  const [scheme, encoded, ...more] = (header ?? '').trim().split(/\s+/, 3);
  if (scheme?.toLowerCase() !== 'basic' || encoded === undefined || more.length > 0) return undefined;
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) return undefined;
  const parts = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  const [email, key] = parts;
  if (parts.length !== 2 || email === undefined || key === undefined || email.includes('\0')) return undefined;
  return { email: email.trim(), key: key.trim() };
}

export interface KeyCheck {
  readonly secrets: Secrets;
  /** Called when a valid key was made with the previous secret. */
  readonly secretGuard: { recordPrevious(): void };
}

/**
 * Returns the account of these credentials, if they are correct and the account can be used
 * (docs/behaviour/auth.md#api-keys).
 */
export function authenticate(
  { secrets, secretGuard }: KeyCheck,
  realm: Realm,
  account: User | null,
  credentials: BasicCredentials,
): User {
  if (!credentials) {
    return fail('UNAUTHORIZED', 'Log in with HTTP Basic credentials: your email and your API key.');
  }
  if (!account || account.is_system_bot) return fail('INVALID_API_KEY', 'Invalid API key.');
  const secret = findSecretOfKey(secrets, realm, account, credentials.key);
  if (secret === undefined) return fail('INVALID_API_KEY', 'Invalid API key.');
  if (secret === 'previous') secretGuard.recordPrevious();
  if (realm.deactivated) fail('REALM_DEACTIVATED', 'This organization has been deactivated.');
  if (!account.is_active) fail('USER_DEACTIVATED', 'This account has been deactivated.');
  return account;
}
