import { createHash } from 'node:crypto';
import { lazy } from '../../core/lazy.ts';
import { unicodeNamesByCode } from './rules.ts';

/** A file for clients: which names the Unicode emoji have. */
export interface EmojiData {
  /** What names this content and no other. */
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** The names of all Unicode emoji by code, as `{"code_to_names": {"1f419": ["octopus"]}}`; written once. */
export const emojiData = lazy((): EmojiData => {
  const bytes = Buffer.from(JSON.stringify({ code_to_names: unicodeNamesByCode() }));
  return { key: createHash('sha256').update(bytes).digest('hex').slice(0, 16), bytes };
});

/** Where the file is: a path on this server. */
export const emojiDataUrl = (): string => `/emoji/data/${emojiData().key}.json`;
