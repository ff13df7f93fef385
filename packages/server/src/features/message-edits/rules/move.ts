import { isModerator } from '../../../access/roles.ts';
import type { User } from '../../../core/context.ts';
import type { Limit, MessageUpdate } from './update.ts';

interface MoveLimits {
  readonly move_messages_within_stream_limit_seconds: Limit;
  readonly move_messages_between_streams_limit_seconds: Limit;
}

/** The maximum age of messages that the user can move; moderators and above have none. */
export function getMoveLimit(me: Pick<User, 'role'>, { topic, stream_id }: MessageUpdate, limits: MoveLimits): Limit {
  if (isModerator(me)) return null;
  const applicable = [
    topic === undefined ? null : limits.move_messages_within_stream_limit_seconds,
    stream_id === undefined ? null : limits.move_messages_between_streams_limit_seconds,
  ].filter((limit) => limit !== null);
  return applicable.length > 0 ? Math.min(...applicable) : null;
}

/** A user's policy for two topics that become one: 0 none, 1 muted, 2 unmuted, 3 followed. */
export function mergePolicies(one: number, other: number): number {
  if (one === other) return one;
  return one === 2 || other === 2 ? 2 : 0;
}
