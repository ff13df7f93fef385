import type { Ctx } from '../../../core/context.ts';
import { sendAsNotificationBot } from '../../messages/index.ts';
import {
  getStreamAudience,
  listDefaultStreams,
  listGuestIds,
  presentChanges,
  renderChangeNotice,
  STREAM_EVENTS,
  type Stream,
} from '../../streams/index.ts';
import { emitVisibilityChange } from '../../subscriptions/index.ts';

/** Emits the changes of a stream, whose row has changed already. */
export async function emitStreamChanges(ctx: Ctx, before: Stream, after: Stream): Promise<void> {
  const newcomers = await emitVisibilityChange(ctx, before, after);
  // Users who can see it from now on got all of it with `create`.
  const audience = { ...getStreamAudience(after), except: newcomers };
  for (const change of presentChanges(before, after)) ctx.emit({ type: 'stream', op: 'update', ...change }, audience);
  if (before.is_default !== after.is_default) await emitDefaultStreams(ctx, after);
  const content = renderChangeNotice(ctx.me, before, after);
  if (content === undefined) return;
  await sendAsNotificationBot(ctx, {
    stream_id: after.id,
    topic: STREAM_EVENTS,
    content,
    read_for: [ctx.me.id],
  });
}

async function emitDefaultStreams(ctx: Ctx, stream: Stream): Promise<void> {
  ctx.emit({ type: 'default_streams', default_streams: await listDefaultStreams(ctx) }, { non_guests: true });
  // Guests do not get the list of default streams, but each stream that they see has `is_default`.
  const guests = await listGuestIds(ctx.db, stream);
  if (guests.length === 0) return;
  const { id: stream_id, name, is_default: value } = stream;
  ctx.emit({ type: 'stream', op: 'update', stream_id, name, property: 'is_default', value }, { users: guests });
}
