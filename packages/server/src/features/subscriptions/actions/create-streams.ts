import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { Ctx } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { fail, failOnProblem } from '../../../core/errors.ts';
import { requireRoom } from '../../../core/require-room.ts';
import { abortAndRetry } from '../../../core/transaction.ts';
import { renderPlain } from '../../../text/markdown.ts';
import {
  canSetRetention,
  creationProblem,
  hasSharedHistory,
  retentionDays,
  type Stream,
  streamKey,
} from '../../streams/index.ts';
import { requireSettingGroup, systemGroupIds } from '../../user-groups/index.ts';
import { insertStreams, type NewStream } from '../queries/join.ts';
import type { RequestedStream } from '../rules.ts';

type Creation = Params<'subscribe'>;

/**
 * Fails for streams of a kind that the caller cannot create. The settings of the request are checked only if it creates
 * a stream.
 */
export async function requireCreation(ctx: Ctx, params: Creation): Promise<void> {
  const problem = creationProblem(ctx.me, ctx.realm, params, ctx.now);
  failOnProblem(problem);
  if (!canSetRetention(ctx.me, params.message_retention_days)) {
    fail('UNAUTHORIZED_PRINCIPAL', 'message_retention_days: you must be an organization owner.');
  }
  const group = params.can_remove_subscribers_group;
  if (group !== undefined) await requireSettingGroup(ctx, 'can_remove_subscribers_group', group);
}

/** Creates streams with the settings of the request, without subscribers yet. */
export async function createStreams(
  ctx: Ctx<CollectionLimiting>,
  missing: readonly RequestedStream[],
  params: Creation,
): Promise<Stream[]> {
  if (missing.length === 0) return [];
  await requireRoom(ctx, 'new_streams', missing.length);
  await requireRoom(ctx, 'streams', missing.length);
  const settings = {
    realm_id: ctx.realm.id,
    invite_only: params.invite_only,
    is_web_public: params.is_web_public,
    history_public_to_subscribers: hasSharedHistory(params),
    is_default: params.is_default_stream,
    stream_post_policy: params.stream_post_policy,
    message_retention_days: retentionDays(params.message_retention_days),
    can_remove_subscribers_group: params.can_remove_subscribers_group ?? (await administratorsGroup(ctx)),
    creator_id: ctx.me.id,
    created_at: ctx.now,
  };
  const streams = missing.map(
    ({ name, description }): NewStream => ({
      ...settings,
      name,
      name_key: streamKey(name),
      description,
      rendered_description: renderPlain(description),
    }),
  );
  const created = await insertStreams(ctx.db, ctx.realm.id, streams);
  if (created.length < missing.length) abortAndRetry('Another request created one of the streams meanwhile.');
  return created;
}

async function administratorsGroup(ctx: Ctx): Promise<number> {
  return (await systemGroupIds(ctx.db, ctx.realm.id))['role:administrators'];
}
