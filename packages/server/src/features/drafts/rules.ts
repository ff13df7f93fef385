import type { Schema } from '../../core/contract.ts';
import { contentProblem, topicProblem } from '../messages/index.ts';

type DraftInput = Schema<'NewDraft'>;

/** A draft in its stored form. */
export interface DraftFields extends Pick<DraftInput, 'type' | 'topic' | 'content'> {
  readonly to: readonly number[];
  readonly changed_at: Date;
}

/** A draft with its size in a response, in bytes. */
export interface SizedDraftFields extends DraftFields {
  readonly bytes: number;
}

/** Only stream messages have a topic. */
export function fieldsOf({ type, to, topic, content, timestamp }: DraftInput, now: Date): DraftFields {
  const changed_at = timestamp === undefined ? now : new Date(Math.floor(timestamp) * 1000);
  return { type, to: [...new Set(to)], topic: type === 'stream' ? topic.trim() : '', content, changed_at };
}

/** The problem of a draft, if there is one. It need not be complete: its topic can be missing. */
export function draftProblem({ type, to, topic, content }: DraftFields): string | undefined {
  if (type === 'stream' && to.length !== 1) return 'to: the draft of a stream message goes to one stream.';
  if (type === '' && to.length > 0) return 'to: a draft without a type goes nowhere yet.';
  const wrong = topic === '' ? undefined : topicProblem(topic, { mandatory: false });
  return wrong ?? (content.trim() === '' ? 'content: a draft cannot be blank.' : contentProblem(content));
}
