import type { Ctx } from '../../core/context.ts';
import { failNotFound } from '../../core/errors.ts';
import { findOwnForUpdate, type ScheduledMessageRow } from './queries.ts';

/** Locks and returns the caller's own scheduled message. A message of another user is reported as unknown. */
export async function requireOwn(ctx: Ctx, id: number): Promise<ScheduledMessageRow> {
  const row = await findOwnForUpdate(ctx.db, { realm_id: ctx.realm.id, id }, ctx.me.id);
  return row ?? failNotFound(`There is no scheduled message ${id}.`);
}
