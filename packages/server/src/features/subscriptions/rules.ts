import { isAdministrator } from '../../access/roles.ts';
import type { User } from '../../core/context.ts';
import type { Params, Schema } from '../../core/contract.ts';
import type { RequestProblem } from '../../core/errors.ts';
import { bounds } from '../../core/limits.ts';
import { normalizeDescription, streamKey } from '../streams/index.ts';

type Items = Params<'subscribe'>['subscriptions'];

/** A stream as a request names it. */
export interface RequestedStream {
  readonly name: string;
  readonly description: string;
  readonly color: string | undefined;
}

/** The requested streams with names trimmed, each once: the first occurrence counts. */
export function distinctStreams(items: Items): RequestedStream[] {
  const byKey = new Map<string, RequestedStream>();
  for (const item of items) {
    const name = item.name.trim();
    const description = normalizeDescription(item.description ?? '');
    if (!byKey.has(streamKey(name))) byKey.set(streamKey(name), { name, description, color: item.color });
  }
  return [...byKey.values()];
}

/** The problem of a request for so many streams and users, if there is one. */
export function countProblem(streams: number, users: number): RequestProblem | undefined {
  if (streams * users <= bounds.subscriptions) return undefined;
  return {
    reason: 'invalid',
    text: `${streams} streams for ${users} users are too many for one request: at most ${bounds.subscriptions} subscriptions.`,
  };
}

/** Whether these principals are the caller alone. An email address counts as naming another user. */
export function isOnlyCaller(me: Pick<User, 'id'>, principals: readonly (number | string)[] | undefined): boolean {
  return principals === undefined || principals.every((principal) => principal === me.id);
}

interface Removal {
  readonly me: Pick<User, 'id' | 'role'>;
  readonly user: Pick<User, 'id' | 'bot_owner_id'>;
  /** Whether `me` can access the stream. */
  readonly sees: boolean;
  /** Whether `me` is in the stream's can_remove_subscribers_group. */
  readonly in_remover_group: boolean;
}

/** Whether a user can unsubscribe a user from a stream (specification 4.2). */
export function canUnsubscribe({ me, user, sees, in_remover_group }: Removal): boolean {
  if (user.id === me.id || isAdministrator(me)) return true;
  return sees && (user.bot_owner_id === me.id || in_remover_group);
}

type Change = Pick<Schema<'PropertyChange'>, 'property' | 'value'>;
type Subscription = Schema<'Subscription'>;

/** The stored settings for a stream: `in_home_view` is only the inverse of `is_muted`. */
export type StoredProperty = {
  readonly [Name in Exclude<Change['property'], 'in_home_view'>]: NonNullable<Subscription[Name]>;
};

/** The problem of a requested value of a setting, if there is one. */
export function valueProblem({ property, value }: Change): string | undefined {
  if (property !== 'color') {
    return typeof value === 'boolean' ? undefined : `value: ${property} is either true or false.`;
  }
  if (typeof value === 'string' && /^#[0-9A-Fa-f]{3,6}$/.test(value)) return undefined;
  return 'value: color is # and 3 to 6 hex digits, such as #76ce90.';
}

/** The settings for one stream after these changes, in this order. */
export function toStoredSettings(changes: readonly Change[]): Partial<StoredProperty> {
  return Object.fromEntries(
    changes.map(({ property, value }) => (property === 'in_home_view' ? ['is_muted', !value] : [property, value])),
  );
}

/**
 * The events of a change: both names of muting, in this order
 * (docs/behaviour/subscriptions.md#settings-of-a-subscription).
 */
export function emittedProperties({ property, value }: Change): Change[] {
  if (property !== 'is_muted' && property !== 'in_home_view') return [{ property, value }];
  const is_muted = property === 'is_muted' ? value : !value;
  return [
    { property: 'in_home_view', value: !is_muted },
    { property: 'is_muted', value: is_muted },
  ];
}
