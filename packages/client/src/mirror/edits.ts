import { type Of, pickPresent, type State, withIds } from './state.ts';
import { withMentions, withMoved, withoutUnread } from './unread.ts';

/** Applies `update_message`: messages were edited or moved. */
export function withUpdate(state: State, event: Of<'update_message'>): State {
  const edited = event.content
    ? pickPresent(state, 'unread_msgs', (unread) => withMentions(unread, event.message_id, event.flags))
    : state;
  const { stream_id, orig_subject } = event;
  if (!stream_id || !orig_subject) return edited;
  const { new_stream_id = stream_id, subject: topic = orig_subject } = event;
  if (isLeftBehind(state, stream_id, new_stream_id)) return withoutMessages(edited, event);
  return pickPresent(edited, 'unread_msgs', (unread) =>
    withMoved(unread, event.message_ids, { stream_id: new_stream_id, topic }),
  );
}

/** A user who is in the stream that messages leave, and not in the one they move to, keeps no flags of them. */
function isLeftBehind({ subscriptions }: State, from: number, to: number): boolean {
  const isIn = (id: number) => subscriptions?.some(({ stream_id }) => stream_id === id) ?? true;
  return from !== to && isIn(from) && !isIn(to);
}

/** Applies `delete_message`. */
export function withoutMessages(state: State, { message_ids: ids }: { message_ids: readonly number[] }): State {
  const next = pickPresent(state, 'starred_messages', (starred) => withIds(starred, ids, false));
  return pickPresent(next, 'unread_msgs', (unread) => withoutUnread(unread, ids));
}
