import type { Event } from './contract.ts';

export const sortIds = (ids: Iterable<number>): number[] => [...ids].sort((one, other) => one - other);

const ID_LISTS = ['user_ids', 'stream_ids', 'direct_subgroup_ids'] as const;

/**
 * Returns the event with its lists of ids ascending, so that no list depends on the order of a request or of a query plan.
 * `message_ids` keeps its order: it begins with the message that the request names.
 */
export function sortEventIds(event: Event): Event {
  const lists: Event & Partial<Record<(typeof ID_LISTS)[number], number[]>> = event;
  const sorted = ID_LISTS.flatMap((key) => (lists[key] ? [[key, sortIds(lists[key])]] : []));
  return sorted.length === 0 ? event : { ...event, ...Object.fromEntries(sorted) };
}
