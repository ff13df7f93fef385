import { diffWordsWithSpace } from 'diff';
import { escapeHtml } from '../../../text/escape-html.ts';
import type { Snapshot } from './history.ts';

/**
 * The maximum number of words that differ between two texts, and in all texts of a response: comparing more takes
 * seconds.
 */
const MOST = { texts: 300, response: 3000 };

/** The states of a message, each with the changes of its text highlighted. */
export function markDifferences(states: readonly Snapshot[]): Snapshot[] {
  let left = MOST.response;
  return states.map((state) => {
    if (state.prev_content === undefined) return state;
    const { html, changes } = difference(state.prev_content, state.content, Math.min(MOST.texts, left));
    left -= changes;
    return { ...state, content_html_diff: html };
  });
}

/**
 * A text with deletions and insertions highlighted, as safe HTML. Texts that differ too much are highlighted as a
 * whole.
 */
function difference(before: string, after: string, most: number): { html: string; changes: number } {
  const pieces = diffWordsWithSpace(before, after, { maxEditLength: most });
  if (!pieces) return { html: removed(before) + added(after), changes: most };
  const html = pieces.map((piece) => {
    if (piece.added) return added(piece.value);
    return piece.removed ? removed(piece.value) : escapeHtml(piece.value);
  });
  const changed = pieces.filter((piece) => piece.added || piece.removed);
  return { html: html.join(''), changes: changed.reduce((sum, { count }) => sum + count, 0) };
}

const added = (text: string): string => (text === '' ? '' : `<ins>${escapeHtml(text)}</ins>`);
const removed = (text: string): string => (text === '' ? '' : `<del>${escapeHtml(text)}</del>`);
