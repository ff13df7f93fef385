import type { Params } from '../../core/contract.ts';
import { bounds } from '../../core/limits.ts';

type TypingParams = Params<'setTyping'>;

/** What somebody is writing: to people, or under a topic of a stream. */
export type TypingTarget =
  | { readonly type: 'direct'; readonly to: readonly number[] }
  | { readonly type: 'stream'; readonly stream_id: number; readonly topic: string };

/** What the parameters describe, or the first one that their type needs and that is not there (specification 4.8). */
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

/** Whether a stream of so many hears who is typing in it (docs/behaviour/typing.md#large-streams). */
export const hasTypingNotices = (subscribers: number): boolean => subscribers <= bounds.typing_subscribers;
