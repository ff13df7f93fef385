import type { StateInline } from 'markdown-it';

/** Inline rules of markdown-it. Each token keeps the typed text, which is interpreted at rendering. */

const WORD = /[\p{L}\p{N}_]/u;
const TIME = /<time:([^<>\n]{0,300})>/y;

/** `$$tex$$`, separate from words and within one line. */
export function inlineMath(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (!src.startsWith('$$', pos) || isPartOfWord(src[pos - 1])) return false;
  const end = findMathEnd(src, pos + 2, posMax);
  if (end < 0 || isPartOfWord(src[end + 2])) return false;
  if (!silent) state.push('math', '', 0).content = src.slice(pos + 2, end);
  state.pos = end + 2;
  return true;
}

const isPartOfWord = (character: string | undefined): boolean =>
  character !== undefined && (character === '$' || WORD.test(character));

/**
 * The position of the `$$` that ends a formula. A formula contains no unescaped dollar sign, so nothing is scanned
 * twice.
 */
function findMathEnd(src: string, start: number, posMax: number): number {
  for (let at = start; at < posMax - 1; at += 1) {
    if (src[at] === '\\') at += 1;
    else if (src[at] === '\n') return -1;
    else if (src[at] === '$') return at > start && src[at + 1] === '$' ? at : -1;
  }
  return -1;
}

/** `<time:2020-05-28T13:30:00+05:30>`. */
export function inlineTime(state: StateInline, silent: boolean): boolean {
  TIME.lastIndex = state.pos;
  const [typed, time] = TIME.exec(state.src) ?? [];
  if (typed === undefined || time === undefined || state.pos + typed.length > state.posMax) return false;
  if (!silent) state.push('time', '', 0).content = time;
  state.pos += typed.length;
  return true;
}
