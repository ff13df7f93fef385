import { isAdministrator, isGuest } from '../../../access/roles.ts';
import { canSeeStream } from '../../../access/rules.ts';
import type { Ctx } from '../../../core/context.ts';
import type { Params, Schema } from '../../../core/contract.ts';
import { failForbidden } from '../../../core/errors.ts';
import type { HandlerResponse } from '../../../core/handler.ts';
import type { PreserializedJson } from '../../../core/preserialized-json.ts';
import type { SnapshotCaching } from '../../../core/snapshot-cache.ts';
import { requireStream, requireStreamNamed } from '../access.ts';
import { getCachedStreams, type StreamFacts } from '../cached-streams.ts';
import { presentStream } from '../present.ts';
import { listStreams, listSubscribedIds, listSubscriberIds, listWeeklyTraffic, type Stream } from '../queries/list.ts';
import { isListed } from '../rules/list.ts';

export async function getStreams(
  ctx: Ctx<SnapshotCaching>,
  sources: Params<'getStreams'>,
): Promise<HandlerResponse<'getStreams'>> {
  if (sources.include_all_active && !isAdministrator(ctx.me)) {
    failForbidden('include_all_active: only administrators can list all streams.');
  }
  const owner = sources.include_owner_subscribed ? ctx.me.bot_owner_id : null;
  const owned = owner === null ? new Set() : await listSubscribedIds(ctx.db, ctx.realm.id, owner);
  const subscribed = await listSubscribedIds(ctx.db, ctx.realm.id, ctx.me.id);
  const { facts, list, begun } = await getCachedStreams(ctx);
  const listed = facts.filter((stream) =>
    isListed(
      ctx.me,
      { ...stream, subscribed: subscribed.has(stream.id), owner_subscribed: owned.has(stream.id) },
      sources,
    ),
  );
  return { streams: list.only(idsOf(listed), begun) };
}

export async function getStream(ctx: Ctx, stream_id: number): Promise<Schema<'Stream'>> {
  const stream = await requireStream(ctx, stream_id);
  const traffic = await listWeeklyTraffic(ctx.db, ctx.realm.id, [stream.id], ctx.now);
  return presentStream(stream, traffic.get(stream.id) ?? null);
}

export async function getStreamId(ctx: Ctx, name: string): Promise<number> {
  return (await requireStreamNamed(ctx, name)).id;
}

export async function getMembers(ctx: Ctx, stream_id: number): Promise<number[]> {
  const stream = await requireStream(ctx, stream_id);
  return listSubscriberIds(ctx.db, ctx.realm.id, stream.id);
}

/** The part of `POST /register` about streams: those whose names are open to the caller. */
export async function streamState(
  ctx: Ctx<SnapshotCaching>,
  subscribed: ReadonlySet<number>,
): Promise<{ streams: PreserializedJson<Schema<'Stream'>> }> {
  const { facts, list, begun } = await getCachedStreams(ctx);
  const visible = facts.filter((stream) => canSeeStream(ctx.me, stream, subscribed.has(stream.id)));
  return { streams: list.only(idsOf(visible), begun) };
}

/** The part of `POST /register` about default streams. Guests do not get it. */
export async function defaultStreamState(
  ctx: Ctx<SnapshotCaching>,
): Promise<{ realm_default_streams: PreserializedJson<Schema<'Stream'>> }> {
  const { facts, list, begun } = await getCachedStreams(ctx);
  const defaultStreams = isGuest(ctx.me) ? [] : facts.filter(({ is_default }) => is_default);
  return { realm_default_streams: list.only(idsOf(defaultStreams), begun) };
}

const idsOf = (streams: readonly StreamFacts[]) => new Set(streams.map(({ id }) => id));

/** The streams that new users are subscribed to, by name. */
export async function listDefaultStreams(ctx: Pick<Ctx, 'db' | 'realm' | 'now'>): Promise<Schema<'Stream'>[]> {
  const all = await listStreams({ ...ctx, me: NO_USER });
  return present(
    ctx,
    all.filter((stream) => stream.is_default),
  );
}

const NO_USER = { id: 0 };

/** Streams in the documented shape. */
export async function present(
  ctx: Pick<Ctx, 'db' | 'realm' | 'now'>,
  streams: readonly Stream[],
): Promise<Schema<'Stream'>[]> {
  const traffic = await listWeeklyTraffic(
    ctx.db,
    ctx.realm.id,
    streams.map(({ id }) => id),
    ctx.now,
  );
  return streams.map((stream) => presentStream(stream, traffic.get(stream.id) ?? null));
}
