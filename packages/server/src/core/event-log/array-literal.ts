import { createYield } from '../slices.ts';

/** Numbers that are written in less than a millisecond. */
const PART = 5_000;

/** Numbers as the text of an array of PostgreSQL. */
export const toArrayLiteral = (numbers: readonly number[]): string => `{${numbers.join(',')}}`;

/** The same for long lists: 100,000 numbers take 10 ms, and other requests have their turns meanwhile. */
export async function toLongArrayLiteral(numbers: readonly number[]): Promise<string> {
  const letOthersWork = createYield();
  const parts: string[] = [];
  for (let from = 0; from < numbers.length; from += PART) {
    parts.push(numbers.slice(from, from + PART).join(','));
    await letOthersWork();
  }
  return `{${parts.join(',')}}`;
}
