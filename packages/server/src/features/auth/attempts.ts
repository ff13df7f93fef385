import type { PublicCtx } from '../../core/context.ts';
import { oneByOne } from './passwords.ts';

/** What to say to somebody who tried too often and has to wait so many seconds. */
type Spent = (wait: number) => never;

/** Refuses if there were too many wrong passwords for this user name (behaviour 1.6). */
export async function checkAttempts(ctx: PublicCtx, username: string, spent: Spent): Promise<void> {
  const wait = await ctx.server.limits.passwordWait(ctx.realm.id, username);
  if (wait > 0) spent(wait);
}

/**
 * Checks a password by `attempt`, and counts a failure: `false` or nothing. The count is looked at in turn: it may have grown
 * while this one waited. An attempt that could not be made is not counted.
 */
export function counted<T>(ctx: PublicCtx, username: string, spent: Spent, attempt: () => Promise<T>): Promise<T> {
  const { limits } = ctx.server;
  return oneByOne(`${ctx.realm.id}:${username}`, async () => {
    await checkAttempts(ctx, username, spent);
    const found = await attempt();
    await (found ? limits.passwordSucceeded(ctx.realm.id, username) : limits.passwordFailed(ctx.realm.id, username));
    return found;
  });
}
