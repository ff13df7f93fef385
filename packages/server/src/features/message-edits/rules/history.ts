import type { Schema } from '../../../core/contract.ts';
import { requireValue } from '../../../core/require-value.ts';
import type { EditRow, MoveRow } from '../queries/history.ts';

type MessageEdit = Schema<'MessageEdit'>;
export type Snapshot = Schema<'MessageSnapshot'>;

/** Version of the renderer that made the HTML of a message. */
export const RENDERING_VERSION = 1;

/** A message with all its changes. */
export interface MessageHistory {
  readonly id: number;
  readonly topic_id: number | null;
  /** Its moves apart from its whole topic, oldest first. */
  readonly moves: readonly MoveRow[];
  /** Renames of the topics that it is or was in. Those of other times or other messages are ignored. */
  readonly renamings: readonly MoveRow[];
  readonly edits: readonly EditRow[];
}

/** One change of a message: a move, an edit of its content, or both. */
export interface MessageChange {
  /** UNIX time in seconds, with fraction. */
  readonly at: number;
  readonly move: MoveRow | undefined;
  readonly edit: EditRow | undefined;
}

/** The edits of a message that a page shows, newest first. */
export interface VisibleEdits {
  readonly edits: readonly MessageEdit[];
  /** When it was last changed, shown or not: UNIX time in seconds. */
  readonly last_at: number | undefined;
  /** Whether older ones may be missing. */
  readonly truncated: boolean;
}

/** The changes up to the first whose text is missing, or before which moves may be missing. */
export function listVisibleEdits(past: MessageHistory, complete_since = Number.NEGATIVE_INFINITY): VisibleEdits {
  const changes = toMessageChanges(past);
  const missing = changes.findIndex(({ at, edit }) => edit?.prev_content === null || at < complete_since);
  const visibleChanges = missing < 0 ? changes : changes.slice(0, missing);
  const [last] = changes;
  return {
    edits: visibleChanges.map(presentEdit),
    last_at: last && Math.floor(last.at),
    truncated: missing >= 0 || (changes.length > 0 && complete_since > Number.NEGATIVE_INFINITY),
  };
}

/** The changes of a message, newest first. */
export function toMessageChanges(past: MessageHistory): MessageChange[] {
  const moves = [...past.moves, ...past.renamings.filter((one) => isOfMessage(one, past))];
  const alone = past.edits.filter(({ move_id }) => move_id === null);
  const changes = [
    ...moves.map((move) => ({ at: move.at, move, edit: past.edits.find(({ move_id }) => move_id === move.id) })),
    ...alone.map((edit) => ({ at: edit.at, move: undefined, edit })),
  ];
  return changes.sort((one, other) => other.at - one.at || newerFirst(one, other));
}

const newerFirst = (one: MessageChange, other: MessageChange): number =>
  requireValue(other.move ?? other.edit).id - requireValue(one.move ?? one.edit).id;

/** Whether the message was in the topic when it was renamed. */
function isOfMessage(renaming: MoveRow, { id, topic_id, moves }: MessageHistory): boolean {
  if (renaming.up_to === null || renaming.up_to < id) return false;
  const next = moves.find((move) => move.id > renaming.id);
  const then = next ? next.from_topic_id : topic_id;
  const before = moves.findLast((move) => move.id < renaming.id);
  return then === renaming.from_topic_id && (!before || before.to_topic_id === then);
}

export function presentEdit({ at, move, edit }: MessageChange): MessageEdit {
  return {
    user_id: requireValue(move ?? edit).user_id,
    timestamp: Math.floor(at),
    ...(edit && {
      prev_content: edit.prev_content ?? '',
      prev_rendered_content: edit.prev_rendered_content ?? '',
      prev_rendered_content_version: RENDERING_VERSION,
    }),
    ...(move && move.from_topic !== move.to_topic && { prev_topic: move.from_topic, topic: move.to_topic }),
    ...(move &&
      move.from_stream_id !== move.to_stream_id && { prev_stream: move.from_stream_id, stream: move.to_stream_id }),
  };
}

/**
 * The size in bytes of the texts of each state of a message: the text, and the one that it replaced. `now` is the size
 * of the present text; `changes` are oldest first.
 */
export function countStateBytes(now: number, changes: readonly MessageChange[]): number[] {
  let text = now;
  const sizes = changes.toReversed().map(({ edit }) => {
    const size = text + (edit?.size ?? 0);
    text = edit?.size ?? text;
    return size;
  });
  return [text, ...sizes.reverse()];
}

/** A message as it is now. */
export interface CurrentMessage {
  readonly topic: string;
  readonly content: string;
  readonly rendered_content: string;
  readonly sender_id: number;
  /** UNIX time in seconds, with fraction. */
  readonly sent_at: number;
}

/** The states of a message, oldest first. Undoing each edit, from the newest on, yields the state before it. */
export function listSnapshots(now: CurrentMessage, edits: readonly MessageEdit[]): Snapshot[] {
  let { topic, content, rendered_content } = now;
  const snapshots = edits.map((edit): Snapshot => {
    const { user_id, timestamp, prev_rendered_content_version: _version, topic: _topic, ...before } = edit;
    const entry = { topic, content, rendered_content, timestamp, user_id, ...before };
    topic = edit.prev_topic ?? topic;
    content = edit.prev_content ?? content;
    rendered_content = edit.prev_rendered_content ?? rendered_content;
    return entry;
  });
  const sent = { topic, content, rendered_content, timestamp: Math.floor(now.sent_at), user_id: now.sender_id };
  return [sent, ...snapshots.reverse()];
}
