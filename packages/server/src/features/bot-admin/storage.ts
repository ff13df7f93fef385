// What the program of a bot keeps on the server between two runs.
import type { CollectionLimiting } from '../../core/collection-limits.ts';
import type { Ctx } from '../../core/context.ts';
import type { Params, Payload } from '../../core/contract.ts';
import { failInvalid, failUnknown } from '../../core/errors.ts';
import { requireRoom } from '../../core/require-room.ts';
import { countBytes, getResponseBudget } from '../../core/response-size.ts';
import { storageKeyProblem } from './rules.ts';
import { deleteStorage, findStorageSizes, listStorage, upsertStorage } from './storage-sql.ts';

/** The values of these keys, or all values of the bot. */
export async function getBotStorage(ctx: Ctx, params: Params<'getBotStorage'>): Promise<Payload<'getBotStorage'>> {
  const keys = params.keys ?? null;
  const found = await findStorageSizes(ctx.db, ctx.me, keys);
  requireAll(params.keys, found.keys);
  const room = getResponseBudget('getBotStorage');
  if (found.bytes > room) {
    failInvalid(`keys: their values take up more than ${room} bytes together. Ask for fewer keys.`);
  }
  const values = await listStorage(ctx.db, ctx.me, keys);
  return { storage: Object.fromEntries(values.map(({ key, value }) => [key, value])) };
}

/** Stores values in place of those that have the same keys. */
export async function updateBotStorage(
  ctx: Ctx<CollectionLimiting>,
  { storage }: Params<'updateBotStorage'>,
): Promise<void> {
  const entries = Object.entries(storage);
  for (const [key] of entries) {
    const problem = storageKeyProblem(key);
    if (problem !== undefined) failInvalid(problem);
  }
  if (entries.length === 0) return;
  const values = entries.map(([key, value]) => ({ key, value, bytes: countBytes({ [key]: value }) }));
  await upsertStorage(ctx.db, ctx.me, values);
  await requireRoom(ctx, 'bot_storage', 0);
  await requireRoom(ctx, 'bot_storage_bytes', 0);
}

/** Deletes the values of these keys, or all values of the bot. */
export async function deleteBotStorage(ctx: Ctx, { keys }: Params<'deleteBotStorage'>): Promise<void> {
  requireAll(keys, await deleteStorage(ctx.db, ctx.me, keys ?? null));
}

function requireAll(keys: readonly string[] | undefined, found: readonly string[]): void {
  const known = new Set(found);
  const missing = keys?.find((key) => !known.has(key));
  if (missing !== undefined) failUnknown(`keys: nothing is stored under "${missing}".`);
}
