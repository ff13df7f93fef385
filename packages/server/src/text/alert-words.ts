// Scripts written without spaces between words: adjacent letters do not belong to the same word.
const UNSPACED =
  '[[\\p{L}\\p{N}]&&[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Bopo}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Tibt}]]';
const JOINED = `[[\\p{L}\\p{N}\\p{M}\\p{Pc}]--${UNSPACED}]`;
/**
 * A letter of an unspaced script with its marks; a run of other letters, digits and underscores; any other character.
 */
const PIECE = new RegExp(`${UNSPACED}\\p{M}*|${JOINED}+|[^\\p{Z}\\p{C}]`, 'gv');
const RUN = new RegExp(`${UNSPACED}|${JOINED}`, 'v');
const ENDS_JOINED = new RegExp(`${JOINED}$`, 'v');
const BEGINS_JOINED = new RegExp(`^${JOINED}`, 'v');
const BEGINS_UNSPACED = new RegExp(`^${UNSPACED}`, 'v');
const ENDS_UNSPACED = new RegExp(`${UNSPACED}\\p{M}*$`, 'v');
const BEGINS_MARK = /^\p{M}/u;

/** Two texts with the same key match as alert words: case, kinds of space and emoji variants do not matter. */
export function wordKey(text: string): string {
  return text
    .normalize('NFC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')
    .replaceAll('ς', 'σ')
    .replace(/[\u{FE0E}\u{FE0F}]/gu, '')
    .replace(/[\p{Z}\s]+/gu, ' ')
    .trim();
}

/** The pieces of texts, each once: a text that contains a word contains the word's first piece. */
export function listPieces(keys: readonly string[]): string[] {
  return [...new Set(keys.flatMap((key) => key.match(PIECE) ?? []))];
}

/**
 * The lookup key of a word: its first letters or digits, as they are rarer than symbols; without any, its first symbol.
 */
export function firstPiece(key: string): string {
  const pieces = key.match(PIECE) ?? [];
  return pieces.find((piece) => RUN.test(piece)) ?? pieces[0] ?? '';
}

/** Whether a text contains a word as a whole; a word of symbols alone matches anywhere. Both are keys. */
export function containsWord(text: string, word: string): boolean {
  const isAnywhere = !RUN.test(word);
  for (let start = text.indexOf(word); start >= 0; start = text.indexOf(word, start + 1)) {
    if (isAnywhere || isWhole(text, word, start)) return true;
  }
  return false;
}

function isWhole(text: string, word: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  const after = text.slice(start + word.length, start + word.length + 2);
  if (BEGINS_MARK.test(after)) return false;
  if (ENDS_JOINED.test(before) && !BEGINS_UNSPACED.test(word)) return false;
  return !BEGINS_JOINED.test(after) || ENDS_UNSPACED.test(word);
}
