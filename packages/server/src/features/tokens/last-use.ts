import type { PublicCtx } from '../../core/context.ts';
import { type TokenRow, updateLastUsed } from './queries.ts';

/** How long it is not written again that a token is in use: milliseconds. */
const USE_WRITTEN_EVERY = 60_000;

/** Writes down that a token is in use, at most once a minute. */
export async function recordTokenUse({ db, now }: Pick<PublicCtx, 'db' | 'now'>, token: TokenRow): Promise<void> {
  const stale = new Date(now.getTime() - USE_WRITTEN_EVERY);
  if (token.last_used_at !== null && token.last_used_at > stale) return;
  await updateLastUsed(db, token, now, stale);
}
