import type { CollectionLimiting } from '../../core/collection-limits.ts';
import type { Ctx } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { failInvalid } from '../../core/errors.ts';
import { requireRoom } from '../../core/require-room.ts';
import { stateQuery } from '../../core/state-query.ts';
import { lockUser } from '../users/index.ts';
import { deleteWords, insertWords, jsonWords, listWords } from './queries.ts';
import { toAlertWords, wordsProblem } from './rules.ts';

type Words = Required<Pick<Schema<'State'>, 'alert_words'>>;

/** The caller's alert words: the response of each request that changes them. */
export async function getAlertWords(ctx: Ctx): Promise<Words> {
  return { alert_words: await listWords(ctx.db, ctx.me) };
}

/** The part of `POST /register` about alert words. */
export const alertWordsState = (ctx: Ctx) =>
  stateQuery(jsonWords(ctx.me), (alert_words: string[]) => ({ alert_words }));

/** Watches for more words. The event has the whole list, so the later of two concurrent changes must see the earlier one. */
export async function addAlertWords(ctx: Ctx<CollectionLimiting>, inputs: readonly string[]): Promise<Words> {
  const words = toAlertWords(inputs);
  const problem = wordsProblem(words);
  if (problem !== undefined) failInvalid(problem);
  await lockUser(ctx.db, ctx.me);
  const added = words.length === 0 ? 0 : await insertWords(ctx.db, ctx.me, words);
  if (added > 0) await requireRoom(ctx, 'alert_words', 0);
  const state = await getAlertWords(ctx);
  if (added > 0) emitAlertWords(ctx, state);
  return state;
}

/** Removes alert words. */
export async function removeAlertWords(ctx: Ctx, words: readonly string[]): Promise<Words> {
  await lockUser(ctx.db, ctx.me);
  const keys = toAlertWords(words).map(({ word_key }) => word_key);
  const removed = keys.length === 0 ? 0 : await deleteWords(ctx.db, ctx.me, keys);
  const state = await getAlertWords(ctx);
  if (removed > 0) emitAlertWords(ctx, state);
  return state;
}

function emitAlertWords(ctx: Ctx, state: Words): void {
  ctx.emit({ type: 'alert_words', ...state }, { users: [ctx.me.id] });
}
