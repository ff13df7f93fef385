import type { Ctx } from '../../../core/context.ts';
import type { Schema } from '../../../core/contract.ts';
import { failConflict, failInvalid } from '../../../core/errors.ts';
import { requireStream } from '../../streams/index.ts';
import { groupByKey } from '../present.ts';
import { lockSubscriptions, updateSettings } from '../queries/properties.ts';
import { emittedProperties, toStoredSettings, valueProblem } from '../rules.ts';

type Change = Schema<'PropertyChange'>;

/** Changes the caller's settings for streams (specification 4.9): all of them, or none. */
export async function updateProperties(ctx: Ctx, changes: readonly Change[]): Promise<void> {
  const problem = changes.map(valueProblem).find((one) => one !== undefined);
  if (problem !== undefined) failInvalid(problem);
  if (changes.length === 0) return;
  const byStream = groupByKey(changes, ({ stream_id }) => stream_id);
  await requireSubscribed(ctx, [...byStream.keys()]);
  const settings = [...byStream].map(([stream_id, own]) => ({ stream_id, ...toStoredSettings(own) }));
  await updateSettings(ctx.db, ctx.me, settings);
  for (const change of changes) {
    for (const { property, value } of emittedProperties(change)) {
      const { stream_id } = change;
      ctx.emit({ type: 'subscription', op: 'update', stream_id, property, value }, { users: [ctx.me.id] });
    }
  }
}

/**
 * Fails for streams that the caller is not subscribed to, by id. Streams that the caller cannot see are reported as
 * unknown.
 */
async function requireSubscribed(ctx: Ctx, stream_ids: readonly number[]): Promise<void> {
  const locked = await lockSubscriptions(ctx.db, ctx.me, stream_ids);
  const missing = stream_ids.find((id) => !locked.has(id));
  if (missing === undefined) return;
  await requireStream(ctx, missing);
  failConflict(`You are not subscribed to the stream with id ${missing}.`);
}
