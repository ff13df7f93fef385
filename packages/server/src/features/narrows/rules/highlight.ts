import { escapeHtml } from '../../../text/escape-html.ts';

const TAG_OR_TEXT = /<[^>]*>|[^<]+/g;
const WORD = /[\p{L}\p{N}\p{M}_]+/gu;
const ENTITY = /&(?:#\d+|#x[\da-f]+|\w+);/giu;

/** The distinct words of texts, as a reader sees them. */
export function listWords(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => text.match(WORD) ?? []))];
}

/** The text of HTML, without formulas and emoji, for finding words in it. */
export function htmlToText(html: string): string {
  const texts: string[] = [];
  replaceText(html, (text) => {
    texts.push(text);
    return text;
  });
  return texts.join(' ').replace(ENTITY, ' ');
}

/** Formulas contain the same text three times, and a highlight would break formulas and emoji. */
const ATOMIC_ELEMENTS = /^<span (?:aria-label="[^"]*" )?class="(?:katex|emoji)[ "]/;

/** Replaces the text between tags, outside of formulas and emoji. */
function replaceText(html: string, replace: (text: string) => string): string {
  let depth = 0;
  return html.replace(TAG_OR_TEXT, (piece) => {
    if (!piece.startsWith('<')) return depth > 0 ? piece : replace(piece);
    if (depth > 0 ? /^<\/?span[ >]/.test(piece) : ATOMIC_ELEMENTS.test(piece)) depth += piece[1] === '/' ? -1 : 1;
    return piece;
  });
}

/**
 * HTML with the words of a search highlighted. Tags and entities are never searched, so the HTML stays well-formed: the
 * renderer escapes every `<` and `>` that is not part of a tag.
 */
export function highlight(html: string, found: ReadonlySet<string>, literal: readonly string[]): string {
  return replaceText(html, (text) => markText(text, found, literal));
}

function markText(text: string, found: ReadonlySet<string>, literal: readonly string[]): string {
  const marks = [...wordSpans(text, found), ...literal.flatMap((words) => literalSpans(text, words))];
  let marked = '';
  let done = 0;
  for (const [start, end] of marks.sort(([one], [other]) => one - other)) {
    if (start < done) continue;
    marked += `${text.slice(done, start)}<span class="highlight">${text.slice(start, end)}</span>`;
    done = end;
  }
  return marked + text.slice(done);
}

type Span = [start: number, end: number];

function wordSpans(text: string, found: ReadonlySet<string>): Span[] {
  const outside = outsideEntities(text);
  return [...text.matchAll(WORD)]
    .filter(([word]) => found.has(word))
    .map(({ index, 0: word }): Span => [index, index + word.length])
    .filter(outside);
}

function literalSpans(text: string, words: string): Span[] {
  const outside = outsideEntities(text);
  const pattern = new RegExp(escapeHtml(words).replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'giu');
  return [...text.matchAll(pattern)].map(({ index, 0: match }): Span => [index, index + match.length]).filter(outside);
}

/** Returns a predicate: whether a span cuts no entity in two. */
function outsideEntities(text: string): (span: Span) => boolean {
  const entities = [...text.matchAll(ENTITY)].map(({ index, 0: entity }): Span => [index, index + entity.length]);
  const cuts = ([start, end]: Span, [from, to]: Span) => (start > from && start < to) || (end > from && end < to);
  return (span) => !entities.some((entity) => cuts(span, entity));
}
