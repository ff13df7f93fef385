import { isAdministrator } from '../../../access/roles.ts';
import type { User } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import type { RequestProblem } from '../../../core/errors.ts';
import { isResolved, stripCheckMarks } from '../../../text/topics.ts';
import { normalizeContent, topicProblem } from '../../messages/index.ts';

type UpdateMessageParams = Params<'updateMessage'>;
export type PropagateMode = UpdateMessageParams['propagate_mode'];

/** The facts of a message that decide whether it can be changed. */
export interface EditableMessage {
  readonly id: number;
  readonly conversation_id: number;
  /** Null in direct conversations. */
  readonly topic: string | null;
  readonly sender: { readonly id: number };
  /** UNIX time in seconds, with fraction. */
  readonly sent_at: number;
}

/** The requested changes, without those that equal the present state. */
export interface MessageUpdate {
  readonly content?: string;
  readonly topic?: string;
  readonly stream_id?: number;
}

export const DELETED = '(deleted)';

export function toMessageUpdate(
  message: EditableMessage,
  { content, topic, stream_id }: UpdateMessageParams,
): MessageUpdate {
  const name = topic?.trim();
  return {
    ...(content !== undefined && { content: normalizeContent(content) || DELETED }),
    ...(name !== undefined && name !== (message.topic ?? '') && { topic: name }),
    ...(stream_id !== undefined && stream_id !== message.conversation_id && { stream_id }),
  };
}

interface EditPolicyFacts {
  readonly me: Pick<User, 'id'>;
  readonly allow_message_editing: boolean;
}

/**
 * The reason why a change cannot be requested, if there is one: checks 2 to 8 of
 * docs/behaviour/messages.md#order-of-checks-when-editing, in their order.
 */
export function changeProblem(
  message: EditableMessage,
  params: UpdateMessageParams,
  { me, allow_message_editing }: EditPolicyFacts,
): RequestProblem | undefined {
  const { content, topic } = toMessageUpdate(message, params);
  const { stream_id, propagate_mode } = params;
  if (content !== undefined && !allow_message_editing)
    return { reason: 'forbidden', text: 'content: messages cannot be edited in this organization.' };
  if (content === undefined && topic === undefined && stream_id === undefined)
    return invalid('There is nothing to change.');
  if (message.topic === null && (topic !== undefined || stream_id !== undefined))
    return invalid('topic, stream_id: a direct message has neither topic nor stream.');
  if (propagate_mode !== 'change_one' && topic === undefined && stream_id === undefined)
    return invalid('propagate_mode: only "change_one" is possible when nothing but the content changes.');
  const wrong = topic === undefined ? undefined : topicProblem(topic, { mandatory: false });
  if (wrong !== undefined) return invalid(wrong);
  if (content !== undefined && stream_id !== undefined)
    return invalid('content, stream_id: the content cannot be changed while the message moves to another stream.');
  if (content !== undefined && message.sender.id !== me.id)
    return { reason: 'forbidden', text: 'content: only its sender can edit a message.' };
  return undefined;
}

const invalid = (text: string): RequestProblem => ({ reason: 'invalid', text });

/** Seconds, or null for no limit. */
export type Limit = number | null;

/**
 * Whether something sent at that time is past a limit, exact to the second
 * (docs/behaviour/realm.md#change-settings-of-the-organization).
 */
export const isPast = (limit: Limit, sent_at: number, now: Date): boolean =>
  limit !== null && now.getTime() / 1000 - sent_at > limit;

/** Whether users can still edit the content of their message: administrators always, moderators not (check 10). */
export function canEditContent(me: Pick<User, 'role'>, limit: Limit, sent_at: number, now: Date): boolean {
  return isAdministrator(me) || !isPast(limit, sent_at, now);
}

/** Whether a new topic name is resolved: `resolved`, `unresolved`, or neither. */
export function getResolution(before: string, after: string): 'resolved' | 'unresolved' | undefined {
  if (isResolved(before) === isResolved(after)) return undefined;
  return isResolved(after) ? 'resolved' : 'unresolved';
}

/** Whether a change of topic only resolves or unresolves it (docs/behaviour/messages.md#resolve-a-topic). */
export const isOnlyResolution = (before: string, after: string): boolean =>
  getResolution(before, after) !== undefined && stripCheckMarks(before) === stripCheckMarks(after);
