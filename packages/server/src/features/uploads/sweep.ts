import type { PublicCtx } from '../../core/context.ts';
import type { Engine } from '../../core/transaction.ts';
import { transact } from '../../core/transaction.ts';
import { findRealmById, type Place, presentRealm } from '../realm/index.ts';
import { takeSpace } from './queries/space.ts';
import { deleteUnlinked, listRealmsToSweep, noteUnlinked } from './queries/sweep.ts';
import { KEPT_UNLINKED } from './rules.ts';

/** Files of one transaction. */
const BATCH = 20;

/** Removes files that nothing has linked for a while, and tells whose they were. */
export async function sweepUploads(engine: Engine & { readonly place: Place }): Promise<'more' | undefined> {
  const now = engine.clock();
  const before = new Date(now.getTime() - KEPT_UNLINKED);
  const { db } = engine.database;
  await noteUnlinked(db, now);
  let more = false;
  for (const realm_id of await listRealmsToSweep(db, before)) {
    const row = await findRealmById(db, realm_id);
    if (!row) continue;
    const caller = { realm: presentRealm(engine.place, row), me: undefined, client: 'Parley' };
    if ((await transact(engine, caller, (ctx) => sweepSome(ctx, before))) === BATCH) more = true;
  }
  return more ? 'more' : undefined;
}

async function sweepSome(ctx: PublicCtx, before: Date): Promise<number> {
  const gone = await deleteUnlinked(ctx.db, ctx.realm.id, before, BATCH);
  if (gone.length === 0) return 0;
  const freed = gone.reduce((sum, { size }) => sum + size, 0);
  const upload_space_used = (await takeSpace(ctx.db, ctx.realm.id, -freed, Number.MAX_SAFE_INTEGER)) ?? 0;
  for (const { id, user_id } of gone) {
    ctx.emit({ type: 'attachment', op: 'remove', attachment: { id }, upload_space_used }, { users: [user_id] });
  }
  return gone.length;
}
