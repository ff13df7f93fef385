import { ParleyError } from './errors.ts';
import type { Calls } from './generated/calls.ts';
import type { CallOptions, Params } from './types.ts';

/** Whether the whole topic was moved. False: nothing was, because part of it is too old. */
export type Move =
  | { readonly complete: true }
  | {
      readonly complete: false;
      readonly total: number;
      readonly allowed: number;
      /** Moves the messages that are not too old. Absent if there are none. */
      readonly moveAllowed?: () => Promise<void>;
    };

/**
 * Moves the whole topic of a message. If the time limit forbids moving some of its messages, nothing moves, and the
 * result has a function that moves the others.
 *
 * @param client - The client of the user who moves the topic.
 * @param params - As for `updateMessage`: `message_id` of any message of the topic, and the new `topic` or `stream_id`.
 * @throws {ParleyError} The errors of `updateMessage`, except `MOVE_MESSAGES_TIME_LIMIT_EXCEEDED`.
 * @since Feature level 237.
 * @see `/docs/reference/updateMessage/` on your server
 * @example
 * const move = await moveMessages(client, { message_id, topic: 'dessert' });
 * if (!move.complete && confirm(`Move only ${move.allowed} of ${move.total}?`)) await move.moveAllowed?.();
 */
export async function moveMessages(
  client: Pick<Calls, 'updateMessage'>,
  params: Omit<Params<'updateMessage'>, 'propagate_mode' | 'content'>,
  options?: CallOptions,
): Promise<Move> {
  const move = async (propagate_mode: 'change_all' | 'change_later', message_id: number, callOptions?: CallOptions) =>
    void (await client.updateMessage({ ...params, message_id, propagate_mode }, callOptions));
  try {
    await move('change_all', params.message_id, options);
    return { complete: true };
  } catch (error) {
    if (!ParleyError.is(error, 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED')) throw error;
    const {
      first_message_id_allowed_to_move: first,
      total_messages_in_topic,
      total_messages_allowed_to_move,
    } = error.body;
    // The error response is stored under the first key; this move is another request.
    const rest = { ...options, idempotencyKey: undefined };
    return {
      complete: false,
      total: total_messages_in_topic,
      allowed: total_messages_allowed_to_move,
      ...(first !== null && { moveAllowed: () => move('change_later', first, rest) }),
    };
  }
}

/**
 * Deletes all messages of a topic, however many: repeats the request until none is left.
 *
 * @param client - The client of an administrator.
 * @param params - `stream_id` and `topic_name`.
 * @throws {ParleyError} The errors of the operation `deleteTopic`.
 * @since Feature level 237.
 * @see `/docs/reference/deleteTopic/` on your server
 */
export async function deleteTopic(
  client: Pick<Calls, 'deleteTopic'>,
  params: Params<'deleteTopic'>,
  options?: CallOptions,
): Promise<void> {
  while (!(await client.deleteTopic(params, options)).complete);
}

/**
 * Marks the topic of a message as resolved or unresolved. Does nothing if it is already.
 *
 * @param client - The client of a user who can move the topic.
 * @param params - `message_id` of any message of the topic; `resolved`: false marks it as unresolved.
 * @returns The new name of the topic.
 * @throws {ParleyError} The errors of `getMessage` and `updateMessage`, among them `MOVE_MESSAGES_TIME_LIMIT_EXCEEDED`.
 * @since Feature level 237.
 * @see `/docs/reference/updateMessage/` on your server
 */
export async function resolveTopic(
  client: Pick<Calls, 'getMessage' | 'updateMessage'>,
  { message_id, resolved = true }: { message_id: number; resolved?: boolean },
  options?: CallOptions,
): Promise<string> {
  const { message } = await client.getMessage({ message_id }, { ...options, idempotencyKey: undefined });
  const bare = message.subject.replace(/^(✔ )+/, '');
  const topic = (resolved ? '✔ ' : '') + bare;
  if (topic !== message.subject)
    await client.updateMessage({ message_id, topic, propagate_mode: 'change_all' }, options);
  return topic;
}
