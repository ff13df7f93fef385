import { ParleyError } from './errors.ts';
import type { Calls } from './generated/calls.ts';
import type { CallOptions, Params } from './types.ts';

/** All of the topic was moved, or nothing, because it is too late for a part of it. */
export type Move =
  | { readonly complete: true }
  | {
      readonly complete: false;
      readonly total: number;
      readonly allowed: number;
      /** Moves what it is not too late for. Absent if that is nothing. */
      readonly moveAllowed?: () => Promise<void>;
    };

/**
 * Moves the whole topic of a message. Where a time limit covers only a part, nothing moves, and the answer offers to move what is
 * still allowed.
 *
 * @param client - Who moves.
 * @param params - As for `updateMessage`: `message_id` of any message of the topic, and the new `topic` or `stream_id`.
 * @throws {ParleyError} What `updateMessage` throws, but `MOVE_MESSAGES_TIME_LIMIT_EXCEEDED`.
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
  const move = async (propagate_mode: 'change_all' | 'change_later', message_id: number, given?: CallOptions) =>
    void (await client.updateMessage({ ...params, message_id, propagate_mode }, given));
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
    // The refusal is the answer under the first key; what is moved now is another request.
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
 * Deletes all messages of a topic, however many: asks again until nothing is left.
 *
 * @param client - An administrator.
 * @param params - `stream_id` and `topic_name`.
 * @throws {ParleyError} What the operation `deleteTopic` throws.
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
 * Marks the topic of a message as resolved, or takes the mark off. Does nothing if it is so already.
 *
 * @param client - Who may move the topic.
 * @param params - `message_id` of any message of the topic; `resolved` false takes the mark off.
 * @returns The name of the topic from now on.
 * @throws {ParleyError} What `getMessage` and `updateMessage` throw, among them `MOVE_MESSAGES_TIME_LIMIT_EXCEEDED`.
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
