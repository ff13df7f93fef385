import { limits } from '../../core/limits.ts';
import { findBadCharacter } from '../../text/names.ts';
import { topicKey, topicLength } from '../../text/topics.ts';

/** The topic of a stream message without one. */
export const NO_TOPIC = '(no topic)';

/** The problem of a trimmed topic, if there is one. */
export function topicProblem(topic: string, { mandatory }: { mandatory: boolean }): string | undefined {
  if (topic === '') return 'topic: a topic cannot be blank.';
  if (mandatory && topicKey(topic) === NO_TOPIC) return 'topic: every message needs a topic in this organization.';
  const bad = findBadCharacter(topic);
  if (bad) return `topic: the character at position ${bad.position} is invisible or invalid.`;
  if (topicLength(topic) <= limits.max_topic_length) return undefined;
  return `topic: a topic has at most ${limits.max_topic_length} characters.`;
}
