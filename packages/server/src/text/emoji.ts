import type { EmojiPicture } from './facts.ts';

export interface EmojiFound {
  start: number;
  end: number;
  name: string;
  picture: { text: string } | { image: string };
}

/** The known emoji in a text, from left to right. The colon that ends one name cannot begin another. */
export function emojiIn(text: string, lookUp: ((name: string) => EmojiPicture | undefined) | undefined): EmojiFound[] {
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

function pictureOf(emoji: EmojiPicture | undefined): EmojiFound['picture'] | undefined {
  if (!emoji) return undefined;
  if ('code' in emoji) return textOf(emoji.code);
  // One slash, not two: an image from a foreign host would tell it who reads the message.
  return /^\/(?![/\\])[^\s\p{Cc}]+$/u.test(emoji.image) ? { image: emoji.image } : undefined;
}

function textOf(code: string): { text: string } | undefined {
  const points = code.split('-').map((part) => (/^[0-9a-f]{2,6}$/i.test(part) ? Number.parseInt(part, 16) : -1));
  const valid = points.every((point) => point > 0x1f && point <= 0x10ffff && !(point >> 11 === 0x1b));
  return valid ? { text: points.map(shownAsPicture).join('') } : undefined;
}

/** Codes leave out U+FE0F, without which many old characters, such as the heart, are drawn like letters. */
function shownAsPicture(point: number): string {
  const character = String.fromCodePoint(point);
  const isLetterlike = /^\p{Emoji}$/u.test(character) && !/^\p{Emoji_Presentation}$/u.test(character);
  return isLetterlike ? `${character}\ufe0f` : character;
}
