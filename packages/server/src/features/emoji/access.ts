import type { PublicCtx } from '../../core/context.ts';
import { failOnProblem } from '../../core/errors.ts';
import { emojiNames } from '../../text/emoji.ts';
import type { RenderFacts } from '../../text/markdown.ts';
import { findPictureByName } from './present.ts';
import { findCustomEmoji } from './queries.ts';
import {
  type CustomEmoji,
  type Emoji,
  type EmojiQuery,
  findRemovableReaction,
  isCustomName,
  type Removable,
  validateEmoji,
} from './rules.ts';

type Inside = Pick<PublicCtx, 'db' | 'realm'>;

/**
 * Returns the emoji of a name, or fails if a given code or type does not match it
 * (docs/behaviour/emoji.md#validate-an-emoji).
 */
export async function requireEmoji(ctx: Inside, query: EmojiQuery & { readonly emoji_name: string }): Promise<Emoji> {
  const emoji = validateEmoji(query, await customAmong(ctx, [query.emoji_name]));
  return 'reason' in emoji ? failOnProblem(emoji) : emoji;
}

/** Returns the reaction that a request removes (docs/behaviour/reactions.md#remove-a-reaction). */
export async function requireRemovable(ctx: Inside, query: EmojiQuery): Promise<Removable> {
  const { emoji_name, emoji_code } = query;
  const custom = await customAmong(ctx, emoji_name === undefined ? [] : [emoji_name], emoji_code);
  const reaction = findRemovableReaction(query, custom);
  return 'reason' in reaction ? failOnProblem(reaction) : reaction;
}

/** The pattern of `:names:` in texts. The database is queried only if a custom emoji can have one of the names. */
export async function listEmojiFor(ctx: Inside, texts: readonly string[]): Promise<NonNullable<RenderFacts['emoji']>> {
  const custom = await customAmong(ctx, new Set(texts.flatMap(emojiNames)));
  return (name) => findPictureByName(name, custom);
}

/**
 * The custom emoji that these names and this code can refer to: one statement, or none if there can be no such emoji.
 */
async function customAmong({ db, realm }: Inside, names: Iterable<string>, code = ''): Promise<CustomEmoji[]> {
  const id = /^[1-9]\d{0,15}$/.test(code) ? Number(code) : undefined;
  return findCustomEmoji(db, realm.id, { names: [...names].filter(isCustomName), id });
}
