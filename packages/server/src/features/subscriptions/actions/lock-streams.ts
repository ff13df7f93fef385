import type { Ctx } from '../../../core/context.ts';
import { abortAndRetry } from '../../../core/transaction.ts';
import { findStreamsByNames, type SeenStream, streamKey } from '../../streams/index.ts';
import { lockStreamsByKeys } from '../queries/lock.ts';

/** The existing streams of these names, by `streamKey`, locked: their subscribers do not change until the commit. */
export async function lockStreamsByName(
  ctx: Ctx,
  names: readonly string[],
  also?: number,
): Promise<Map<string, SeenStream>> {
  if (names.length === 0) return new Map();
  const locked = await lockStreamsByKeys(ctx.db, ctx.realm.id, names.map(streamKey), also);
  const found = await findStreamsByNames(ctx, names);
  if ([...found.values()].some(({ id }) => !locked.has(id)))
    abortAndRetry('A stream got one of these names meanwhile.');
  return found;
}
