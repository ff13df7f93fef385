/** The ids between two others. */
export interface IdSpan {
  readonly above: number;
  readonly below: number;
  /** Whether it is the last one: with as many ids as there are. */
  readonly isRest: boolean;
}

/**
 * The numbers of ids of the first spans of a search. In the first one, messages are looked at one by one, so a common word
 * is found without its index, and one that was common long ago without looking at all messages since.
 */
export const SPAN_SIZES = [20_000, 160_000, 1_280_000] as const;

/** The ids on one side of an id as spans, nearest first, up to the oldest or newest message. */
export function* spansBelow(below: number, oldest: number, sizes: readonly number[] = SPAN_SIZES): Generator<IdSpan> {
  for (const size of [...sizes, Number.POSITIVE_INFINITY]) {
    if (below <= oldest) return;
    const first = Math.max(below - size, oldest);
    yield { above: first - 1, below, isRest: size === Number.POSITIVE_INFINITY };
    below = first;
  }
}

export function* spansAbove(above: number, newest: number, sizes: readonly number[] = SPAN_SIZES): Generator<IdSpan> {
  for (const size of [...sizes, Number.POSITIVE_INFINITY]) {
    if (above >= newest) return;
    const last = Math.min(above + size, newest);
    yield { above, below: last + 1, isRest: size === Number.POSITIVE_INFINITY };
    above = last;
  }
}
