import type { Schema } from '../types.ts';
import { ascending, byName, compare, given, idOf, type Of, type State } from './state.ts';
import { withoutUnreadIn } from './unread.ts';

type Stream = Schema<'Stream'>;
type Subscription = Schema<'Subscription'>;

export function withSubscription(state: State, event: Of<'subscription'>): State {
  switch (event.op) {
    case 'add':
      return subscribed(state, event.subscriptions);
    case 'remove':
      return unsubscribed(state, event.subscriptions.map(idOf));
    case 'update':
      return withProperty(state, event);
    default:
      return withPeers(state, event);
  }
}

function subscribed(state: State, added: Subscription[]): State {
  const ids = new Set(added.map(idOf));
  const others = <T extends { stream_id: number }>(list: T[]): T[] => list.filter((one) => !ids.has(one.stream_id));
  let next = given(state, 'subscriptions', (list) => byName([...others(list), ...added]));
  next = given(next, 'unsubscribed', others);
  return given(next, 'never_subscribed', others);
}

function unsubscribed(state: State, ids: number[]): State {
  const gone = (state.subscriptions ?? []).filter((one) => ids.includes(one.stream_id));
  const me = state.user_id ?? 0;
  const left = gone.map((one) => ({
    ...one,
    ...(one.subscribers && { subscribers: one.subscribers.filter((id) => id !== me) }),
  }));
  const next = given(state, 'subscriptions', (list) => list.filter((one) => !ids.includes(one.stream_id)));
  return given(next, 'unsubscribed', (list) => byName([...list, ...left]));
}

function withProperty(
  state: State,
  { stream_id, property, value }: Extract<Of<'subscription'>, { op: 'update' }>,
): State {
  return given(state, 'subscriptions', (list) =>
    list.map((one) => (one.stream_id === stream_id ? { ...one, [property]: value } : one)),
  );
}

function withPeers(
  state: State,
  { op, stream_ids, user_ids }: Extract<Of<'subscription'>, { op: 'peer_add' | 'peer_remove' }>,
): State {
  const change = <T extends { stream_id: number; subscribers?: number[] }>(list: T[]): T[] =>
    list.map((one) => {
      if (!one.subscribers || !stream_ids.includes(one.stream_id)) return one;
      const subscribers =
        op === 'peer_add'
          ? ascending([...one.subscribers, ...user_ids])
          : one.subscribers.filter((id) => !user_ids.includes(id));
      return { ...one, subscribers };
    });
  return given(given(given(state, 'subscriptions', change), 'unsubscribed', change), 'never_subscribed', change);
}

export function withStreams(state: State, streams: Stream[], include_subscribers: boolean): State {
  const ids = new Set(streams.map(idOf));
  const next = given(state, 'streams', (list) =>
    byName([...list.filter((one) => !ids.has(one.stream_id)), ...streams]),
  );
  const known = new Set([...(state.subscriptions ?? []), ...(state.unsubscribed ?? [])].map(idOf));
  const fresh = streams
    .filter((one) => !known.has(one.stream_id))
    .map((one) => ({ ...one, ...(include_subscribers && { subscribers: [] }) }));
  return given(next, 'never_subscribed', (list) =>
    byName([...list.filter((one) => !ids.has(one.stream_id)), ...fresh]),
  );
}

export function withoutStreams(state: State, ids: number[]): State {
  const rest = <T extends { stream_id: number }>(list: T[]): T[] => list.filter((one) => !ids.includes(one.stream_id));
  let next = given(state, 'streams', rest);
  next = given(given(next, 'subscriptions', rest), 'unsubscribed', rest);
  next = given(given(next, 'never_subscribed', rest), 'user_topics', rest);
  return given(next, 'unread_msgs', (unread) => withoutUnreadIn(unread, ids));
}

export function withStreamChange(state: State, event: Extract<Of<'stream'>, { op: 'update' }>): State {
  const { stream_id, property, value, rendered_description, history_public_to_subscribers, is_web_public } = event;
  const changed = {
    [property]: value,
    ...(rendered_description !== undefined && { rendered_description }),
    ...(history_public_to_subscribers !== undefined && { history_public_to_subscribers }),
    ...(is_web_public !== undefined && { is_web_public }),
  };
  const change = <T extends Stream>(list: T[]): T[] =>
    byName(list.map((one) => (one.stream_id === stream_id ? { ...one, ...changed } : one)));
  return given(inEveryList(state, change), 'realm_default_streams', change);
}

export function withDefaultStreams(state: State, streams: Stream[]): State {
  const ids = new Set(streams.map(idOf));
  const change = <T extends Stream>(list: T[]): T[] =>
    list.map((one) => ({ ...one, is_default: ids.has(one.stream_id) }));
  return given(inEveryList(state, change), 'realm_default_streams', () => streams);
}

function inEveryList(state: State, change: <T extends Stream>(list: T[]) => T[]): State {
  const next = given(given(state, 'streams', change), 'subscriptions', change);
  return given(given(next, 'unsubscribed', change), 'never_subscribed', change);
}

export function withUserTopic(
  state: State,
  { stream_id, topic_name, last_updated, visibility_policy }: Of<'user_topic'>,
): State {
  const policy = { stream_id, topic_name, last_updated, visibility_policy };
  const key = (one: { stream_id: number; topic_name: string }) => `${one.stream_id} ${one.topic_name.toLowerCase()}`;
  const inOrder = (a: { stream_id: number; topic_name: string }, b: { stream_id: number; topic_name: string }) =>
    a.stream_id - b.stream_id || compare(a.topic_name.toLowerCase(), b.topic_name.toLowerCase());
  return given(state, 'user_topics', (list) => {
    const rest = list.filter((one) => key(one) !== key(policy));
    return visibility_policy === 0 ? rest : [...rest, policy].sort(inOrder);
  });
}
