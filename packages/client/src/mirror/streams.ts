import type { Schema } from '../types.ts';
import {
  byName,
  compare,
  given,
  idOf,
  inLists,
  type MirrorOptions,
  type Of,
  type State,
  withIds,
  without,
} from './state.ts';
import { withoutUnreadIn } from './unread.ts';

type Stream = Schema<'Stream'>;
type Subscribed = Stream & { readonly subscribers?: number[] };

/** Of all streams that one can see; every one of them is in exactly one. */
const BY_STANDING = ['subscriptions', 'unsubscribed', 'never_subscribed'] as const;
const EVERY_LIST = ['streams', ...BY_STANDING] as const;

export function withSubscription(state: State, event: Of<'subscription'>): State {
  switch (event.op) {
    case 'add':
      return subscribed(state, event.subscriptions);
    case 'remove':
      return unsubscribed(state, event.subscriptions.map(idOf));
    case 'update': {
      const { stream_id, property, value } = event;
      return given(state, 'subscriptions', (list) => list.map(changed(stream_id, { [property]: value })));
    }
    default:
      return withPeers(state, event);
  }
}

const changed =
  (stream_id: number, change: object) =>
  <T extends { stream_id: number }>(one: T): T =>
    one.stream_id === stream_id ? { ...one, ...change } : one;

function subscribed(state: State, added: Schema<'Subscription'>[]): State {
  const ids = added.map(idOf);
  const next = inLists<Stream>(state, BY_STANDING, (list) => without(list, 'stream_id', ids));
  return given(next, 'subscriptions', (list) => byName([...list, ...added]));
}

function unsubscribed(state: State, ids: number[]): State {
  const left = (state.subscriptions ?? [])
    .filter((one) => ids.includes(one.stream_id))
    .map((one) => ({
      ...one,
      ...(one.subscribers && { subscribers: withIds(one.subscribers, [state.user_id ?? 0], false) }),
    }));
  const next = given(state, 'subscriptions', (list) => without(list, 'stream_id', ids));
  return given(next, 'unsubscribed', (list) => byName([...list, ...left]));
}

function withPeers(
  state: State,
  { op, stream_ids, user_ids }: Extract<Of<'subscription'>, { op: 'peer_add' | 'peer_remove' }>,
): State {
  return inLists<Subscribed>(state, BY_STANDING, (list) =>
    list.map((one) =>
      one.subscribers && stream_ids.includes(one.stream_id)
        ? { ...one, subscribers: withIds(one.subscribers, user_ids, op === 'peer_add') }
        : one,
    ),
  );
}

export function withStream(state: State, event: Of<'stream'>, { include_subscribers = false }: MirrorOptions): State {
  if (event.op === 'update') return withStreamChange(state, event);
  return event.op === 'create'
    ? withStreams(state, event.streams, include_subscribers)
    : withoutStreams(state, event.streams.map(idOf));
}

function withStreams(state: State, streams: Stream[], include_subscribers: boolean): State {
  const known = [...(state.subscriptions ?? []), ...(state.unsubscribed ?? [])].map(idOf);
  const fresh = without(streams, 'stream_id', known);
  return inLists<Subscribed>(state, ['streams', 'never_subscribed'], (list, part) =>
    byName([
      ...without(list, 'stream_id', streams.map(idOf)),
      ...(part === 'streams'
        ? streams
        : fresh.map((one) => ({ ...one, ...(include_subscribers && { subscribers: [] }) }))),
    ]),
  );
}

function withoutStreams(state: State, ids: number[]): State {
  const next = inLists<Stream>(state, [...EVERY_LIST, 'user_topics'], (list) => without(list, 'stream_id', ids));
  return given(next, 'unread_msgs', (unread) => withoutUnreadIn(unread, ids));
}

function withStreamChange(state: State, event: Extract<Of<'stream'>, { op: 'update' }>): State {
  // What an event has about itself, and else of the stream as it is now.
  const {
    id: _,
    type: __,
    op: ___,
    name: ____,
    stream_id,
    property,
    value,
    ...beside
  } = event as typeof event & { id: number };
  const change = { ...beside, [property]: value };
  return inLists<Stream>(state, [...EVERY_LIST, 'realm_default_streams'], (list) =>
    byName(list.map(changed(stream_id, change))),
  );
}

export function withDefaultStreams(state: State, streams: Stream[]): State {
  const ids = streams.map(idOf);
  const next = inLists<Stream>(state, EVERY_LIST, (list) =>
    list.map((one) => ({ ...one, is_default: ids.includes(one.stream_id) })),
  );
  return given(next, 'realm_default_streams', () => streams);
}

type Policy = NonNullable<State['user_topics']>[number];

const inOrder = (a: Policy, b: Policy): number =>
  a.stream_id - b.stream_id || compare(a.topic_name.toLowerCase(), b.topic_name.toLowerCase());

export function withUserTopic(
  state: State,
  { stream_id, topic_name, last_updated, visibility_policy }: Of<'user_topic'>,
): State {
  const policy = { stream_id, topic_name, last_updated, visibility_policy };
  return given(state, 'user_topics', (list) => {
    const others = list.filter((one) => inOrder(one, policy) !== 0);
    return visibility_policy === 0 ? others : [...others, policy].sort(inOrder);
  });
}
