import type { Schema } from '../types.ts';

/** The state that `POST /register` returns. */
export type State = Schema<'State'>;
export type Event = Schema<'Event'>;
export type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** Changes a part of the state if it was fetched. */
export function given<K extends keyof State>(
  state: State,
  part: K,
  change: (value: NonNullable<State[K]>) => NonNullable<State[K]>,
): State {
  const value = state[part];
  return value === undefined ? state : { ...state, [part]: change(value as NonNullable<State[K]>) };
}

export const idOf = ({ stream_id }: { stream_id: number }): number => stream_id;
export const ascending = (ids: Iterable<number>): number[] => [...new Set(ids)].sort((a, b) => a - b);
export const byName = <T extends { name: string }>(items: T[]): T[] => items.sort((a, b) => compare(a.name, b.name));

export function compare(a: string, b: string): number {
  const [left, right] = [[...a], [...b]].map((text) => text.map((character) => character.codePointAt(0) ?? 0));
  for (let at = 0; left && right && at < Math.min(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return (left?.length ?? 0) - (right?.length ?? 0);
}

/** What the queue was registered with, as far as the state depends on it; what is left out is as it is by itself. */
export interface MirrorOptions {
  include_subscribers?: boolean;
  client_gravatar?: boolean;
}
