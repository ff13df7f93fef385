import type { Ctx } from '../../../core/context.ts';
import type { Params, Payload } from '../../../core/contract.ts';
import { failForbidden } from '../../../core/errors.ts';
import { countBytes, countWithin, getResponseBudget } from '../../../core/response-size.ts';
import { requireMessage, type SeenMessage } from '../../messages/index.ts';
import { listEditSizes, listEditTexts, listMovesOf, listRenamings } from '../queries/history.ts';
import { markDifferences } from '../rules/differences.ts';
import {
  type CurrentMessage,
  countStateBytes,
  listSnapshots,
  type MessageChange,
  presentEdit,
  type Snapshot,
  toMessageChanges,
} from '../rules/history.ts';

/** Returns the states of a message from one on: as many as the request selects and the response has room for. */
export async function getMessageHistory(
  ctx: Ctx,
  { message_id, offset, limit }: Params<'getMessageHistory'>,
): Promise<Payload<'getMessageHistory'>> {
  const message = await requireMessage(ctx, message_id);
  if (!ctx.realm.settings.allow_edit_history)
    failForbidden('This organization does not show how messages were edited.');
  const changes = await listChanges(ctx, message);
  const now = countBytes(message.content) + countBytes(message.rendered_content);
  const sizes = countStateBytes(now, changes).slice(offset, offset + limit);
  const end = offset + countWithin(sizes, getResponseBudget('getMessageHistory'));
  const states = markDifferences(await loadStates(ctx, message, changes, { offset, end }));
  const message_history = states.slice(0, countWithin(states.map(countBytes), getResponseBudget('getMessageHistory')));
  return { message_history, has_more: offset + message_history.length <= changes.length };
}

/** Returns all changes of a message, oldest first, without the texts. */
async function listChanges(ctx: Ctx, { id, topic_id }: SeenMessage): Promise<MessageChange[]> {
  const realm_id = ctx.realm.id;
  const edits = await listEditSizes(ctx.db, realm_id, id);
  const moves = topic_id === null ? [] : await listMovesOf(ctx.db, realm_id, id);
  const topics = new Set(moves.flatMap(({ from_topic_id, to_topic_id }) => [from_topic_id, to_topic_id]));
  if (topic_id !== null) topics.add(topic_id);
  const renamings = await listRenamings(ctx.db, realm_id, [...topics], id);
  return toMessageChanges({ id, topic_id, moves, renamings, edits }).reverse();
}

interface Span {
  readonly offset: number;
  readonly end: number;
}

/** Returns the states of a message in a range: the first is the message as sent, and each change adds one. */
async function loadStates(
  ctx: Ctx,
  message: SeenMessage,
  changes: readonly MessageChange[],
  { offset, end }: Span,
): Promise<Snapshot[]> {
  if (end <= offset) return [];
  const some = changes.slice(Math.max(offset - 1, 0), end - 1);
  const later = changes.slice(end - 1);
  const replaced = later.find(({ edit }) => edit)?.edit;
  const ids = [...some, { edit: replaced }].flatMap(({ edit }) => edit?.id ?? []);
  const texts = await listEditTexts(ctx.db, ctx.realm.id, ids);
  const edits = some.map(({ edit, ...change }) =>
    presentEdit({ ...change, edit: edit && { ...edit, ...texts.get(edit.id) } }),
  );
  const before = replaced && texts.get(replaced.id);
  const last: CurrentMessage = {
    topic: later.find(({ move }) => move)?.move?.from_topic ?? message.topic ?? '',
    content: before?.prev_content ?? message.content,
    rendered_content: before?.prev_rendered_content ?? message.rendered_content,
    sender_id: message.sender.id,
    sent_at: message.sent_at,
  };
  return listSnapshots(last, edits.reverse()).slice(offset === 0 ? 0 : 1);
}
