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

/** The same by conversation, for texts that go to many. */
export function groupByConversation(watching: readonly WatchedWord[]): Map<number, WatchedWord[]> {
  const found = new Map<number, WatchedWord[]>();
  for (const one of watching) {
    const others = found.get(one.conversation_id);
    if (others) others.push(one);
    else found.set(one.conversation_id, [one]);
  }
  return found;
}
