import type { PublicCtx } from '../../core/context.ts';
import { isPasswordOf, oneByOne } from './passwords.ts';

/** What to say to somebody who tried too often and has to wait so many seconds. */
type Spent = (wait: number) => never;

/** Refuses if there were too many wrong passwords for this user name (behaviour 1.6). */
export async function checkAttempts(ctx: PublicCtx, username: string, spent: Spent): Promise<void> {
  const wait = await ctx.server.limits.passwordWait(ctx.realm.id, username);
  if (wait > 0) spent(wait);
}

/** Checks a password and counts a failure. The count is looked at in turn: it may have grown while this one waited. */
export function isRightPassword(
  ctx: PublicCtx,
  { username, password, password_hash }: { username: string; password: string; password_hash: string | null },
  spent: Spent,
): Promise<boolean> {
  const { limits } = ctx.server;
  return oneByOne(`${ctx.realm.id}:${username}`, async () => {
    await checkAttempts(ctx, username, spent);
    const right = await isPasswordOf(password_hash, password);
    await (right ? limits.passwordSucceeded(ctx.realm.id, username) : limits.passwordFailed(ctx.realm.id, username));
    return right;
  });
}
