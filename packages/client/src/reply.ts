import type { Schema } from './types.ts';

/** A message as fetched or received in an event: `type` distinguishes the two kinds. */
export type AnyMessage = Schema<'Message'>;
/** A message in a topic of a stream. */
export type StreamMessage = Extract<AnyMessage, { type: 'stream' }>;
/** A message to users. */
export type DirectMessage = Extract<AnyMessage, { type: 'private' }>;

/** A topic of a stream, as the parameters of `sendMessage` name it. */
export interface TopicRecipient {
  type: 'stream';
  to: StreamMessage['stream_id'];
  topic: string;
}

/** The users of a direct conversation, as the parameters of `sendMessage` name them. */
export interface DirectRecipients {
  type: 'direct';
  to: DirectMessage['display_recipient'][number]['id'][];
}

/**
 * Returns the parameters of `sendMessage` and `scheduleMessage` for the conversation of a message: the topic of a
 * stream, or all users of a direct conversation.
 *
 * @param message - The message to reply to, from `getMessages`, `getMessage` or a `message` event.
 * @since Feature level 237.
 * @see `/docs/guides/sdk/#messages` on your server
 * @example
 * await client.sendMessage({ ...replyTo(message), content: 'Soup!' });
 */
export function replyTo(message: StreamMessage): TopicRecipient;
export function replyTo(message: DirectMessage): DirectRecipients;
export function replyTo(message: AnyMessage): TopicRecipient | DirectRecipients;
export function replyTo(message: AnyMessage): TopicRecipient | DirectRecipients {
  return message.type === 'stream'
    ? { type: 'stream', to: message.stream_id, topic: message.subject }
    : { type: 'direct', to: message.display_recipient.map(({ id }) => id) };
}
