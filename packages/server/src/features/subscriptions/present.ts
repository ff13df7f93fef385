import type { Schema } from '../../core/contract.ts';
import type { Membership } from './queries/list.ts';

type Stream = Schema<'Stream'>;
export type Subscription = Schema<'Subscription'>;

/** A stream with a user's own settings for it. */
export function presentSubscription(stream: Stream, own: Membership, subscribers?: readonly number[]): Subscription {
  return {
    ...stream,
    color: own.color ?? '',
    is_muted: own.is_muted,
    in_home_view: !own.is_muted,
    pin_to_top: own.pin_to_top,
    desktop_notifications: own.desktop_notifications,
    audible_notifications: own.audible_notifications,
    push_notifications: own.push_notifications,
    email_notifications: own.email_notifications,
    wildcard_mentions_notify: own.wildcard_mentions_notify,
    ...(subscribers && { subscribers: [...subscribers] }),
  };
}

/** Users with equal items, together: each item list is emitted once for all of them. */
export function groupUsersByItems<T>(
  byUser: ReadonlyMap<number, readonly T[]>,
  key: (item: T) => unknown,
): { users: number[]; items: readonly T[] }[] {
  const groups = new Map<string, { users: number[]; items: readonly T[] }>();
  for (const [user_id, items] of byUser) {
    const id = JSON.stringify(items.map(key));
    const group = groups.get(id);
    if (group) group.users.push(user_id);
    else groups.set(id, { users: [user_id], items });
  }
  return [...groups.values()];
}

/** A map from each key to all items that have it, in order. */
export function groupByKey<T, K>(items: readonly T[], key: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
