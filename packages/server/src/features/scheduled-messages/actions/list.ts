import type { Ctx } from '../../../core/context.ts';
import type { Params, Payload } from '../../../core/contract.ts';
import { getResponseBudget, readPage } from '../../../core/response-size.ts';
import { stateQuery } from '../../../core/state-query.ts';
import { presentScheduled } from '../present.ts';
import { jsonScheduled, listScheduledAmong, listScheduledSizes, type ScheduledMessageRow } from '../queries.ts';

/** The caller's unsent messages from one on: as many as the response has room for. */
export async function getScheduledMessages(
  ctx: Ctx,
  { offset }: Params<'getScheduledMessages'>,
): Promise<Payload<'getScheduledMessages'>> {
  const items = await listScheduledSizes(ctx.db, ctx.realm.id, ctx.me.id);
  const load = async (ids: number[]) => (await listScheduledAmong(ctx.db, ctx.realm.id, ids)).map(presentScheduled);
  const { page, has_more } = await readPage({ items, offset, room: getResponseBudget('getScheduledMessages'), load });
  return { scheduled_messages: page, has_more };
}

/** The part of `POST /register` about scheduled messages: all unsent ones. */
export const scheduledMessagesState = (ctx: Ctx) =>
  stateQuery(
    jsonScheduled(ctx.realm.id, ctx.me.id),
    (found: (Omit<ScheduledMessageRow, 'deliver_at'> & { deliver_at: number })[]) => ({
      scheduled_messages: found.map((row) => presentScheduled({ ...row, deliver_at: new Date(row.deliver_at) })),
    }),
  );
