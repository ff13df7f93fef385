import type { Schema } from '../types.ts';

/** The state that `POST /register` returns. */
export type State = Schema<'State'>;
export type Event = Schema<'Event'>;
export type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** The parameters of the registration on which the state depends; absent ones have their defaults. */
export interface MirrorOptions {
  include_subscribers?: boolean | undefined;
  client_gravatar?: boolean | undefined;
}

/** Changes a part of the state, if it was fetched. */
export function pickPresent<K extends keyof State>(
  state: State,
  part: K,
  change: (value: NonNullable<State[K]>) => NonNullable<State[K]>,
): State {
  const value = state[part];
  return value === undefined ? state : { ...state, [part]: change(value as NonNullable<State[K]>) };
}

/** Changes those of these lists that were fetched. */
export const inLists = <Item>(
  state: State,
  parts: readonly (keyof State)[],
  change: (list: Item[], part: keyof State) => readonly Item[],
): State =>
  parts.reduce((next, part) => pickPresent(next, part, (list) => change(list as Item[], part) as never), state);

/** A list without the items that have one of these ids. */
export function without<Item extends object, Key extends keyof Item = 'stream_id' & keyof Item>(
  list: readonly Item[],
  ids: Iterable<unknown>,
  key: Key = 'stream_id' as Key,
): Item[] {
  const removed = new Set(ids);
  return list.filter((one) => !removed.has(one[key]));
}

export const ascending = (ids: Iterable<number>): number[] => [...new Set(ids)].sort((a, b) => a - b);

/** A set of ids with some added or removed. */
export function withIds(before: readonly number[], ids: readonly number[], added: boolean): number[] {
  const named = new Set(ids);
  return added ? ascending([...before, ...ids]) : before.filter((id) => !named.has(id));
}

/** Replaces items by id, or the removed one, and keeps the list ordered by time, or else by id. */
export function upsertSorted<Id extends string, Item extends { readonly [key in Id]: number }>(
  before: readonly Item[],
  id: Id,
  items: readonly Item[],
  removed?: number,
  time: keyof Item = id,
): Item[] {
  return [...without(before, [removed, ...items.map((one) => one[id])], id), ...items].sort(
    // Times are compared as numbers, like ids.
    (a, b) => a[time as Id] - b[time as Id] || a[id] - b[id],
  );
}

/** A list in which the items with one of these ids are replaced by the result of `change`, if it returns one. */
export const changed = <Item extends object, Key extends keyof Item = 'stream_id' & keyof Item>(
  list: readonly Item[],
  ids: readonly unknown[],
  change: (one: Item) => object | false | undefined,
  key: Key = 'stream_id' as Key,
): Item[] => list.map((one) => (ids.includes(one[key]) ? { ...one, ...change(one) } : one));

export const idOf = ({ stream_id }: { stream_id: number }): number => stream_id;
export const byName = <T extends { name: string }>(items: T[]): T[] => items.sort((a, b) => compare(a.name, b.name));

/** In UTF-16 order, the surrogates of characters beyond U+FFFF sort before the last characters up to it. */
const sortable = (text: string): string => text.replace(/[\ud800-\udfff]/g, '\uffff$&');

/** The order of code points, which the server uses. */
function compare(a: string, b: string): number {
  const [left, right] = [sortable(a), sortable(b)];
  return left < right ? -1 : Number(left > right);
}

/** A topic under either of its two names, the users of a direct message, or one of them. */
interface ConversationKey {
  readonly stream_id?: number;
  readonly topic?: string;
  readonly topic_name?: string;
  readonly other_user_id?: number;
  readonly user_ids_string?: string;
}

const numberOf = ({ stream_id, other_user_id = 0 }: ConversationKey): number => stream_id ?? other_user_id;
const textOf = ({ topic, topic_name = topic, user_ids_string = topic_name }: ConversationKey): string =>
  (user_ids_string ?? '').toLowerCase();

export const byConversation = (a: ConversationKey, b: ConversationKey): number =>
  numberOf(a) - numberOf(b) || compare(textOf(a), textOf(b));
