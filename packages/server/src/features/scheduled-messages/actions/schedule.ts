import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { Ctx } from '../../../core/context.ts';
import type { Params, Payload } from '../../../core/contract.ts';
import { failInvalid } from '../../../core/errors.ts';
import { requireRoom } from '../../../core/require-room.ts';
import { getClientName, isReadFromStart } from '../../messages/index.ts';
import { relinkScheduled } from '../../uploads/index.ts';
import { presentScheduled } from '../present.ts';
import { insertScheduled } from '../queries.ts';
import { getType, missingTopicProblem, timeProblem, toProblem } from '../rules.ts';
import { requireDestination } from './check.ts';

/** Has a message sent at a later time. All that sending checks is checked now, too. */
export async function scheduleMessage(
  ctx: Ctx<CollectionLimiting>,
  params: Params<'scheduleMessage'>,
): Promise<Payload<'scheduleMessage'>> {
  const { to, content, topic, scheduled_delivery_timestamp } = params;
  const type = getType(params.type);
  const problem =
    timeProblem(scheduled_delivery_timestamp, ctx.now) ?? toProblem(type, to) ?? missingTopicProblem(type, topic);
  if (problem !== undefined) failInvalid(problem);
  const destination = await requireDestination(ctx, { type, to, content, ...(topic !== undefined && { topic }) });
  await requireRoom(ctx, 'scheduled_messages', 1);
  await requireRoom(ctx, 'scheduled_message_bytes', destination.row.bytes);
  const client = getClientName(params, ctx.client);
  const time = new Date(scheduled_delivery_timestamp * 1000);
  const row = await insertScheduled(ctx.db, {
    ...destination.row,
    realm_id: ctx.realm.id,
    user_id: ctx.me.id,
    read_by_sender: params.read_by_sender ?? isReadFromStart(client),
    client,
    deliver_at: time,
    attempt_at: time,
  });
  if (destination.uploads.length > 0) await relinkScheduled(ctx, row.id, destination.uploads);
  ctx.emit(
    { type: 'scheduled_messages', op: 'add', scheduled_messages: [presentScheduled(row)] },
    { users: [ctx.me.id] },
  );
  return { scheduled_message_id: row.id };
}
