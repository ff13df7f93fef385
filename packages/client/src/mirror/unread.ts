import type { Schema } from '../types.ts';
import { ascending, byConversation, changed, inLists, type Of, pickPresent, type State, withIds } from './state.ts';

type Unread = Schema<'UnreadMessages'>;

/** The unread messages of a topic, a user, or a group conversation, with the fields that identify it in its list. */
interface Entry {
  readonly stream_id?: number;
  readonly topic?: string;
  readonly other_user_id?: number;
  readonly sender_id?: number;
  readonly user_ids_string?: string;
  readonly unread_message_ids: readonly number[];
}

const LISTS = ['streams', 'pms', 'huddles'] as const;
type UnreadEntry = readonly [list: (typeof LISTS)[number], entry: Omit<Entry, 'unread_message_ids'>];

interface Where {
  readonly stream_id?: number | undefined;
  readonly topic?: string;
  /** The key of a direct message. */
  readonly user_ids?: readonly number[];
}

function toUnreadEntry({ user_id: me = 0 }: State, { stream_id, topic = '', user_ids = [] }: Where): UnreadEntry {
  if (stream_id) return ['streams', { stream_id, topic }];
  const others = user_ids.filter((id) => id !== me);
  const [other_user_id = me] = others;
  return others.length > 1
    ? ['huddles', { user_ids_string: ascending([...others, me]).join(',') }]
    : ['pms', { other_user_id, sender_id: other_user_id }];
}

export function withMessage(state: State, { message, flags }: Of<'message'>): State {
  // Only received messages count: a queue of all public streams also delivers messages that the user did not receive.
  if (flags.includes('historical')) return state;
  const { id, stream_id, subject, display_recipient } = message;
  let next = pickPresent(state, 'max_message_id', (max) => Math.max(max, id));
  next = inLists<Schema<'Stream'>>(next, ['streams', 'subscriptions'], (list) =>
    changed(list, [stream_id], (one) => one.first_message_id === null && { first_message_id: id }),
  );
  if (flags.includes('read')) return next;
  const user_ids = typeof display_recipient === 'string' ? [] : display_recipient.map((user) => user.id);
  const entry = toUnreadEntry(next, { stream_id, topic: subject, user_ids });
  return pickPresent(next, 'unread_msgs', (unread) => withUnread(unread, entry, id, isMentioned(flags)));
}

/** Mentioned by name, or by a wildcard. */
const isMentioned = (flags: readonly string[]): boolean => flags.some((flag) => flag.endsWith('mentioned'));

function withUnread(unread: Unread, [list, entry]: UnreadEntry, id: number, mentioned: boolean): Unread {
  return {
    ...unread,
    count: unread.count + 1,
    mentions: withIds(unread.mentions, [id], mentioned),
    [list]: filled(unread[list], entry, [id]),
  };
}

/** Adds messages to the entry of their conversation, under its present name. */
function filled(entries: readonly Entry[], key: UnreadEntry[1], ids: readonly number[]): Entry[] {
  const there = entries.find((one) => !byConversation(one, key));
  const unread_message_ids = ascending([...(there?.unread_message_ids ?? []), ...ids]);
  const others = entries.filter((one) => one !== there);
  return unread_message_ids.length > 0 ? [...others, { ...key, unread_message_ids }].sort(byConversation) : others;
}

function emptied<E extends Entry>(entries: readonly E[], ids: readonly number[]): E[] {
  return entries
    .map((one) => ({ ...one, unread_message_ids: withIds(one.unread_message_ids, ids, false) }))
    .filter((one) => one.unread_message_ids.length > 0);
}

const idsIn = (entries: readonly Entry[]): number[] => entries.flatMap((one) => one.unread_message_ids);
const unreadIds = (unread: Unread): number[] => LISTS.flatMap((list) => idsIn(unread[list]));

export function withFlags(state: State, event: Of<'update_message_flags'>): State {
  const { op, flag, messages, all } = event;
  if (flag === 'starred')
    return pickPresent(state, 'starred_messages', (starred) => withIds(starred, messages, op === 'add'));
  if (flag !== 'read') return state;
  if (op === 'remove') return pickPresent(state, 'unread_msgs', (unread) => reopened(state, unread, event));
  return pickPresent(withUnseen(state, messages), 'unread_msgs', (unread) =>
    all ? { ...withoutUnread(unread, unreadIds(unread)), old_unreads_missing: false } : withoutUnread(unread, messages),
  );
}

/** Messages that became read together with losing access: the user lost the stream before the events arrived. */
function withUnseen(state: State, read: readonly number[]): State {
  const known = new Set(state.unread_msgs && unreadIds(state.unread_msgs));
  return pickPresent(state, 'max_message_id', (max) =>
    read.reduce((newest, id) => (known.has(id) ? newest : Math.max(newest, id)), max),
  );
}

function reopened(
  state: State,
  before: Unread,
  { message_details = {} }: Extract<Of<'update_message_flags'>, { op: 'remove' }>,
): Unread {
  return Object.entries(message_details).reduce(
    (unread, [id, { mentioned = false, ...where }]) =>
      withUnread(unread, toUnreadEntry(state, where), Number(id), mentioned),
    before,
  );
}

/** Messages in streams that the state no longer has are no longer unread. */
export const withoutUnreadIn = (unread: Unread, stream_ids: readonly number[]): Unread =>
  withoutUnread(unread, idsIn(unread.streams.filter((one) => stream_ids.includes(one.stream_id))));

export function withoutUnread(unread: Unread, ids: readonly number[]): Unread {
  const next = { ...unread };
  for (const list of LISTS) next[list] = emptied<Entry>(unread[list], ids) as never;
  return { ...next, count: unreadIds(next).length, mentions: withIds(next.mentions, ids, false) };
}

/** Applies changed mentions of a message. */
export function withMentions(unread: Unread, id: number, flags: readonly string[]): Unread {
  if (!unreadIds(unread).includes(id)) return unread;
  return { ...unread, mentions: withIds(unread.mentions, [id], isMentioned(flags)) };
}

/** Applies a move of messages, or a rename of their topic. */
export function withMoved(
  unread: Unread,
  ids: readonly number[],
  destination: { stream_id: number; topic: string },
): Unread {
  const rest = emptied(unread.streams, ids);
  const moved = withIds(idsIn(unread.streams), idsIn(rest), false);
  return { ...unread, streams: filled(rest, destination, moved) as Unread['streams'] };
}
