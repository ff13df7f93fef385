import type { PublicCtx, User } from '../../core/context.ts';
import { insertAudit } from './queries.ts';

/** Writes an entry of the audit log in the same transaction. */
export async function audit(
  ctx: PublicCtx,
  actor: User | undefined,
  action: string,
  ...details: Record<string, unknown>[]
): Promise<void> {
  const common = { realm_id: ctx.realm.id, at: ctx.now, actor_id: actor?.id ?? null, action };
  await insertAudit(ctx.db, ...details.map((one) => ({ ...common, details: one })));
}
