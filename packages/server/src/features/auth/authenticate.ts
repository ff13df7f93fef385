import type { Db } from '@parley/db';
import type { Realm, User } from '../../core/context.ts';
import { refuse } from '../../core/errors.ts';
import { isApiKeyOf } from './keys.ts';
import { findAccount } from './queries.ts';

/** Bots of this type may only send messages (behaviour 3.7). */
export const INCOMING_WEBHOOK = 2;

/** The account whose Basic credentials a request carries (behaviour 1.5). */
export async function authenticate(db: Db, secret: string, realm: Realm, header: string | undefined): Promise<User> {
  const [email, key] = credentials(header);
  const user = await findAccount(db, realm.id, email);
  if (!user || user.is_system_bot || !isApiKeyOf(secret, user, key)) refuse('INVALID_API_KEY', 'Invalid API key.');
  if (realm.deactivated) refuse('REALM_DEACTIVATED', 'This organization has been deactivated.');
  if (!user.is_active) refuse('USER_DEACTIVATED', 'This account has been deactivated.');
  return user;
}

function credentials(header: string | undefined): [string, string] {
  const [scheme, encoded, ...more] = (header ?? '').trim().split(/\s+/);
  if (scheme?.toLowerCase() !== 'basic' || encoded === undefined || more.length > 0) unreadable();
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) unreadable();
  const parts = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  const [email, key] = parts;
  if (parts.length !== 2 || email === undefined || key === undefined || email.includes('\0')) unreadable();
  return [email.trim(), key.trim()];
}

function unreadable(): never {
  return refuse('UNAUTHORIZED', 'Log in with HTTP Basic credentials: your email and your API key.');
}
