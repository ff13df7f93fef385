import { containsWord, listPieces, wordKey } from '../../../text/alert-words.ts';

/** A user of a conversation with an alert word. */
export interface WatchedWord {
  readonly conversation_id: number;
  readonly word_key: string;
  readonly user_ids: readonly number[];
}

interface Text {
  readonly shown: string;
}

/** The keys to look up alert words by that these texts may contain. */
export function listAlertPieces(texts: readonly Text[]): string[] {
  return listPieces(texts.map(({ shown }) => wordKey(shown)));
}

/** Those users with alert words in the conversation whose words the text contains. */
export function listAlertedUsers({ shown }: Text, watching: readonly WatchedWord[] = []): Set<number> {
  const key = watching.length > 0 ? wordKey(shown) : '';
  return new Set(watching.flatMap(({ word_key, user_ids }) => (containsWord(key, word_key) ? user_ids : [])));
}
