export { emojiState } from './actions.ts';
export { emojiData, emojiDataUrl } from './data.ts';
export { emojiFor, requireEmoji, requireRemovable } from './lookup.ts';
export { extraPicture } from './present.ts';
export { findPictures } from './queries.ts';
export type { Emoji, EmojiQuery } from './rules.ts';
