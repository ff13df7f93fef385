import { requireValue } from '../../../core/require-value.ts';

/** A message that got another number. */
interface Renumbered {
  readonly old_seq: number;
  readonly new_seq: number;
}

/** A range of numbers, as in a multirange: the first is included, the second excluded. */
export type Range = [from: number, to: number];

/** The ranges of a multirange literal such as `{[1,5),[9,12)}`. */
export function toRanges(literal: string): Range[] {
  return [...literal.matchAll(/\[(\d+),(\d+)\)/g)].map(([, from, to]) => [Number(from), Number(to)]);
}

/** The multirange literal of ranges in any order. */
export const toMultirange = (ranges: readonly Range[]): string =>
  `{${ranges.map(([from, to]) => `[${from},${to})`).join(',')}}`;

export const listNumbers = (ranges: readonly Range[]): number[] =>
  ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, n) => from + n));

/** Adds a number to ranges; a number that follows the last range extends it. */
function add(ranges: Range[], number: number): void {
  const last = ranges.at(-1);
  if (last?.[1] === number) last[1]++;
  else ranges.push([number, number + 1]);
}

/** The numbers of messages, in which `moved` ascends. */
export function collectRanges(moved: readonly Renumbered[], number: keyof Renumbered): Range[] {
  const ranges: Range[] = [];
  for (const one of moved) add(ranges, one[number]);
  return ranges;
}

/** The same messages under their new numbers. `moved` ascends by old number. */
export function renumberRanges(literal: string, moved: readonly Renumbered[]): Range[] {
  const found: Range[] = [];
  for (const [from, to] of toRanges(literal)) {
    for (let n = firstFrom(moved, from); n < moved.length; n++) {
      const one = moved[n];
      if (!one || one.old_seq >= to) break;
      add(found, one.new_seq);
    }
  }
  return found;
}

function firstFrom(moved: readonly Renumbered[], seq: number): number {
  let [low, high] = [0, moved.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (requireValue(moved[middle]).old_seq < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The records of users about moved messages in the old stream, as multirange literals of old numbers. */
interface Had {
  readonly received: string;
  readonly reopened: string;
  /** The read part of those two. */
  readonly read: string;
}

/** New numbers. */
export interface MessageAccess {
  readonly received: readonly Range[];
  readonly read: readonly Range[];
  readonly reopened: readonly Range[];
}

interface Going {
  /** Whether the history of the new stream is protected. */
  readonly is_protected: boolean;
  /** New numbers of messages on which the user has flags. */
  readonly flagged_seqs: ReadonlySet<number>;
}

/**
 * The records of the user in the new stream. With protected history, each message without a record gets a read one:
 * otherwise the user could not see it (docs/behaviour/messages.md#access-after-a-move).
 */
export function computeMovedRecords(
  had: Had,
  moved: readonly Renumbered[],
  { is_protected, flagged_seqs }: Going,
): MessageAccess {
  const received = renumberRanges(had.received, moved);
  const read = renumberRanges(had.read, moved);
  const reopened = renumberRanges(had.reopened, moved);
  if (!is_protected) return { received, read, reopened };
  const known = new Set([...listNumbers(received), ...flagged_seqs]);
  const fresh: Range[] = [];
  for (const { new_seq } of moved) if (!known.has(new_seq)) add(fresh, new_seq);
  return { received: [...received, ...fresh], read: [...read, ...fresh], reopened };
}
