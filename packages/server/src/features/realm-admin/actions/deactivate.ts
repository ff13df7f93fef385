import { insertAudit, updateRealmDeactivated } from '../../realm/index.ts';
import type { RealmUpdateCtx } from './update.ts';

/** Deactivates an organization: all its credentials fail from now on, and nothing is deleted. */
export async function deactivateRealm(ctx: RealmUpdateCtx): Promise<void> {
  if (!(await updateRealmDeactivated(ctx.db, ctx.realm.id, ctx.now))) return;
  ctx.emit({ type: 'realm', op: 'deactivated', realm_id: ctx.realm.id }, { everyone: true });
  await insertAudit(ctx, 'realm deactivated', {});
}

/** Reactivates it unchanged. */
export async function reactivateRealm(ctx: RealmUpdateCtx): Promise<void> {
  if (await updateRealmDeactivated(ctx.db, ctx.realm.id, null)) await insertAudit(ctx, 'realm reactivated', {});
}
