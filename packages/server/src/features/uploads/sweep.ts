import type { PublicCtx } from '../../core/context.ts';
import { requireValue } from '../../core/require-value.ts';
import type { Engine } from '../../core/transaction.ts';
import { transact } from '../../core/transaction.ts';
import { findRealmById, presentRealm, type ServerAddress } from '../realm/index.ts';
import { reserveSpace } from './queries/space.ts';
import { deleteUnlinked, listRealmsToSweep, updateUnlinkedSince } from './queries/sweep.ts';
import { UNLINKED_LIFETIME } from './rules.ts';

/** The number of files of one transaction. */
const BATCH = 20;
/** Milliseconds of one run of the job. The next run follows at once if there is more. */
const RUN = 5000;

type Sweeper = Engine & { readonly serverAddress: ServerAddress };

/** Deletes files that have had no links for a while, and emits this to their owners. */
export async function sweepUploads(engine: Sweeper): Promise<'more' | undefined> {
  const deadline = performance.now() + RUN;
  const now = engine.clock();
  const before = new Date(now.getTime() - UNLINKED_LIFETIME);
  const { db } = engine.database;
  // This scans all files, so it runs once for everything that the run deletes.
  await updateUnlinkedSince(db, now);
  for (const realm_id of await listRealmsToSweep(db, before)) {
    if (!(await sweepRealm(engine, realm_id, before, deadline))) return 'more';
  }
  return undefined;
}

/** Deletes the files of one organization. Returns false if the time limit ended it early. */
async function sweepRealm(engine: Sweeper, realm_id: number, before: Date, deadline: number): Promise<boolean> {
  const row = await findRealmById(engine.database.db, realm_id);
  if (!row) return true;
  const caller = { realm: presentRealm(engine.serverAddress, row), me: undefined, client: 'Parley' };
  for (;;) {
    const since = performance.now();
    if (since >= deadline) return false;
    if ((await transact(engine, caller, (ctx) => sweepSome(ctx, before))) < BATCH) return true;
    await engine.server.throttle(since);
  }
}

async function sweepSome(ctx: PublicCtx, before: Date): Promise<number> {
  const deleted = await deleteUnlinked(ctx.db, ctx.realm.id, before, BATCH);
  if (deleted.length === 0) return 0;
  const freed = deleted.reduce((sum, { size }) => sum + size, 0);
  const upload_space_used = requireValue(await reserveSpace(ctx.db, ctx.realm.id, -freed, Number.MAX_SAFE_INTEGER));
  for (const { id, user_id } of deleted) {
    ctx.emit({ type: 'attachment', op: 'remove', attachment: { id }, upload_space_used }, { users: [user_id] });
  }
  return deleted.length;
}
