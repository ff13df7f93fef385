import { isOwner } from '../../../access/roles.ts';
import type { Ctx } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { fail, failConflict, failOnProblem } from '../../../core/errors.ts';
import { renderPlain } from '../../../text/markdown.ts';
import { insertAudit } from '../../realm/index.ts';
import {
  applySettings,
  changeProblem,
  failUnknownStream,
  findStreamsByNames,
  isMetadata,
  listChangedProperties,
  lockStream,
  requireStream,
  rotateEmailAddresses,
  type Stream,
  type StreamChange,
  streamKey,
  updateStreamRow,
} from '../../streams/index.ts';
import { requireSettingGroup } from '../../user-groups/index.ts';
import { emitStreamChanges } from './emit-changed.ts';

/** Changes a stream (docs/behaviour/streams.md#change-a-stream): all requested changes, or none. */
export async function updateStream(ctx: Ctx, { stream_id, ...params }: Params<'updateStream'>): Promise<void> {
  if (params.message_retention_days !== undefined && !isOwner(ctx.me)) {
    fail('UNAUTHORIZED_PRINCIPAL', 'message_retention_days: you must be an organization owner.');
  }
  await lockStream(ctx.db, ctx.realm.id, stream_id);
  const before = await requireStream(ctx, stream_id);
  if (before.invite_only && !before.subscribed && !isMetadata(params)) failUnknownStream(stream_id);
  const after = applySettings(before, params);
  await requireAllowedChange(ctx, { before, after, params });
  const changes = listChangedProperties(before, after);
  if (Object.keys(changes).length === 0) return;
  const rendered = changes.description === undefined ? {} : { rendered_description: renderPlain(changes.description) };
  await updateStreamRow(ctx.db, before, { ...changes, ...rendered });
  // Users who lost the permission to post may know the stream's email address.
  const fewer = changes.invite_only !== undefined || changes.stream_post_policy !== undefined;
  if (fewer) await rotateEmailAddresses(ctx.db, ctx.realm.id, [stream_id]);
  await emitStreamChanges(ctx, before, { ...before, ...changes, ...rendered });
  await insertAudit(ctx, 'stream changed', { stream_id, ...changes });
}

async function requireAllowedChange(ctx: Ctx, change: StreamChange & { readonly before: Stream }): Promise<void> {
  const { before, after } = change;
  const problem = changeProblem(ctx, change);
  failOnProblem(problem);
  const group = change.params.can_remove_subscribers_group;
  if (group !== undefined) await requireSettingGroup(ctx, 'can_remove_subscribers_group', group);
  if (after.name === before.name) return;
  const holder = (await findStreamsByNames(ctx, [after.name])).get(streamKey(after.name));
  if (holder && holder.id !== before.id) failConflict(`new_name: there is already a stream "${holder.name}".`);
}
