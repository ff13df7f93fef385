import { containsWord, listPieces, wordKey } from '../../../text/alert-words.ts';

/** Who in a conversation watches for a word. */
export interface WatchedWord {
  readonly conversation_id: number;
  readonly word_key: string;
  readonly user_ids: readonly number[];
}

interface Text {
  readonly shown: string;
}

/** By what the words are looked up that these texts may contain. */
export function listAlertPieces(texts: readonly Text[]): string[] {
  return listPieces(texts.map(({ shown }) => wordKey(shown)));
}

/** Who, of those who watch for words in the conversation, has one in the text. */
export function listAlertedUsers({ shown }: Text, watching: readonly WatchedWord[] = []): Set<number> {
  const key = watching.length > 0 ? wordKey(shown) : '';
  return new Set(watching.flatMap(({ word_key, user_ids }) => (containsWord(key, word_key) ? user_ids : [])));
}
