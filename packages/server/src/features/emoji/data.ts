import { createHash } from 'node:crypto';
import { lazy } from '../../core/lazy.ts';
import { unicodeNamesByCode } from './rules.ts';

/** A file for clients: the names of the Unicode emoji. */
export interface EmojiData {
  /** An id of this content. */
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** The names of all Unicode emoji by code, as `{"code_to_names": {"1f419": ["octopus"]}}`; serialized once. */
export const emojiData = lazy((): EmojiData => {
  const bytes = Buffer.from(JSON.stringify({ code_to_names: unicodeNamesByCode() }));
  return { key: createHash('sha256').update(bytes).digest('hex').slice(0, 16), bytes };
});

/** The path of the file on this server. */
export const emojiDataUrl = (): string => `/emoji/data/${emojiData().key}.json`;
