import { isWebLink } from './links.ts';
import { normalizeLink } from './parser.ts';
import type { Linkifier } from './render-facts.ts';

/** The budget of all linkifiers for one message, whatever their number and the text. */
export interface LinkifierBudget {
  links: number;
  /** Looked at by an ordinary linkifier. */
  characters: number;
}

export function createLinkifierBudget(): LinkifierBudget {
  return { links: 200, characters: 250_000 };
}

/** For the topics of a whole page of messages. */
export function createPageLinkifierBudget(): LinkifierBudget {
  return { links: 20_000, characters: 1_000_000 };
}

/** Charged for each search in addition to the text's length: a thousand short lines cost more than one long line. */
const COST_OF_A_LOOK = 16;
const LONGEST_URL = 2000;
/** Finding all matches in a text can take quadratic time, so a long one is searched in pieces. */
const LONGEST_PIECE = 500;

export interface LinkFound {
  start: number;
  end: number;
  url: string;
}

/** The links in a text, from left to right. Earlier linkifiers take precedence over later ones that overlap. */
export function findLinks(text: string, linkifiers: readonly Linkifier[], budget: LinkifierBudget): LinkFound[] {
  const links: LinkFound[] = [];
  const taken = new Uint8Array(text.length);
  const pieces = linkifiers.length > 0 ? piecesOf(text) : [];
  for (const linkifier of linkifiers) {
    for (const { from, piece } of pieces) {
      for (const found of matchesIn(piece, linkifier, budget)) {
        const [start, end] = [from + found.start, from + found.end];
        if (taken.subarray(start, end).includes(1) || touchesWord(text, start, end)) continue;
        const url = safeUrl(found.url);
        if (url === undefined) continue;
        taken.fill(1, start, end);
        budget.links -= 1;
        links.push({ start, end, url });
      }
    }
  }
  return links.sort((one, other) => one.start - other.start);
}

/** The links of a topic from the linkifiers. */
export function listTopicLinks(
  topic: string,
  linkifiers: readonly Linkifier[],
  budget = createLinkifierBudget(),
): { text: string; url: string }[] {
  const links = findLinks(topic, linkifiers, budget);
  return links.map(({ start, end, url }) => ({ text: topic.slice(start, end), url }));
}

interface Piece {
  readonly from: number;
  readonly piece: string;
}

/** A cut is at a space where there is one, so that it splits a match only if the match contains spaces. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (let from = 0; from < text.length; ) {
    const last = from + LONGEST_PIECE;
    const space = text.lastIndexOf(' ', last);
    const to = last >= text.length ? text.length : space > from ? space : last;
    pieces.push({ from, piece: text.slice(from, to) });
    from = to;
  }
  return pieces;
}

/** The matches of a linkifier while the budget lasts: finding the next one scans the rest again. */
function* matchesIn(piece: string, linkifier: Linkifier, budget: LinkifierBudget): Generator<LinkFound> {
  const look = (length: number) => linkifier.weight * (length + COST_OF_A_LOOK);
  if (!spend(budget, look(piece.length))) return;
  for (const found of linkifier.find(piece)) {
    if (found.start < found.end) yield found;
    if (!spend(budget, look(piece.length - found.end) + found.url.length)) return;
  }
}

/** The first search beyond the budget ends linkification for the whole message. */
function spend(budget: LinkifierBudget, characters: number): boolean {
  budget.characters = budget.links > 0 ? Math.max(0, budget.characters - characters) : 0;
  return budget.characters > 0;
}

// In scripts without spaces between words, a match can be adjacent to a letter.
const LETTER =
  '(?![\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}])[\\p{L}\\p{M}\\p{N}_]';
const endsInLetter = new RegExp(`${LETTER}$`, 'u');
const beginsWithLetter = new RegExp(`^${LETTER}`, 'u');

/** Whether the match is part of a longer word: `x#123` and `#12th` do not mean the numbers 123 and 12. */
function touchesWord(text: string, start: number, end: number): boolean {
  return (
    endsInLetter.test(text.slice(Math.max(0, start - 2), start)) || beginsWithLetter.test(text.slice(end, end + 2))
  );
}

function safeUrl(url: string): string | undefined {
  if (url.length > LONGEST_URL) return undefined;
  const href = normalizeLink(url);
  return isWebLink(href) ? href : undefined;
}
