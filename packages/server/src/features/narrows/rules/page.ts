/** How many messages, and from where: those below `before`, the one at `at`, those above `after`. */
export interface PageWindow {
  /**
   * The end of all messages that the anchor is beyond: there are no messages at the anchor and on the other side of it.
   */
  readonly end: 'newest' | 'oldest' | 'middle';
  readonly before: number;
  readonly num_before: number;
  readonly at: number | null;
  readonly after: number;
  readonly num_after: number;
}

/** Larger than every message id. Terminal clients take this value as "no unread messages". */
export const BEYOND_NEWEST = 10_000_000_000_000_000;

interface PageParams {
  readonly anchor: number;
  readonly num_before: number;
  readonly num_after: number;
  readonly include_anchor: boolean;
}

/**
 * The window to query so that the edges are known: one message more than requested in each direction. An anchor that is
 * excluded counts as an older, or newer, message when the page has no messages on that side.
 */
export function toPageWindow({ anchor, num_before, num_after, include_anchor }: PageParams): PageWindow {
  const leftOut = include_anchor ? 0 : 1;
  return {
    end: anchor <= 0 ? 'oldest' : anchor >= BEYOND_NEWEST ? 'newest' : 'middle',
    before: num_before === 0 ? anchor + leftOut : anchor,
    num_before: num_before + 1,
    at: include_anchor ? anchor : null,
    after: num_after === 0 ? anchor - leftOut : anchor,
    num_after: num_after + 1,
  };
}

export interface MessagePage {
  readonly ids: number[];
  readonly found_anchor: boolean;
  readonly found_oldest: boolean;
  readonly found_newest: boolean;
}

/**
 * The page in the result of `toPageWindow`, ids ascending. When the anchor is absent, one id can be on both sides of
 * it.
 */
export function toMessagePage(
  found: readonly number[],
  { anchor, num_before, num_after, include_anchor }: PageParams,
): MessagePage {
  const before = found.filter((id) => id < anchor);
  const after = found.filter((id) => id > anchor);
  const isThere = found.includes(anchor);
  const at = include_anchor && isThere ? [anchor] : [];
  const isLeftOut = isThere && !include_anchor;
  return {
    ids: [...before.slice(Math.max(before.length - num_before, 0)), ...at, ...after.slice(0, num_after)],
    found_anchor: at.length > 0,
    found_oldest: before.length <= num_before && !(isLeftOut && num_before === 0),
    found_newest: after.length <= num_after && !(isLeftOut && num_after === 0),
  };
}

/**
 * The ids of a page in the order in which a response with too little room takes them: the anchor, then one of each side
 * in turn, so that the messages taken surround the anchor without a gap.
 */
export function sortByDistance(ids: readonly number[], anchor: number): number[] {
  const before = ids.filter((id) => id < anchor).reverse();
  const after = ids.filter((id) => id > anchor);
  const order = ids.includes(anchor) ? [anchor] : [];
  for (let n = 0; n < Math.max(before.length, after.length); n++) {
    const [older, newer] = [before[n], after[n]];
    if (older !== undefined) order.push(older);
    if (newer !== undefined) order.push(newer);
  }
  return order;
}

/**
 * The number of these messages that a response contains whatever their size: otherwise a client that pages by anchor
 * would make no progress.
 */
export function fewest(ids: readonly number[], anchor: number): number {
  const sides = [ids.includes(anchor), ids.some((id) => id < anchor), ids.some((id) => id > anchor)];
  return sides.filter((isThere) => isThere).length;
}

/** A page from whose ends messages were omitted. */
export function pageWithout(page: MessagePage, leftOut: ReadonlySet<number>): MessagePage {
  const [oldest, newest] = [page.ids.at(0), page.ids.at(-1)];
  return {
    ids: page.ids.filter((id) => !leftOut.has(id)),
    found_anchor: page.found_anchor,
    found_oldest: page.found_oldest && !(oldest !== undefined && leftOut.has(oldest)),
    found_newest: page.found_newest && !(newest !== undefined && leftOut.has(newest)),
  };
}

/** The requested numbers, lowered to `most` together: neither side gets less than half of that because of the other. */
export function lowerLimits({ num_before, num_after }: Pick<PageParams, 'num_before' | 'num_after'>, most: number) {
  const before = Math.min(num_before, Math.max(most - num_after, Math.floor(most / 2)));
  return { num_before: before, num_after: Math.min(num_after, most - before) };
}
