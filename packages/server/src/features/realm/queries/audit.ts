import { tables } from '@parley/db';
import type { PublicCtx, User } from '../../../core/context.ts';

/** Writes an entry of the audit log in the same transaction. Without `me` the actor is the operator. */
export async function insertAudit(
  { db, realm, now, me }: PublicCtx & { readonly me?: User | undefined },
  action: string,
  details: Record<string, unknown>,
): Promise<void> {
  await db.insert(tables.audit_log).values({ realm_id: realm.id, at: now, actor_id: me?.id ?? null, action, details });
}
