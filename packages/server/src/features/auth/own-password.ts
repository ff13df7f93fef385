import type { Ctx } from '../../core/context.ts';
import { failForbidden, failInvalid, failLimitReached } from '../../core/errors.ts';
import type { PasswordLimiting } from '../../core/rate-limits.ts';
import { requireAttemptsLeft, runCountedAttempt } from './attempts.ts';
import { verifyPassword } from './passwords.ts';
import { findPasswordHash } from './queries.ts';
import { hasPasswords } from './rules.ts';

/** Verifies the current password of the caller, and returns its hash. */
export async function requireOwnPassword(
  ctx: Ctx<PasswordLimiting>,
  old_password: string | undefined,
): Promise<string> {
  if (!hasPasswords(ctx.realm.settings.authentication_methods)) {
    failForbidden('new_password: login with a password is disabled in this organization.');
  }
  if (old_password === undefined) failInvalid('old_password: it is required to set a new one.');
  const password_hash = await findPasswordHash(ctx.db, ctx.me);
  const spent = (wait: number): never =>
    failLimitReached(`old_password: too many wrong ones. Try again in ${Math.ceil(wait)} seconds.`);
  const { id, realm_id } = ctx.me;
  // A separate counter: failed logins of others do not keep the user from changing their password.
  const attempt = { purpose: 'old_password', realm_id, username: String(id), network: '' } as const;
  await requireAttemptsLeft(ctx, attempt, spent);
  const lane = `account:${realm_id}:${id}`;
  const right = await runCountedAttempt(ctx, attempt, spent, () => verifyPassword(password_hash, old_password, lane));
  return right && password_hash !== null ? password_hash : failWrongPassword();
}

export const failWrongPassword = (): never => failInvalid('old_password: this is not your password.');
