import type { EmojiPicture } from './render-facts.ts';

export interface EmojiFound {
  start: number;
  end: number;
  name: string;
  picture: EmojiPicture;
}

/** The known emoji in a text, from left to right. The colon that ends one name cannot begin another. */
export function listEmojiInText(
  text: string,
  lookUp: ((name: string) => EmojiPicture | undefined) | undefined,
): EmojiFound[] {
  if (!lookUp) return [];
  const found: EmojiFound[] = [];
  const names = /:([\p{L}\p{N}_+-]{1,100}):/uy;
  for (let start = text.indexOf(':'); start >= 0; start = text.indexOf(':', names.lastIndex || start + 1)) {
    names.lastIndex = start;
    const name = names.exec(text)?.[1];
    const picture = name === undefined ? undefined : pictureOf(lookUp(name));
    if (name === undefined || !picture) names.lastIndex = 0;
    else found.push({ start, end: names.lastIndex, name, picture });
  }
  return found;
}

/** The names that may be emoji in a text, known or not. */
export function emojiNames(text: string): string[] {
  return Array.from(text.matchAll(/:([\p{L}\p{N}_+-]{1,100})(?=:)/gu), ([, name = '']) => name);
}

function pictureOf(emoji: EmojiPicture | undefined): EmojiPicture | undefined {
  if (!emoji) return undefined;
  if ('code' in emoji) return /^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6})*$/.test(emoji.code) ? emoji : undefined;
  // A single slash: an image from a foreign host would reveal to it who reads the message.
  return /^\/(?![/\\])[^\s\p{Cc}]+$/u.test(emoji.image) ? emoji : undefined;
}
