import type { Schema } from '../../core/contract.ts';
import type { UnreadGroup, UnreadMessageDetails } from './queries/list-unread.ts';

type UnreadMessages = Schema<'UnreadMessages'>;

/** The unread messages in the shape of POST /register; `more`: there are older ones. */
export function presentUnread(me: number, groups: readonly UnreadGroup[], more: boolean): UnreadMessages {
  const direct = groups.flatMap(({ user_ids, ids }) =>
    user_ids ? [{ others: user_ids.filter((id) => id !== me), user_ids, ids }] : [],
  );
  return {
    count: groups.reduce((sum, { ids }) => sum + ids.length, 0),
    pms: direct
      .filter(({ others }) => others.length < 2)
      // Messages of a user to themselves are a conversation with themselves.
      .map(({ others: [other = me], ids }) => ({ other_user_id: other, sender_id: other, unread_message_ids: ids }))
      .sort((a, b) => a.other_user_id - b.other_user_id),
    streams: groups.flatMap(({ stream_id, topic, ids }) =>
      stream_id === null ? [] : [{ stream_id, topic: topic ?? '', unread_message_ids: ids }],
    ),
    huddles: direct
      .filter(({ others }) => others.length > 1)
      .map(({ user_ids, ids }) => ({ user_ids_string: user_ids.join(','), unread_message_ids: ids }))
      .sort((a, b) => (a.user_ids_string < b.user_ids_string ? -1 : 1)),
    mentions: groups.flatMap(({ mentions }) => mentions).sort((a, b) => a - b),
    old_unreads_missing: more,
  };
}

type Details = NonNullable<Schema<'FlagsRemoveEvent'>['message_details']>;

/** The details of messages in an event that makes them unread again. */
export function presentDetails(me: number, messages: readonly UnreadMessageDetails[]): Details {
  return Object.fromEntries(messages.map((message) => [String(message.id), detailsOf(me, message)]));
}

function detailsOf(
  me: number,
  { stream_id, topic, user_ids, mentioned, muted }: UnreadMessageDetails,
): Details[string] {
  const mention = mentioned ? { mentioned: true as const } : {};
  if (stream_id === null) return { type: 'private', ...mention, user_ids: (user_ids ?? []).filter((id) => id !== me) };
  return { type: 'stream', ...mention, stream_id, topic: topic ?? '', unmuted_stream_msg: !muted };
}
