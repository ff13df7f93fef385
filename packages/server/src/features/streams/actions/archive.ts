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

/** Closes a stream for good, for everyone. */
export async function archiveStream(ctx: Ctx, stream_id: number): Promise<void> {
  await lockStream(ctx.db, ctx.realm.id, stream_id);
  const stream = await requireStream(ctx, stream_id);
  // Whom a guest knows only from this stream, they know no longer.
  await withGuestVisibilityEvents(ctx, () => archiveStreams(ctx, [{ stream, audience: getStreamAudience(stream) }]));
}

/** A stream that is to be archived, as it was last, and who has seen it until now. */
export interface ArchiveOptions {
  readonly stream: Stream;
  readonly audience: Audience;
}

/** Archives streams that are locked, takes them out of every setting that names them, and tells of it all. */
export async function archiveStreams(ctx: Ctx, archiving: readonly ArchiveOptions[]): Promise<void> {
  if (archiving.length === 0) return;
  const streams = archiving.map(({ stream }) => stream);
  const ids = streams.map(({ id }) => id);
  const shown = await present(ctx, streams);
  await updateArchived(ctx.db, ctx.realm.id, ids, ctx.now);
  for (const [n, { audience }] of archiving.entries()) {
    ctx.emit({ type: 'stream', op: 'delete', streams: shown.slice(n, n + 1) }, audience);
  }
  if (streams.some((stream) => stream.is_default)) {
    ctx.emit({ type: 'default_streams', default_streams: await listDefaultStreams(ctx) }, { non_guests: true });
  }
  await forgetInSettings(ctx, ids);
  await insertAudit(ctx, 'streams archived', { stream_ids: ids });
}

/** The organization writes to none of these streams any more. */
async function forgetInSettings(ctx: Ctx, ids: readonly number[]): Promise<void> {
  // Locked before it is looked at: a setting that names one of them at this moment is found here or refused there.
  const settings = await findCurrentSettings(ctx.db, ctx.realm.id, 'update');
  const naming = (['notifications_stream_id', 'signup_notifications_stream_id'] as const).filter((name) =>
    ids.includes(settings[name]),
  );
  if (naming.length > 0) await updateRealm(ctx, Object.fromEntries(naming.map((name) => [name, -1])));
}
