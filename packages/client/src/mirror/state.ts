import type { Schema } from '../types.ts';

/** The state that `POST /register` returns. */
export type State = Schema<'State'>;
export type Event = Schema<'Event'>;
export type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** What the queue was registered with, as far as the state depends on it; what is left out is as it is by itself. */
export interface MirrorOptions {
  include_subscribers?: boolean;
  client_gravatar?: boolean;
}

/** Changes a part of the state if it was fetched. */
export function given<K extends keyof State>(
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
): State => parts.reduce((next, part) => given(next, part, (list) => change(list as Item[], part) as never), state);

/** A list without the items that have one of these ids. */
export function without<Key extends string, Item extends { readonly [key in Key]: unknown }>(
  list: readonly Item[],
  key: Key,
  ids: Iterable<unknown>,
): Item[] {
  const gone = new Set(ids);
  return list.filter((one) => !gone.has(one[key]));
}

export const ascending = (ids: Iterable<number>): number[] => [...new Set(ids)].sort((a, b) => a - b);

/** A set of ids with some more, or without some. */
export function withIds(before: readonly number[], ids: readonly number[], added: boolean): number[] {
  const named = new Set(ids);
  return added ? ascending([...before, ...ids]) : before.filter((id) => !named.has(id));
}

export const byNumber = <Key extends string, Item extends { readonly [key in Key]: number }>(items: Item[], key: Key) =>
  items.sort((a, b) => a[key] - b[key]);

export const idOf = ({ stream_id }: { stream_id: number }): number => stream_id;
export const byName = <T extends { name: string }>(items: T[]): T[] => items.sort((a, b) => compare(a.name, b.name));

const points = (text: string): number[] => [...text].map((character) => character.codePointAt(0) ?? 0);

/** The order of code points, which is that of the server. */
export function compare(a: string, b: string): number {
  const [left, right] = [points(a), points(b)];
  const at = left.findIndex((point, index) => point !== right[index]);
  return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? 0);
}
