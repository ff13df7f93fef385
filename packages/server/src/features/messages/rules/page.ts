/** How many messages, and from where: those below `before`, the one at `at`, those above `after`. */
export interface Window {
  readonly before: number;
  readonly num_before: number;
  readonly at: number | null;
  readonly after: number;
  readonly num_after: number;
}

interface Asked {
  readonly anchor: number;
  readonly num_before: number;
  readonly num_after: number;
  readonly include_anchor: boolean;
}

/**
 * What to look for so that the edges are known: one message more than asked for in each direction. An anchor that is left
 * out is itself something older, or newer, than a page without anything on that side.
 */
export function windowOf({ anchor, num_before, num_after, include_anchor }: Asked): Window {
  const leftOut = include_anchor ? 0 : 1;
  return {
    before: num_before === 0 ? anchor + leftOut : anchor,
    num_before: num_before + 1,
    at: include_anchor ? anchor : null,
    after: num_after === 0 ? anchor - leftOut : anchor,
    num_after: num_after + 1,
  };
}

export interface Page {
  readonly ids: number[];
  readonly found_anchor: boolean;
  readonly found_oldest: boolean;
  readonly found_newest: boolean;
}

/** The page in what `windowOf` found, ids ascending; without the anchor one id can stand on both sides of it. */
export function pageOf(found: readonly number[], { anchor, num_before, num_after, include_anchor }: Asked): Page {
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

/** The numbers asked for, lowered to `most` together: neither side gets less than half of that for the other's sake. */
export function lowered({ num_before, num_after }: Pick<Asked, 'num_before' | 'num_after'>, most: number) {
  const before = Math.min(num_before, Math.max(most - num_after, Math.floor(most / 2)));
  return { num_before: before, num_after: Math.min(num_after, most - before) };
}
