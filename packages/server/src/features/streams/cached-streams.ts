// Streams look the same to all users who see them: they are serialized once for all.

import type { StreamPrivacy } from '../../access/rules.ts';
import type { Ctx } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { PreserializedItems } from '../../core/preserialized-json.ts';
import type { SnapshotCaching } from '../../core/snapshot-cache.ts';
import { presentStream } from './present.ts';
import { listFirstMessages, listStreams, listWeeklyTraffic } from './queries/list.ts';

type StreamObject = Schema<'Stream'>;

/** The facts that decide which users see a stream. */
export interface StreamFacts extends StreamPrivacy {
  readonly id: number;
  readonly is_default: boolean;
}

export interface CachedStreams {
  /** Every stream that is not archived, by name. */
  readonly facts: readonly StreamFacts[];
  readonly list: PreserializedItems<StreamObject>;
  /** Streams whose first message was sent after the list was computed. */
  readonly begun: ReadonlyMap<number, StreamObject>;
}

const HOUR = 3_600_000;
const PER_STREAM = 80;

/** A registration lists the streams three times, and its transaction sees the same streams each time. */
const byTransaction = new WeakMap<Ctx['db'], Promise<CachedStreams>>();

/** The streams of the organization. */
export function getCachedStreams(ctx: Ctx<SnapshotCaching>): Promise<CachedStreams> {
  const known = byTransaction.get(ctx.db) ?? takeStreams(ctx);
  byTransaction.set(ctx.db, known);
  return known;
}

async function takeStreams(ctx: Ctx<SnapshotCaching>): Promise<CachedStreams> {
  const hour = Math.floor(ctx.now.getTime() / HOUR);
  // Weekly traffic is computed once per hour; no event is emitted when it changes.
  const share = { name: `streams: ${hour}`, invalidatedBy: ['stream', 'default_streams'] } as const;
  const { facts, list, silent } = await ctx.server.snapshotCache.getOrCompute(ctx, share, async () => {
    const streams = await listStreams({ ...ctx, me: NO_USER });
    const ids = streams.map(({ id }) => id);
    const traffic = await listWeeklyTraffic(ctx.db, ctx.realm.id, ids, ctx.now);
    const items = new PreserializedItems(
      streams.map((stream) => presentStream(stream, traffic.get(stream.id) ?? null)),
      ({ stream_id }) => stream_id,
    );
    return {
      list: items,
      facts: streams.map(({ id, is_default, invite_only, is_web_public, archived_at }) => ({
        ...{ id, is_default, invite_only, is_web_public, archived_at },
      })),
      silent: streams.filter(({ first_message_id }) => first_message_id === null).map(({ id }) => id),
      bytes: items.bytes + streams.length * PER_STREAM,
    };
  });
  const firsts = silent.length > 0 ? await listCachedFirstMessages(ctx, list.version, silent) : [];
  const begun = firsts.flatMap(({ id, first_message_id }) => {
    const stream = list.item(id);
    return stream ? [[id, { ...stream, first_message_id }] as const] : [];
  });
  return { facts, list, begun: new Map(begun) };
}

/** The first messages of the streams of a list that had none then: a stream's first message is no event about the stream. */
async function listCachedFirstMessages(ctx: Ctx<SnapshotCaching>, version: string, stream_ids: readonly number[]) {
  const share = { name: `first messages: ${version}`, invalidatedBy: ['message'] } as const;
  const { firsts } = await ctx.server.snapshotCache.getOrCompute(ctx, share, async () => {
    const firsts = await listFirstMessages(ctx.db, ctx.realm.id, stream_ids);
    return { firsts, bytes: firsts.length * PER_STREAM };
  });
  return firsts;
}

const NO_USER = { id: 0 };
