import type { Schema } from './types.ts';

/** The state that `POST /register` returns. */
export type State = Schema<'State'>;
export type Event = Schema<'Event'>;
type Of<T extends Event['type']> = Extract<Event, { type: T }>;
type Subscription = Schema<'Subscription'>;
type Stream = Schema<'Stream'>;

/** What the queue was registered with, as far as the state depends on it. */
export interface MirrorOptions {
  include_subscribers?: boolean;
}

/**
 * The state after an event. Folding the events of a queue over the state it was registered with gives what a new
 * registration would return; parts that were not fetched stay absent.
 */
export function applyEvent(state: State, event: Event, { include_subscribers = false }: MirrorOptions = {}): State {
  switch (event.type) {
    case 'message':
      return withMessage(state, event);
    case 'update_message_flags':
      return withFlags(state, event);
    case 'subscription':
      return withSubscription(state, event);
    case 'stream':
      return event.op === 'create'
        ? withStreams(state, event.streams, include_subscribers)
        : withoutStreams(state, event.streams.map(idOf));
    case 'default_streams':
      return given(state, 'realm_default_streams', () => event.default_streams);
    case 'user_topic':
      return withUserTopic(state, event);
    case 'realm_user':
      return withPermissions(withUser(state, event));
    case 'user_group':
      return withPermissions(withGroupMembers(state, event));
    case 'realm':
      return withPermissions(withRealm(state, event));
    default:
      return state;
  }
}

/** Changes a part of the state if it was fetched. */
function given<K extends keyof State>(
  state: State,
  part: K,
  change: (value: NonNullable<State[K]>) => NonNullable<State[K]>,
): State {
  const value = state[part];
  return value === undefined ? state : { ...state, [part]: change(value as NonNullable<State[K]>) };
}

const idOf = ({ stream_id }: { stream_id: number }): number => stream_id;
const ascending = (ids: Iterable<number>): number[] => [...new Set(ids)].sort((a, b) => a - b);
const byName = <T extends { name: string }>(items: T[]): T[] => items.sort((a, b) => compare(a.name, b.name));

function compare(a: string, b: string): number {
  const [left, right] = [[...a], [...b]].map((text) => text.map((character) => character.codePointAt(0) ?? 0));
  for (let at = 0; left && right && at < Math.min(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return (left?.length ?? 0) - (right?.length ?? 0);
}

// ---- messages and flags

type Unread = Schema<'UnreadMessages'>;

function withMessage(state: State, { message, flags }: Of<'message'>): State {
  // Only who received it holds it: a queue of all public streams also hears what its owner did not get.
  if (flags.includes('historical')) return state;
  let next = given(state, 'max_message_id', (max) => Math.max(max, message.id));
  if (message.type === 'stream' && message.stream_id !== undefined) {
    const { stream_id } = message;
    const first = <T extends Stream | Subscription>(list: T[]) =>
      list.map((one) =>
        one.stream_id === stream_id && one.first_message_id === null ? { ...one, first_message_id: message.id } : one,
      );
    next = given(given(next, 'streams', first), 'subscriptions', first);
  }
  if (flags.includes('read')) return next;
  const mentioned = flags.includes('mentioned') || flags.includes('wildcard_mentioned');
  return given(next, 'unread_msgs', (unread) =>
    withUnread(unread, placeOf(message, next.user_id ?? 0), message.id, mentioned),
  );
}

type Place = { stream_id: number; topic: string } | { others: number[]; me: number };

function placeOf(message: Schema<'Message'>, me: number): Place {
  if (message.stream_id !== undefined) return { stream_id: message.stream_id, topic: message.subject };
  const people = typeof message.display_recipient === 'string' ? [] : message.display_recipient.map(({ id }) => id);
  return { others: ascending(people.filter((id) => id !== me)), me };
}

function withUnread(unread: Unread, place: Place, id: number, mentioned: boolean): Unread {
  const next = {
    ...unread,
    count: unread.count + 1,
    mentions: mentioned ? ascending([...unread.mentions, id]) : unread.mentions,
  };
  if ('stream_id' in place) return { ...next, streams: inStream(unread.streams, place, id) };
  const { others, me } = place;
  if (others.length > 1)
    return { ...next, huddles: inHuddle(unread.huddles, ascending([...others, me]).join(','), id) };
  return { ...next, pms: inDirect(unread.pms, others[0] ?? me, id) };
}

function inStream(
  streams: Unread['streams'],
  { stream_id, topic }: { stream_id: number; topic: string },
  id: number,
): Unread['streams'] {
  const key = topic.toLowerCase();
  const entry = streams.find((one) => one.stream_id === stream_id && one.topic.toLowerCase() === key);
  const rest = streams.filter((one) => one !== entry);
  const ids = ascending([...(entry?.unread_message_ids ?? []), id]);
  return sortedStreams([...rest, { stream_id, topic: entry?.topic ?? topic, unread_message_ids: ids }]);
}

const sortedStreams = (streams: Unread['streams']): Unread['streams'] =>
  streams.sort((a, b) => a.stream_id - b.stream_id || compare(a.topic.toLowerCase(), b.topic.toLowerCase()));

function inHuddle(huddles: Unread['huddles'], user_ids_string: string, id: number): Unread['huddles'] {
  const entry = huddles.find((one) => one.user_ids_string === user_ids_string);
  const ids = ascending([...(entry?.unread_message_ids ?? []), id]);
  return [...huddles.filter((one) => one !== entry), { user_ids_string, unread_message_ids: ids }].sort((a, b) =>
    compare(a.user_ids_string, b.user_ids_string),
  );
}

function inDirect(pms: Unread['pms'], other_user_id: number, id: number): Unread['pms'] {
  const entry = pms.find((one) => one.other_user_id === other_user_id);
  const ids = ascending([...(entry?.unread_message_ids ?? []), id]);
  return [
    ...pms.filter((one) => one !== entry),
    { other_user_id, sender_id: other_user_id, unread_message_ids: ids },
  ].sort((a, b) => a.other_user_id - b.other_user_id);
}

function withFlags(state: State, event: Of<'update_message_flags'>): State {
  if (event.flag === 'starred') {
    return given(state, 'starred_messages', (starred) =>
      event.op === 'add'
        ? ascending([...starred, ...event.messages])
        : starred.filter((id) => !event.messages.includes(id)),
    );
  }
  if (event.flag !== 'read') return state;
  const next = event.op === 'add' ? withUnseen(state, event.messages) : state;
  return given(next, 'unread_msgs', (unread) => {
    if (event.op === 'remove') return reopened(unread, event, state.user_id ?? 0);
    return event.all ? emptied(unread) : withoutUnread(unread, new Set(event.messages));
  });
}

/** Messages that were received and became read in one go, because their reader lost the stream before hearing of them. */
function withUnseen(state: State, read: readonly number[]): State {
  const { pms = [], streams = [], huddles = [] } = state.unread_msgs ?? {};
  const known = new Set([...pms, ...streams, ...huddles].flatMap((entry) => entry.unread_message_ids));
  const unseen = read.filter((id) => !known.has(id));
  return given(state, 'max_message_id', (max) => unseen.reduce((newest, id) => Math.max(newest, id), max));
}

const emptied = (unread: Unread): Unread => ({
  ...unread,
  count: 0,
  pms: [],
  streams: [],
  huddles: [],
  mentions: [],
  old_unreads_missing: false,
});

function reopened(
  unread: Unread,
  { message_details = {} }: Extract<Of<'update_message_flags'>, { op: 'remove' }>,
  me: number,
): Unread {
  return Object.entries(message_details).reduce((next, [id, details]) => {
    const place: Place =
      details.type === 'stream' && details.stream_id !== undefined
        ? { stream_id: details.stream_id, topic: details.topic ?? '' }
        : { others: details.user_ids ?? [], me };
    return withUnread(next, place, Number(id), details.mentioned === true);
  }, unread);
}

function withoutUnread(unread: Unread, ids: ReadonlySet<number>): Unread {
  const less = <T extends { unread_message_ids: number[] }>(entries: T[]): T[] =>
    entries
      .map((entry) => ({ ...entry, unread_message_ids: entry.unread_message_ids.filter((id) => !ids.has(id)) }))
      .filter((entry) => entry.unread_message_ids.length > 0);
  const next = { ...unread, pms: less(unread.pms), streams: less(unread.streams), huddles: less(unread.huddles) };
  const count = [...next.pms, ...next.streams, ...next.huddles].reduce(
    (sum, entry) => sum + entry.unread_message_ids.length,
    0,
  );
  return { ...next, count, mentions: unread.mentions.filter((id) => !ids.has(id)) };
}

// ---- streams and subscriptions

function withSubscription(state: State, event: Of<'subscription'>): State {
  switch (event.op) {
    case 'add':
      return subscribed(state, event.subscriptions);
    case 'remove':
      return unsubscribed(state, event.subscriptions.map(idOf));
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

function withStreams(state: State, streams: Stream[], include_subscribers: boolean): State {
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

function withoutStreams(state: State, ids: number[]): State {
  const rest = <T extends { stream_id: number }>(list: T[]): T[] => list.filter((one) => !ids.includes(one.stream_id));
  let next = given(state, 'streams', rest);
  next = given(given(next, 'subscriptions', rest), 'unsubscribed', rest);
  next = given(next, 'never_subscribed', rest);
  return given(next, 'user_topics', rest);
}

function withUserTopic(
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

// ---- people, groups, organization

type User = Schema<'User'>;
const byId = (users: User[]): User[] => users.sort((a, b) => a.user_id - b.user_id);

function withUser(state: State, event: Of<'realm_user'>): State {
  const { user_id } = event.person;
  const everyone = [...(state.realm_users ?? []), ...(state.realm_non_active_users ?? [])];
  if (event.op === 'add') return withPerson(state, user_id, event.person);
  if (event.op === 'remove') return withPerson(state, user_id, undefined);
  const user = everyone.find((one) => one.user_id === user_id);
  if (!user) return state;
  const { person } = event;
  const changed: User = { ...user, ...person, ...(person.role !== undefined && rolesOf(person.role)) };
  const next = withPerson(state, user_id, changed);
  return user_id === state.user_id ? withOwn(next, changed) : next;
}

/** Puts a person where they belong, or nowhere. */
function withPerson(state: State, user_id: number, person: User | undefined): State {
  const placed = (is_active: boolean) => (users: User[]) => {
    const others = users.filter((user) => user.user_id !== user_id);
    return byId(person?.is_active === is_active ? [...others, person] : others);
  };
  return given(given(state, 'realm_users', placed(true)), 'realm_non_active_users', placed(false));
}

const rolesOf = (role: User['role']) => ({ is_owner: role === 100, is_admin: role <= 200, is_guest: role === 600 });

function withOwn(state: State, { full_name, role }: User): State {
  return { ...state, full_name, ...rolesOf(role), is_moderator: role === 300 };
}

function withGroupMembers(state: State, { op, group_id, user_ids }: Of<'user_group'>): State {
  return given(state, 'realm_user_groups', (groups) =>
    groups.map((group) => {
      if (group.id !== group_id) return group;
      const members =
        op === 'add_members'
          ? ascending([...group.members, ...user_ids])
          : group.members.filter((id) => !user_ids.includes(id));
      return { ...group, members };
    }),
  );
}

function withRealm(state: State, event: Of<'realm'>): State {
  if (event.op === 'deactivated') return state;
  const data: Record<string, unknown> = event.op === 'update' ? { [event.property]: event.value } : event.data;
  const fetched = Object.entries(data).filter(([name]) => `realm_${name}` in state);
  return { ...state, ...Object.fromEntries(fetched.map(([name, value]) => [`realm_${name}`, value])) };
}

/** What one may do follows from one's role, one's groups and the organization's policies. */
function withPermissions(state: State): State {
  const { user_id, realm_user_groups, realm_create_public_stream_policy: publicPolicy } = state;
  if (user_id === undefined || publicPolicy === undefined || !realm_user_groups) return state;
  const full = realm_user_groups.some(({ name, members }) => name === 'role:fullmembers' && members.includes(user_id));
  const may = (policy = 6) => mayUnderPolicy(policy, state, full);
  const can_create_public_streams = may(publicPolicy);
  const can_create_private_streams = may(state.realm_create_private_stream_policy);
  return {
    ...state,
    can_create_streams: can_create_public_streams || can_create_private_streams,
    can_create_public_streams,
    can_create_private_streams,
    can_subscribe_other_users: may(state.realm_invite_to_stream_policy),
    can_invite_others_to_realm: may(state.realm_invite_to_realm_policy),
  };
}

function mayUnderPolicy(policy: number, { is_owner, is_admin, is_moderator, is_guest }: State, full: boolean): boolean {
  const moderates = is_moderator === true || is_admin === true;
  const allowed: Record<number, boolean | undefined> = {
    1: !is_guest,
    2: is_admin,
    3: moderates || (!is_guest && full),
    4: moderates,
    5: true,
    7: is_owner,
  };
  return allowed[policy] ?? false;
}
