import { sql } from 'drizzle-orm';

/** Message numbers in a chunk of `read_marks`. */
export const CHUNK = 16_384;
/** The same, to be written into SQL: a parameter would hide from the planner what is divided. */
export const chunkSize = sql.raw(String(CHUNK));

export const chunkOf = (seq: number): number => Math.floor(seq / CHUNK);

/** The multirange literal of some message numbers: neighbours are joined, so a run of any length is one range. */
export function seqSet(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const ranges: string[] = [];
  let start: number | undefined;
  sorted.forEach((seq, n) => {
    start ??= seq;
    if (sorted[n + 1] === seq + 1) return;
    ranges.push(`[${start},${seq + 1})`);
    start = undefined;
  });
  return `{${ranges.join(',')}}`;
}
