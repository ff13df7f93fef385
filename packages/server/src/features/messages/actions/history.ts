import { diffWordsWithSpace } from 'diff';
import type { Ctx } from '../../../core/context.ts';
import type { Schema } from '../../../core/contract.ts';
import { refuse } from '../../../core/errors.ts';
import { requireMessage } from '../access.ts';
import type { SeenMessage } from '../queries/fetch.ts';
import { listEdits, listMoves, listRenamings } from '../queries/history.ts';
import { editsOf, type Snapshot, snapshotsOf } from '../rules/history.ts';

type MessageEdit = Schema<'MessageEdit'>;

/** What happened to each of these messages, newest first; in as many statements for a page as for one. */
export async function loadEdits(ctx: Ctx, messages: readonly SeenMessage[]): Promise<Map<number, MessageEdit[]>> {
  const realm_id = ctx.realm.id;
  const inTopics = messages.filter(({ topic_id }) => topic_id !== null);
  const moves = await listMoves(ctx.db, realm_id, [...new Set(inTopics.flatMap((message) => message.moves))]);
  const topics = new Set(moves.flatMap(({ from_topic_id, to_topic_id }) => [from_topic_id, to_topic_id]));
  for (const { topic_id } of inTopics) topics.add(topic_id ?? 0);
  const renamings = await listRenamings(ctx.db, realm_id, [...topics], inTopics[0]?.id ?? 0);
  const edited = messages.filter(({ last_edit_at }) => last_edit_at !== null).map(({ id }) => id);
  const edits = await listEdits(ctx.db, realm_id, edited);
  const byId = new Map(moves.map((move) => [move.id, move]));
  return new Map(
    messages.map((message) => [
      message.id,
      editsOf({
        id: message.id,
        topic_id: message.topic_id,
        moves: message.moves.flatMap((id) => byId.get(id) ?? []),
        renamings: message.topic_id === null ? [] : renamings,
        edits: edits.filter(({ message_id }) => message_id === message.id),
      }),
    ]),
  );
}

/** When a message was last changed, and how, as far as the organization lets people see it. */
export function presentEdits(ctx: Ctx, edits: readonly MessageEdit[]): Partial<Schema<'Message'>> {
  const [last] = edits;
  if (!last) return {};
  return {
    last_edit_timestamp: last.timestamp,
    ...(ctx.realm.settings.allow_edit_history && { edit_history: [...edits] }),
  };
}

export async function getMessageHistory(ctx: Ctx, message_id: number): Promise<Snapshot[]> {
  const message = await requireMessage(ctx, message_id);
  if (!ctx.realm.settings.allow_edit_history)
    refuse('BAD_REQUEST', 'This organization does not show how messages were edited.');
  const edits = (await loadEdits(ctx, [message])).get(message.id) ?? [];
  const now = { ...message, topic: message.topic ?? '', sender_id: message.sender.id };
  return snapshotsOf(now, edits, difference);
}

/** A text with what went and what came marked, safe to show as HTML. */
function difference(before: string, after: string): string {
  return diffWordsWithSpace(before, after)
    .map(({ value, added, removed }) => {
      const text = escaped(value);
      if (added) return `<ins>${text}</ins>`;
      return removed ? `<del>${text}</del>` : text;
    })
    .join('');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
