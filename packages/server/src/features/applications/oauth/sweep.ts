import type { Realm } from '../../../core/context.ts';
import { type Engine, transact } from '../../../core/transaction.ts';
import { deleteCodesExpiredBefore, listLapsedTokensForUpdate, listRealmsWithLapsedTokens } from '../queries.ts';
import { endApplicationTokens } from '../tokens.ts';

const DAY = 24 * 3600 * 1000;

/**
 * Deletes codes a day after they expired, so that reuse is detected until then, and tokens that cannot be refreshed
 * anymore.
 */
export async function sweepAuthorizations(app: Engine, realms: readonly Realm[]): Promise<void> {
  const now = app.clock();
  const { db } = app.database;
  await deleteCodesExpiredBefore(db, new Date(now.getTime() - DAY));
  const lapsed = new Set(await listRealmsWithLapsedTokens(db, now));
  for (const realm of realms.filter(({ id }) => lapsed.has(id)))
    await transact(app, { realm, me: undefined, client: 'Parley' }, async (ctx) =>
      endApplicationTokens(ctx, await listLapsedTokensForUpdate(ctx.db, realm.id, ctx.now)),
    );
}
