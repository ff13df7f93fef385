import { isAdministrator } from '../../access/roles.ts';
import type { CollectionLimiting } from '../../core/collection-limits.ts';
import type { Ctx, PublicCtx } from '../../core/context.ts';
import type { Params, Schema } from '../../core/contract.ts';
import { failConflict, failForbidden, failOnProblem, failUnknown } from '../../core/errors.ts';
import { precheckRoom, requireRoom } from '../../core/require-room.ts';
import type { Transactions } from '../../core/server.ts';
import { stateQuery } from '../../core/state-query.ts';
import { canUnderPolicy, findCurrentSettings } from '../realm/index.ts';
import { renderEmojiPictures } from './pictures.ts';
import { presentEmoji } from './present.ts';
import {
  deactivateEmoji,
  type EmojiRow,
  findActiveEmoji,
  insertCustomEmoji,
  jsonCustomEmoji,
  listCustomEmoji,
  type Pictures,
} from './queries.ts';
import { canRemoveEmoji, nameProblem } from './rules.ts';

type ById = Schema<'CustomEmojiById'>;

async function emojiById({ db, realm }: Pick<PublicCtx, 'db' | 'realm'>): Promise<ById> {
  return presentEmoji(await listCustomEmoji(db, realm.id));
}

export async function getCustomEmoji(ctx: Ctx): Promise<{ emoji: ById }> {
  return { emoji: await emojiById(ctx) };
}

/** The part of `POST /register` about custom emoji. */
export const emojiState = (ctx: Ctx) =>
  stateQuery(jsonCustomEmoji(ctx.realm.id), (found: EmojiRow[]) => ({ realm_emoji: presentEmoji(found) }));

/** Adds an emoji. The picture takes longer than a transaction should be open. */
export async function uploadCustomEmoji(
  ctx: Ctx<CollectionLimiting & Transactions>,
  { name, file }: Params<'uploadCustomEmoji'>,
): Promise<void> {
  const { add_custom_emoji_policy, waiting_period_threshold } = ctx.realm.settings;
  if (!canUnderPolicy(add_custom_emoji_policy, ctx.me, { waiting_period_threshold, now: ctx.now })) {
    failForbidden('You do not have permission to add custom emoji.');
  }
  const problem = nameProblem(name, { is_administrator: isAdministrator(ctx.me) });
  failOnProblem(problem);
  await precheckRoom(ctx, 'custom_emoji', 1);
  const pictures = await renderEmojiPictures(ctx.me, file.bytes);
  await ctx.server.inTransaction(ctx, (inside) => addEmoji(inside, name, pictures));
}

async function addEmoji(ctx: Ctx<CollectionLimiting>, name: string, pictures: Pictures): Promise<void> {
  await takeTurn(ctx);
  const emoji = { realm_id: ctx.realm.id, name, author_id: ctx.me.id, created_at: ctx.now, ...pictures };
  if (!(await insertCustomEmoji(ctx.db, emoji))) failConflict(`name: there is an emoji "${name}" already.`);
  await requireRoom(ctx, 'custom_emoji', 0);
  await requireRoom(ctx, 'all_custom_emoji', 0);
  await emitCustomEmoji(ctx);
}

/** Deactivates an emoji: existing uses keep it, and its name is free again. */
export async function deactivateCustomEmoji(ctx: Ctx, name: string): Promise<void> {
  await takeTurn(ctx);
  const emoji =
    (await findActiveEmoji(ctx.db, ctx.realm.id, name)) ?? failUnknown(`name: there is no custom emoji "${name}".`);
  if (!canRemoveEmoji(ctx.me, emoji)) {
    failForbidden(`name: only the user who added "${name}" and administrators can remove it.`);
  }
  await deactivateEmoji(ctx.db, ctx.realm.id, emoji.id);
  await emitCustomEmoji(ctx);
}

/** Locked: the event contains all emoji, so of two concurrent changes the later one must see the earlier one. */
async function takeTurn(ctx: Ctx): Promise<void> {
  await findCurrentSettings(ctx.db, ctx.realm.id, 'update');
}

async function emitCustomEmoji(ctx: Ctx): Promise<void> {
  ctx.emit({ type: 'realm_emoji', op: 'update', realm_emoji: await emojiById(ctx) }, { everyone: true });
}
