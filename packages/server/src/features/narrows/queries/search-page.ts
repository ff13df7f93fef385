import type { Db } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { User } from '../../../core/context.ts';
import type { PageWindow } from '../rules/page.ts';
import { type IdSpan, SPAN_SIZES, spansAbove, spansBelow } from '../rules/search-spans.ts';
import { findIndexedSearch, type NarrowSql, type ResolvedTerm, searchFrom, toNarrowSql } from './narrow.ts';
import { type FoundMessage, listAmong, listNearest, listPage, type Reach } from './page.ts';
import { findEndsOfMessages, isWithin } from './search.ts';

type Me = Pick<User, 'realm_id' | 'id' | 'role'>;

/**
 * The messages of a page of a narrow, ascending. Those of a search for words that many messages have are found near the
 * anchor by looking at each message, and then span by span by the index of words.
 */
export async function listNarrowPage(
  db: Db,
  me: Me,
  terms: readonly ResolvedTerm[],
  window: PageWindow,
  sizes: readonly number[] = SPAN_SIZES,
): Promise<FoundMessage[]> {
  const narrows = toNarrowSql(me, terms);
  const search = findIndexedSearch(terms);
  const ends = search?.index === 'far' ? await findEndsOfMessages(db, me.realm_id) : undefined;
  if (!search || !ends) return listPage(db, narrows, window);
  const { end, before, num_before, at, after, num_after } = window;
  const within = (span: IdSpan, isFirst: boolean): readonly NarrowSql[] =>
    (isFirst ? narrows : searchFrom(me, terms, { search, span })).map((narrow) => ({
      ...narrow,
      where: sql`${narrow.where} and ${isWithin(span)}`,
    }));
  const older = spansBelow(Math.min(before, ends.newest + 1), ends.oldest, sizes);
  const newer = spansAbove(Math.max(after, ends.oldest - 1), ends.newest, sizes);
  return [
    ...(end === 'oldest' ? [] : await listBySpans(db, older, within, { side: 'below', limit: num_before })),
    ...(end === 'middle' && at !== null ? await listAmong(db, narrows, [at]) : []),
    ...(end === 'newest' ? [] : await listBySpans(db, newer, within, { side: 'above', limit: num_after })),
  ];
}

/** Searches span by span until there are enough messages. */
async function listBySpans(
  db: Db,
  spans: Iterable<IdSpan>,
  within: (span: IdSpan, isFirst: boolean) => readonly NarrowSql[],
  { side, limit }: { side: 'below' | 'above'; limit: number },
): Promise<FoundMessage[]> {
  let found: FoundMessage[] = [];
  let isFirst = true;
  for (const span of spans) {
    const reach: Reach = side === 'below' ? { below: span.below } : { above: span.above };
    const more = await listNearest(db, within(span, isFirst), reach, limit - found.length);
    found = side === 'below' ? [...more, ...found] : [...found, ...more];
    if (found.length >= limit) break;
    isFirst = false;
  }
  return found;
}
