import type { Ctx } from '../../../core/context.ts';
import type { Params, Payload, Schema } from '../../../core/contract.ts';
import { refuse } from '../../../core/errors.ts';
import { isAdministrator, isGuest } from '../../realm/index.ts';
import { requireStream, requireStreamNamed } from '../access.ts';
import { presentStream } from '../present.ts';
import { listStreams, listSubscribedIds, listSubscriberIds, listWeeklyTraffic, type Stream } from '../queries/list.ts';
import { maySeeStream } from '../rules/access.ts';
import { isListed } from '../rules/list.ts';

type State = Schema<'State'>;

export async function getStreams(ctx: Ctx, sources: Params<'getStreams'>): Promise<Payload<'getStreams'>> {
  if (sources.include_all_active && !isAdministrator(ctx.me)) {
    refuse('BAD_REQUEST', 'include_all_active: only administrators can list all streams.');
  }
  const owner = sources.include_owner_subscribed ? ctx.me.bot_owner_id : null;
  const owned = owner === null ? new Set() : await listSubscribedIds(ctx.db, ctx.realm.id, owner);
  const all = await listStreams(ctx);
  return {
    streams: await present(
      ctx,
      all.filter((stream) => isListed(ctx.me, { ...stream, owner_subscribed: owned.has(stream.id) }, sources)),
    ),
  };
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

/** The part of `POST /register` about streams: those whose names are open to who asks. */
export async function streamState(ctx: Ctx): Promise<Required<Pick<State, 'streams'>>> {
  const visible = (await listStreams(ctx)).filter((stream) => maySeeStream(ctx.me, stream, stream.subscribed));
  return { streams: await present(ctx, visible) };
}

/** The part of `POST /register` about default streams. They are none of a guest's business. */
export async function defaultStreamState(ctx: Ctx): Promise<Required<Pick<State, 'realm_default_streams'>>> {
  return { realm_default_streams: isGuest(ctx.me) ? [] : await listDefaultStreams(ctx) };
}

/** The streams that new people are subscribed to, by name. */
export async function listDefaultStreams(ctx: Pick<Ctx, 'db' | 'realm' | 'now'>): Promise<Schema<'Stream'>[]> {
  const all = await listStreams({ ...ctx, me: nobody });
  return present(
    ctx,
    all.filter((stream) => stream.is_default),
  );
}

const nobody = { id: 0 };

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
