import type { Db } from '@parley/db';
import { escapeHtml } from '../../../text/escape-html.ts';
import type { ShownMessage } from '../../messages/index.ts';
import type { ResolvedTerm } from '../queries/narrow.ts';
import { listMatchingWords } from '../queries/search.ts';
import { highlight, htmlToText, listWords } from '../rules/highlight.ts';

/** Highlights the words of the search in a message. */
export type MatchMarker = (message: ShownMessage) => { match_content: string; match_subject: string };

/** Undefined when the narrow searches for no words. */
export async function createMatchMarker(
  db: Db,
  terms: readonly ResolvedTerm[],
  messages: readonly ShownMessage[],
): Promise<MatchMarker | undefined> {
  const sought = terms.flatMap((term) => (term.is_a === 'search' && !term.negated ? term.texts : []));
  if (sought.length === 0) return undefined;
  const texts = messages.flatMap(({ rendered_content, topic }) => [htmlToText(rendered_content), topic ?? '']);
  const found = await listMatchingWords(db, listWords(texts), sought);
  return ({ rendered_content, topic }) => ({
    match_content: highlight(rendered_content, found, sought),
    match_subject: highlight(escapeHtml(topic ?? ''), found, sought),
  });
}
