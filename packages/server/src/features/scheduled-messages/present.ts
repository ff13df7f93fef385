import type { Schema } from '../../core/contract.ts';
import { countBytes } from '../../core/response-size.ts';
import type { ScheduledMessageRow } from './queries.ts';

type Presentable = Omit<
  ScheduledMessageRow,
  'realm_id' | 'user_id' | 'read_by_sender' | 'client' | 'attempt_at' | 'sent_at' | 'bytes'
>;

export function presentScheduled(row: Presentable): Schema<'ScheduledMessage'> {
  return {
    scheduled_message_id: row.id,
    type: row.type,
    to: toRecipients(row),
    ...(row.topic !== null && { topic: row.topic }),
    content: row.content,
    rendered_content: row.rendered_content,
    scheduled_delivery_timestamp: Math.floor(row.deliver_at.getTime() / 1000),
    failed: row.failure_message !== null,
  };
}

export const toRecipients = ({ stream_id, to_user_ids }: Pick<ScheduledMessageRow, 'stream_id' | 'to_user_ids'>) =>
  stream_id ?? to_user_ids ?? [];

/** Its size in a response, in bytes. */
export const countScheduledBytes = (row: Omit<Presentable, 'id' | 'deliver_at' | 'failure_message'>): number =>
  countBytes(presentScheduled({ ...row, id: Number.MAX_SAFE_INTEGER, deliver_at: new Date(), failure_message: null }));
