import { operations } from '@parley/openapi';
import type { OperationId } from './contract.ts';

// How much of a list fits into a response.

/** The maximum size of a response of an operation, in bytes. */
export const getResponseBudget = (operation: OperationId): number => operations[operation].budget.response;

/** The size of a value in a response, in bytes. */
export const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The number of these sizes, from the first on, that fit into `room` together; at least `fewest`. */
export function countWithin(sizes: readonly number[], room: number, fewest = 1): number {
  let sum = 0;
  const over = sizes.findIndex((size) => {
    sum += size;
    return sum > room;
  });
  return over < 0 ? sizes.length : Math.min(Math.max(over, fewest), sizes.length);
}

/** A list whose item sizes are known before the items are read. */
interface SizedList<Item> {
  readonly items: readonly { readonly id: number; readonly size: number }[];
  readonly offset: number;
  /** Bytes. */
  readonly room: number;
  /** Reads these items, in the order of the list. */
  readonly load: (ids: number[]) => Promise<Item[]>;
}

/** The items of a list from one on: as many as fit into a response, and whether there are more. */
export async function readPage<Item>({
  items,
  offset,
  room,
  load,
}: SizedList<Item>): Promise<{ page: Item[]; has_more: boolean }> {
  const rest = items.slice(offset);
  const sizes = rest.map(({ size }) => size);
  const found = await load(rest.slice(0, countWithin(sizes, room)).map(({ id }) => id));
  // As JSON a text can be longer.
  const page = found.slice(0, countWithin(found.map(countBytes), room));
  return { page, has_more: page.length < rest.length };
}
