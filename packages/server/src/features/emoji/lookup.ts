import type { PublicCtx } from '../../core/context.ts';
import { fail } from '../../core/errors.ts';
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
 * The emoji that a name means, which a code and a type, if given, must agree with
 * (docs/behaviour/emoji.md#validate-an-emoji).
 */
export async function requireEmoji(ctx: Inside, query: EmojiQuery & { readonly emoji_name: string }): Promise<Emoji> {
  const emoji = validateEmoji(query, await customAmong(ctx, [query.emoji_name]));
  return typeof emoji === 'string' ? fail('BAD_REQUEST', emoji) : emoji;
}

/** The reaction that a request wants removed (docs/behaviour/reactions.md#remove-a-reaction). */
export async function requireRemovable(ctx: Inside, query: EmojiQuery): Promise<Removable> {
  const { emoji_name, emoji_code } = query;
  const custom = await customAmong(ctx, emoji_name === undefined ? [] : [emoji_name], emoji_code);
  const reaction = findRemovableReaction(query, custom);
  return typeof reaction === 'string' ? fail('BAD_REQUEST', reaction) : reaction;
}

/** What the `:names:` in texts look like. The database is asked only if there is a name that a custom emoji could have. */
export async function listEmojiFor(ctx: Inside, texts: readonly string[]): Promise<NonNullable<RenderFacts['emoji']>> {
  const custom = await customAmong(ctx, new Set(texts.flatMap(emojiNames)));
  return (name) => findPictureByName(name, custom);
}

/** The custom emoji that these names and this code may mean, in one statement, or in none if there can be no such emoji. */
async function customAmong({ db, realm }: Inside, names: Iterable<string>, code = ''): Promise<CustomEmoji[]> {
  const id = /^[1-9]\d{0,15}$/.test(code) ? Number(code) : undefined;
  return findCustomEmoji(db, realm.id, { names: [...names].filter(isCustomName), id });
}
