import type { Ctx } from '../../../core/context.ts';
import type { Schema } from '../../../core/contract.ts';
import { presentScheduled } from '../present.ts';
import { listScheduled } from '../queries.ts';

/** The caller's messages that were not sent; the part of `POST /register` about them as well. */
export async function getScheduledMessages(ctx: Ctx) {
  const found = await listScheduled(ctx.db, ctx.realm.id, ctx.me.id);
  return { scheduled_messages: found.map(presentScheduled) } satisfies Partial<Schema<'State'>>;
}
