import type { Schema } from '../../core/contract.ts';
import type { Scheduled } from './queries.ts';

export function presentScheduled(row: Scheduled): Schema<'ScheduledMessage'> {
  return {
    scheduled_message_id: row.id,
    type: row.type,
    to: recipientsOf(row),
    ...(row.topic !== null && { topic: row.topic }),
    content: row.content,
    rendered_content: row.rendered_content,
    scheduled_delivery_timestamp: Math.floor(row.deliver_at.getTime() / 1000),
    failed: row.failure_message !== null,
  };
}

export const recipientsOf = ({ stream_id, to_user_ids }: Pick<Scheduled, 'stream_id' | 'to_user_ids'>) =>
  stream_id ?? to_user_ids ?? [];
