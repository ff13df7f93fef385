/** A message that got another number. */
interface Renumbered {
  readonly old_seq: number;
  readonly new_seq: number;
}

/** The spans of a multirange literal such as `{[1,5),[9,12)}`; the second number is no longer part of a span. */
export function spansOf(literal: string): [number, number][] {
  return [...literal.matchAll(/\[(\d+),(\d+)\)/g)].map(([, from, to]) => [Number(from), Number(to)]);
}

/** The same messages under their new numbers. `moved` ascends by old number. */
export function renumbered(literal: string, moved: readonly Renumbered[]): number[] {
  const found: number[] = [];
  for (const [from, to] of spansOf(literal)) {
    for (let n = firstFrom(moved, from); n < moved.length; n++) {
      const one = moved[n];
      if (!one || one.old_seq >= to) break;
      found.push(one.new_seq);
    }
  }
  return found;
}

function firstFrom(moved: readonly Renumbered[], seq: number): number {
  let [low, high] = [0, moved.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moved[middle]?.old_seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What people had of moved messages in the old stream, as multirange literals of old numbers. */
interface Had {
  readonly received: string;
  readonly reopened: string;
  /** Of those two. */
  readonly read: string;
}

/** New numbers, in no order. */
export interface Have {
  readonly received: number[];
  readonly read: number[];
  readonly reopened: number[];
}

interface Going {
  /** Whether the new stream shows people only what they received. */
  readonly is_protected: boolean;
  /** New numbers of messages that the person kept something about. */
  readonly kept: ReadonlySet<number>;
}

/**
 * What they have of them in the new one. Where history is protected, who had no record of a message gets one that is read, or
 * they could not see it (behaviour 4.4).
 */
export function recordsAfter(had: Had, moved: readonly Renumbered[], { is_protected, kept }: Going): Have {
  const received = renumbered(had.received, moved);
  const read = renumbered(had.read, moved);
  const reopened = renumbered(had.reopened, moved);
  if (!is_protected) return { received, read, reopened };
  const known = new Set([...reopened, ...kept, ...received]);
  const fresh = moved.map(({ new_seq }) => new_seq).filter((seq) => !known.has(seq));
  return { received: [...received, ...fresh], read: [...read, ...fresh], reopened };
}
