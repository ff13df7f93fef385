import type { PublicCtx } from '../../core/context.ts';
import type { PasswordAttempt, PasswordLimiting } from '../../core/rate-limits.ts';
import { isKnownNetwork, recordLoginNetwork } from './networks.ts';
import { runInTurn } from './passwords.ts';

/** Throws the rate limit error for a client that has to wait so many seconds. */
type FailTooMany = (wait: number) => never;

/** Fails after too many wrong passwords (docs/behaviour/rate-limits.md#wrong-passwords). */
export async function requireAttemptsLeft(
  ctx: PublicCtx<PasswordLimiting>,
  attempt: PasswordAttempt,
  failTooMany: FailTooMany,
): Promise<void> {
  const { network, all } = await ctx.server.limits.passwordWait(attempt);
  if (network > 0) failTooMany(network);
  // Attempts from other networks must not lock the account out of the networks that it logs in from.
  if (all > 0 && !(await isKnownNetwork(ctx, attempt))) failTooMany(all);
}

/**
 * Checks a password with `check`, and counts a failure: `false` or undefined. The counters are read again in turn: they
 * may have grown while this attempt waited. A check that throws is not counted.
 */
export function runCountedAttempt<T>(
  ctx: PublicCtx<PasswordLimiting>,
  attempt: PasswordAttempt,
  failTooMany: FailTooMany,
  check: () => Promise<T>,
): Promise<T> {
  const { limits } = ctx.server;
  const { purpose, realm_id, username, network } = attempt;
  return runInTurn(JSON.stringify([purpose, realm_id, username, network]), async () => {
    await requireAttemptsLeft(ctx, attempt, failTooMany);
    const found = await check();
    if (!found) await limits.passwordFailed(attempt);
    else {
      await limits.passwordSucceeded(attempt);
      if (purpose !== 'old_password') await recordLoginNetwork(ctx, attempt);
    }
    return found;
  });
}
