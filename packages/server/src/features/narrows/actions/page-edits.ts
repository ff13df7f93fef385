import type { Ctx } from '../../../core/context.ts';
import type { Schema } from '../../../core/contract.ts';
import { bounds } from '../../../core/limits.ts';
import {
  type EditRow,
  listEdits,
  listVisibleEdits,
  type MoveRow,
  type VisibleEdits,
} from '../../message-edits/index.ts';
import type { ShownMessage } from '../../messages/index.ts';
import type { PageMessages } from '../queries/page-messages.ts';

/**
 * The newest changes of each of these messages. The number of statements does not depend on the number of messages.
 * `budget.versions` is the room for earlier versions, in bytes.
 */
export async function loadEdits(
  ctx: Ctx,
  messages: readonly ShownMessage[],
  { moves, renamings }: Pick<PageMessages, 'moves' | 'renamings'>,
  budget: { versions: number },
): Promise<Map<number, VisibleEdits>> {
  const edited = messages.filter(({ last_edit_at }) => last_edit_at !== null).map(({ id }) => id);
  const edits = await listEdits(ctx.db, ctx.realm.id, edited, budget.versions);
  for (const { prev_content, size } of edits) budget.versions -= prev_content === null ? 0 : size;
  const editsById = groupByMessage(edits);
  const changed = messages.filter(({ last_edit_at }) => last_edit_at !== null || renamings.length > 0);
  const movesById = new Map(moves.map((move) => [move.id, move]));
  return new Map(
    changed.map((message) => {
      const own = message.moves.flatMap((id) => movesById.get(id) ?? []);
      const of = message.topic_id === null ? [] : renamings;
      const past = {
        id: message.id,
        topic_id: message.topic_id,
        moves: own,
        renamings: of,
        edits: editsById.get(message.id) ?? [],
      };
      return [message.id, listVisibleEdits(past, Math.max(completeSince(own), completeSince(of)))];
    }),
  );
}

function groupByMessage(edits: readonly EditRow[]): Map<number, EditRow[]> {
  const groups = new Map<number, EditRow[]>();
  for (const edit of edits) {
    const group = groups.get(edit.message_id);
    if (group) group.push(edit);
    else groups.set(edit.message_id, [edit]);
  }
  return groups;
}

/** The time from which on a list of the newest moves is complete. Beyond the limit, the oldest is not shown. */
function completeSince(moves: readonly MoveRow[]): number {
  const [, oldest] = moves;
  return moves.length > bounds.page_moves && oldest ? oldest.at : Number.NEGATIVE_INFINITY;
}

/** When and how a message was last changed, as far as the organization shows edit history to users. */
export function presentEdits(ctx: Ctx, edits: VisibleEdits | undefined): Partial<Schema<'Message'>> {
  if (edits?.last_at === undefined) return {};
  return {
    last_edit_timestamp: edits.last_at,
    ...(ctx.realm.settings.allow_edit_history && {
      edit_history: [...edits.edits],
      ...(edits.truncated && { edit_history_truncated: true as const }),
    }),
  };
}
