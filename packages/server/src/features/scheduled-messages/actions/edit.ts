import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { Ctx } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { failConflict, failInvalid } from '../../../core/errors.ts';
import { requireRoom } from '../../../core/require-room.ts';
import { relinkScheduled } from '../../uploads/index.ts';
import { requireOwn } from '../access.ts';
import { presentScheduled, toRecipients } from '../present.ts';
import { deleteScheduled, type ScheduledMessageRow, updateScheduled } from '../queries.ts';
import { alreadySentProblem, changeProblem, getType } from '../rules.ts';
import { requireDestination } from './check.ts';

type ScheduledMessageUpdate = Params<'updateScheduledMessage'>;

/**
 * Changes the content, the destination or the time. The lock keeps it from being delivered meanwhile; a delivered
 * message cannot be changed.
 */
export async function updateScheduledMessage(
  ctx: Ctx<CollectionLimiting>,
  { scheduled_message_id, ...changes }: ScheduledMessageUpdate,
): Promise<void> {
  const row = await requireOwn(ctx, scheduled_message_id);
  if (row.sent_at !== null) failConflict(alreadySentProblem(row.id));
  const problem = changeProblem(row, changes, ctx.now);
  if (problem !== undefined) failInvalid(problem);
  const { scheduled_delivery_timestamp: timestamp, ...written } = changes;
  const destination = Object.keys(written).length > 0 ? await requireDestination(ctx, merged(row, written)) : undefined;
  const growth = destination ? destination.row.bytes - row.bytes : 0;
  if (growth > 0) await requireRoom(ctx, 'scheduled_message_bytes', growth);
  const time = timestamp === undefined ? row.deliver_at : new Date(timestamp * 1000);
  const changed = await updateScheduled(ctx.db, row, {
    ...destination?.row,
    deliver_at: time,
    attempt_at: time,
    failure_message: null,
  });
  if (destination && (destination.uploads.length > 0 || row.content.includes('/user_uploads/')))
    await relinkScheduled(ctx, row.id, destination.uploads);
  ctx.emit(
    { type: 'scheduled_messages', op: 'update', scheduled_message: presentScheduled(changed) },
    { users: [ctx.me.id] },
  );
}

function merged(row: ScheduledMessageRow, params: Pick<ScheduledMessageUpdate, 'type' | 'to' | 'content' | 'topic'>) {
  const topic = params.topic ?? row.topic;
  return {
    type: params.type === undefined ? row.type : getType(params.type),
    to: params.to ?? toRecipients(row),
    content: params.content ?? row.content,
    ...(topic !== null && { topic }),
  };
}

export async function deleteScheduledMessage(ctx: Ctx, id: number): Promise<void> {
  const row = await requireOwn(ctx, id);
  if (row.sent_at !== null) failConflict(alreadySentProblem(id));
  await deleteScheduled(ctx.db, row);
  ctx.emit({ type: 'scheduled_messages', op: 'remove', scheduled_message_id: id }, { users: [ctx.me.id] });
}
