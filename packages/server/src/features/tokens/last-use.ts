import type { PublicCtx } from '../../core/context.ts';
import { type TokenRow, updateLastUsed } from './queries.ts';

/** Milliseconds within which the use of a token is not stored again. */
const USE_UPDATE_INTERVAL = 60_000;

/** Stores that a token is in use, at most once a minute. */
export async function recordTokenUse({ db, now }: Pick<PublicCtx, 'db' | 'now'>, token: TokenRow): Promise<void> {
  const stale = new Date(now.getTime() - USE_UPDATE_INTERVAL);
  if (token.last_used_at !== null && token.last_used_at > stale) return;
  await updateLastUsed(db, token, now, stale);
}
