import type { Params } from '../../core/contract.ts';
import { bounds } from '../../core/limits.ts';

type TypingParams = Params<'setTyping'>;

/** The destination of the message that a user is typing: users, or a topic of a stream. */
export type TypingTarget =
  | { readonly type: 'direct'; readonly to: readonly number[] }
  | { readonly type: 'stream'; readonly stream_id: number; readonly topic: string };

/**
 * The destination in the parameters, or the first parameter that the type requires and that is missing (specification
 * 4.8).
 */
export function parseTypingTarget({
  type,
  to,
  stream_id,
  topic,
}: Pick<TypingParams, 'type' | 'to' | 'stream_id' | 'topic'>):
  | TypingTarget
  | { readonly missing: 'to' | 'stream_id' | 'topic' } {
  if (type === 'direct') return to === undefined ? { missing: 'to' } : { type, to };
  if (stream_id === undefined) return { missing: 'stream_id' };
  return topic === undefined ? { missing: 'topic' } : { type, stream_id, topic };
}

/**
 * Whether typing notifications are published in a stream of this many subscribers
 * (docs/behaviour/typing.md#large-streams).
 */
export const hasTypingNotices = (subscribers: number): boolean => subscribers <= bounds.typing_subscribers;
