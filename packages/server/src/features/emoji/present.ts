import type { Schema } from '../../core/contract.ts';
import type { EmojiPicture } from '../../text/markdown.ts';
import type { EmojiRow } from './queries.ts';
import { type CustomEmoji, EXTRA, findEmojiByName } from './rules.ts';

/** The path of an emoji's image on this server. */
const pictureUrl = (code: string | number): string => `/emoji/${code}`;

export function presentEmoji(emoji: readonly EmojiRow[]): Schema<'CustomEmojiById'> {
  const items = emoji.map(({ id, name, deactivated, author_id, moves }) => ({
    id: String(id),
    name,
    source_url: pictureUrl(id),
    still_url: moves ? `${pictureUrl(id)}/still` : null,
    deactivated,
    author_id,
  }));
  return Object.fromEntries(items.map((item) => [item.id, item]));
}

/** A name as it appears in a message. */
export function findPictureByName(name: string, custom: readonly CustomEmoji[]): EmojiPicture | undefined {
  const emoji = findEmojiByName(name, custom);
  if (!emoji) return undefined;
  return emoji.reaction_type === 'unicode_emoji' ? { code: emoji.emoji_code } : { image: pictureUrl(emoji.emoji_code) };
}

/** The server's own emoji: two speech balloons. */
export const extraPictures: Readonly<Record<typeof EXTRA, string>> = {
  [EXTRA]:
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">' +
    '<path fill="#3f6fd8" d="M10 6h30a8 8 0 0 1 8 8v14a8 8 0 0 1-8 8H24L12 46V36h-2a8 8 0 0 1-8-8V14a8 8 0 0 1 8-8z"/>' +
    '<path fill="#f2a33a" d="M52 22a8 8 0 0 1 8 8v14a8 8 0 0 1-8 8v8L40 52H28a8 8 0 0 1-7-5l7-6h12a13 13 0 0 0 13-13z"/></svg>\n',
};
