import type { Ctx } from '../../../core/context.ts';
import type { Audience } from '../../../core/event-log/audience.ts';
import { withGuestVisibilityEvents } from '../../guest-visibility/index.ts';
import { findCurrentSettings, insertAudit } from '../../realm/index.ts';
import { updateRealm } from '../../realm-admin/index.ts';
import { requireStream } from '../access.ts';
import { getStreamAudience } from '../present.ts';
import { lockStream, updateArchived } from '../queries/change.ts';
import type { Stream } from '../queries/list.ts';
import { listDefaultStreams, present } from './list.ts';

/** Archives a stream for all users. It cannot be undone. */
export async function archiveStream(ctx: Ctx, stream_id: number): Promise<void> {
  await lockStream(ctx.db, ctx.realm.id, stream_id);
  const stream = await requireStream(ctx, stream_id);
  // Guests no longer see users whom they saw only through this stream.
  await withGuestVisibilityEvents(ctx, () => archiveStreams(ctx, [{ stream, audience: getStreamAudience(stream) }]));
}

/** A stream that is about to be archived in its last state, and the users who could see it until now. */
export interface ArchiveOptions {
  readonly stream: Stream;
  readonly audience: Audience;
}

/** Archives streams that are locked, removes them from all settings that name them, and emits the changes. */
export async function archiveStreams(ctx: Ctx, archiving: readonly ArchiveOptions[]): Promise<void> {
  if (archiving.length === 0) return;
  const streams = archiving.map(({ stream }) => stream);
  const ids = streams.map(({ id }) => id);
  const streamObjects = await present(ctx, streams);
  await updateArchived(ctx.db, ctx.realm.id, ids, ctx.now);
  for (const [n, { audience }] of archiving.entries()) {
    ctx.emit({ type: 'stream', op: 'delete', streams: streamObjects.slice(n, n + 1) }, audience);
  }
  if (streams.some((stream) => stream.is_default)) {
    ctx.emit({ type: 'default_streams', default_streams: await listDefaultStreams(ctx) }, { non_guests: true });
  }
  await forgetInSettings(ctx, ids);
  await insertAudit(ctx, 'streams archived', { stream_ids: ids });
}

/** Unsets the organization's settings that name one of these streams. */
async function forgetInSettings(ctx: Ctx, ids: readonly number[]): Promise<void> {
  // Locked before it is read: a concurrent request that sets one of them is found here, or fails there.
  const settings = await findCurrentSettings(ctx.db, ctx.realm.id, 'update');
  const naming = (['notifications_stream_id', 'signup_notifications_stream_id'] as const).filter((name) =>
    ids.includes(settings[name]),
  );
  if (naming.length > 0) await updateRealm(ctx, Object.fromEntries(naming.map((name) => [name, -1])));
}
