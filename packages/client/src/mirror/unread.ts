import type { Schema } from '../types.ts';
import { ascending, compare, given, type Of, type State } from './state.ts';

type Stream = Schema<'Stream'>;
type Subscription = Schema<'Subscription'>;
type Unread = Schema<'UnreadMessages'>;

export function withMessage(state: State, { message, flags }: Of<'message'>): State {
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

export function withFlags(state: State, event: Of<'update_message_flags'>): State {
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

/** What is unread in streams that are gone is unread no more. */
export function withoutUnreadIn(unread: Unread, stream_ids: readonly number[]): Unread {
  const gone = unread.streams.filter((entry) => stream_ids.includes(entry.stream_id));
  return gone.length > 0 ? withoutUnread(unread, new Set(gone.flatMap((one) => one.unread_message_ids))) : unread;
}

export function withoutUnread(unread: Unread, ids: ReadonlySet<number>): Unread {
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

const unreadIds = ({ pms, streams, huddles }: Unread): Set<number> =>
  new Set([...pms, ...streams, ...huddles].flatMap((entry) => entry.unread_message_ids));

/** A message mentions other people than before. */
export function withMentions(unread: Unread, id: number, flags: readonly string[]): Unread {
  if (!unreadIds(unread).has(id)) return unread;
  const others = unread.mentions.filter((one) => one !== id);
  const mentioned = flags.includes('mentioned') || flags.includes('wildcard_mentioned');
  return { ...unread, mentions: mentioned ? ascending([...others, id]) : others };
}

/** Messages are in another topic, or the topic has another name. */
export function withMoved(
  unread: Unread,
  ids: ReadonlySet<number>,
  { stream_id, topic }: { stream_id: number; topic: string },
): Unread {
  const moved = unread.streams.flatMap((entry) => entry.unread_message_ids.filter((id) => ids.has(id)));
  const key = topic.toLowerCase();
  const isThere = (one: { stream_id: number; topic: string }) =>
    one.stream_id === stream_id && one.topic.toLowerCase() === key;
  const rest = unread.streams
    .map((entry) => ({ ...entry, unread_message_ids: entry.unread_message_ids.filter((id) => !ids.has(id)) }))
    .filter((entry) => entry.unread_message_ids.length > 0);
  const there = rest.filter(isThere).flatMap((entry) => entry.unread_message_ids);
  if (moved.length + there.length === 0) return unread;
  const entry = { stream_id, topic, unread_message_ids: ascending([...there, ...moved]) };
  return { ...unread, streams: sortedStreams([...rest.filter((one) => !isThere(one)), entry]) };
}
