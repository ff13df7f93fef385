export { listEmojiFor, requireEmoji, requireRemovable } from './access.ts';
export { emojiState } from './actions.ts';
export { emojiData, emojiDataUrl } from './data.ts';
export { extraPictures } from './present.ts';
export { findPictures } from './queries.ts';
export type { Emoji, EmojiQuery } from './rules.ts';
