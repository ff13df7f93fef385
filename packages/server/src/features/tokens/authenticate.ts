import { isExpired } from '../../core/access-token.ts';
import type { Realm, User } from '../../core/context.ts';
import { fail } from '../../core/errors.ts';
import type { KeyCheck } from '../auth/index.ts';
import type { TokenRow } from './queries.ts';
import { listHashes } from './secret.ts';

/** The result of looking up a token. */
export interface FoundToken {
  readonly account: User | null;
  /** Null: the organization has no such token. */
  readonly token: TokenRow | null;
}

export interface TokenCheck extends KeyCheck {
  readonly clock: () => Date;
}

/** Returns the account that a token acts as, if the token is valid and the account can be used. */
export function authenticateToken(
  { secrets, secretGuard, clock }: TokenCheck,
  realm: Realm,
  { account, token }: FoundToken,
  presented: string,
): User {
  if (!account || !token) return fail('INVALID_TOKEN', 'Invalid token: it is unknown, or was revoked.');
  if (isExpired(token, clock())) fail('INVALID_TOKEN', 'Invalid token: it has expired.');
  if (token.hash !== listHashes(secrets, presented).hash) secretGuard.recordPrevious();
  if (realm.deactivated) fail('REALM_DEACTIVATED', 'This organization has been deactivated.');
  if (!account.is_active) fail('USER_DEACTIVATED', 'This account has been deactivated.');
  return account;
}
