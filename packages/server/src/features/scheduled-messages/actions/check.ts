import type { Ctx } from '../../../core/context.ts';
import { requireSendable } from '../../messages/index.ts';
import type { Linked } from '../../uploads/index.ts';
import { countScheduledBytes } from '../present.ts';
import type { ScheduledMessageRow } from '../queries.ts';
import type { To, Type } from '../rules.ts';

interface MessageToSchedule {
  readonly type: Type;
  readonly to: To;
  readonly content: string;
  readonly topic?: string;
}

interface Destination {
  /** The stored form. */
  readonly row: Pick<
    ScheduledMessageRow,
    'type' | 'stream_id' | 'to_user_ids' | 'topic' | 'content' | 'rendered_content' | 'bytes'
  >;
  /** The files that it links. */
  readonly uploads: readonly Linked[];
}

/** The content and destination of a message that could be sent now. */
export async function requireDestination(ctx: Ctx, message: MessageToSchedule): Promise<Destination> {
  const { type, to } = message;
  const { topic, text } = await requireSendable(ctx, message);
  const row = {
    type,
    stream_id: typeof to === 'number' ? to : null,
    to_user_ids: typeof to === 'number' ? null : [...new Set(to)],
    topic,
    content: text.content,
    rendered_content: text.html,
  };
  return { row: { ...row, bytes: countScheduledBytes(row) }, uploads: text.uploads };
}
