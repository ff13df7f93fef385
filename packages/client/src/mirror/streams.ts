import type { Schema } from '../types.ts';
import {
  byConversation,
  byName,
  changed,
  idOf,
  inLists,
  type MirrorOptions,
  type Of,
  pickPresent,
  type State,
  withIds,
  without,
} from './state.ts';
import { withoutUnreadIn } from './unread.ts';

type Stream = Schema<'Stream'>;
type Subscription = Schema<'Subscription'>;
type Subscribed = Stream & { readonly subscribers?: number[] };

/** The lists of all streams that the user can see; each stream is in exactly one. */
const BY_SUBSCRIPTION = ['subscriptions', 'unsubscribed', 'never_subscribed'] as const;
const EVERY_LIST = ['streams', ...BY_SUBSCRIPTION] as const;

export function withSubscription(
  state: State,
  event: Of<'subscription'>,
  { include_subscribers }: MirrorOptions,
): State {
  if (event.op === 'add') return subscribed(state, event.subscriptions, include_subscribers);
  if (event.op === 'remove') return unsubscribed(state, event.subscriptions.map(idOf));
  if (event.op !== 'update') return withPeers(state, event.stream_ids, event.user_ids, event.op === 'peer_add');
  const { stream_id, property, value } = event;
  return pickPresent(state, 'subscriptions', (list) => changed(list, [stream_id], () => ({ [property]: value })));
}

function subscribed(state: State, added: Subscription[], include_subscribers?: boolean): State {
  const ids = added.map(idOf);
  const next = inLists<Stream>(state, BY_SUBSCRIPTION, (list) => without(list, ids));
  const fresh = added.map(
    ({ subscribers, ...one }) => ({ ...one, ...(include_subscribers && { subscribers }) }) as Subscription,
  );
  return pickPresent(next, 'subscriptions', (list) => byName([...list, ...fresh]));
}

function unsubscribed(state: State, ids: number[]): State {
  const known = withPeers(state, ids, [state.user_id ?? 0], false);
  const left = known.subscriptions?.filter((one) => ids.includes(one.stream_id)) ?? [];
  const next = pickPresent(known, 'subscriptions', (list) => without(list, ids));
  return pickPresent(next, 'unsubscribed', (list) => byName([...list, ...left]));
}

function withPeers(state: State, stream_ids: number[], user_ids: number[], added: boolean): State {
  return inLists<Subscribed>(state, BY_SUBSCRIPTION, (list) =>
    changed(
      list,
      stream_ids,
      ({ subscribers }) => subscribers && { subscribers: withIds(subscribers, user_ids, added) },
    ),
  );
}

export function withStream(state: State, event: Of<'stream'>, { include_subscribers }: MirrorOptions): State {
  if (event.op === 'update') return withStreamChange(state, event);
  return event.op === 'create'
    ? withStreams(state, event.streams, include_subscribers)
    : withoutStreams(state, event.streams.map(idOf));
}

function withStreams(state: State, streams: Stream[], include_subscribers?: boolean): State {
  const { subscriptions = [], unsubscribed = [] } = state;
  const fresh = without(streams, [...subscriptions, ...unsubscribed].map(idOf));
  return inLists<Subscribed>(state, ['streams', 'never_subscribed'], (list, part) =>
    byName([
      ...without(list, streams.map(idOf)),
      ...(part === 'streams'
        ? streams
        : fresh.map((one) => ({ ...one, ...(include_subscribers && { subscribers: [] }) }))),
    ]),
  );
}

function withoutStreams(state: State, ids: number[]): State {
  const next = inLists<Stream>(state, [...EVERY_LIST, 'user_topics'], (list) => without(list, ids));
  return pickPresent(next, 'unread_msgs', (unread) => withoutUnreadIn(unread, ids));
}

function withStreamChange(state: State, event: Extract<Of<'stream'>, { op: 'update' }>): State {
  // The fields of the event, and otherwise those of the present stream.
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
    byName(changed(list, [stream_id], () => change)),
  );
}

export function withDefaultStreams(state: State, { default_streams }: Of<'default_streams'>): State {
  const ids = default_streams.map(idOf);
  const next = inLists<Stream>(state, EVERY_LIST, (list) =>
    list.map((one) => ({ ...one, is_default: ids.includes(one.stream_id) })),
  );
  return pickPresent(next, 'realm_default_streams', () => default_streams);
}

export function withUserTopic(state: State, event: Of<'user_topic'>): State {
  const { id: _, type: __, ...policy } = event as typeof event & { id: number };
  return pickPresent(state, 'user_topics', (list) => {
    const others = list.filter((one) => byConversation(one, policy));
    return policy.visibility_policy === 0 ? others : [...others, policy].sort(byConversation);
  });
}
