import { bounds } from '../../core/limits.ts';
import { firstPiece, wordKey } from '../../text/alert-words.ts';
import { codePoints } from '../../text/names.ts';

/** An alert word of a user. */
export interface AlertWord {
  readonly word: string;
  /** Two words with the same key are the same. */
  readonly word_key: string;
  readonly first_piece: string;
}

/** Words as they are stored, each once: of several spellings the first stays. */
export function toAlertWords(inputs: readonly string[]): AlertWord[] {
  const words = inputs.map((one) => {
    const word = one.trim();
    const word_key = wordKey(word);
    return { word, word_key, first_piece: firstPiece(word_key) };
  });
  return words.filter(({ word_key }, n) => words.findIndex((other) => other.word_key === word_key) === n);
}

/** The problem of the words, if there is one. */
export function wordsProblem(words: readonly AlertWord[]): string | undefined {
  // A word without pieces has no visible characters, and no message could be found to contain it.
  if (words.some(({ first_piece }) => first_piece === '')) return 'alert_words: a word cannot be blank.';
  const long = words.find(({ word }) => codePoints(word) > bounds.alert_word);
  return long && `alert_words: a word has at most ${bounds.alert_word} characters. This one has more: ${long.word}`;
}
