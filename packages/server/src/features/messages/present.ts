import type { Realm } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import type { NamedUser } from '../../core/named-users.ts';
import { requireValue } from '../../core/require-value.ts';
import { getApiEmail, getVisibleAvatarUrl } from '../users/index.ts';

type Message = Schema<'Message'>;

/** The fields of a user that a message shows, except for its sender, of whom it also shows the avatar. */
export type MessageUser = Omit<NamedUser, 'avatar_key'>;

/** A reaction and the user who added it. */
export interface PresentableReaction
  extends Pick<Schema<'MessageReaction'>, 'emoji_name' | 'emoji_code' | 'reaction_type'> {
  readonly by: MessageUser;
}

/** A message with the facts that are the same for all viewers. */
export interface PresentableMessage {
  readonly id: number;
  readonly conversation_id: number;
  readonly sender: NamedUser;
  /** Null where only the rendered text is shown. */
  readonly content: string | null;
  readonly rendered_content: string;
  readonly client: string;
  /** UNIX time in seconds, with fraction. */
  readonly sent_at: number;
  readonly is_me_message: boolean;
  /** Null in direct conversations, which have `participants` instead. */
  readonly stream_name: string | null;
  readonly topic: string | null;
  readonly participants: readonly MessageUser[];
}

/** The facts of a message that are stored or computed elsewhere. */
export interface MessageAdditions {
  /** Absent where there is no topic. */
  readonly topic_links?: Message['topic_links'] | undefined;
  /** Absent where there can be no reactions yet. */
  readonly reactions?: readonly PresentableReaction[] | undefined;
}

export interface MessageFormat {
  readonly apply_markdown: boolean;
  readonly client_gravatar: boolean;
}

/** A page has many messages, so no object is spread here (docs/adr/0051). */
export function presentMessage(
  realm: Pick<Realm, 'host' | 'subdomain'>,
  message: PresentableMessage,
  look: MessageFormat,
  { topic_links = [], reactions = [] }: MessageAdditions,
): Message {
  const { sender, stream_name } = message;
  const presented: Message = {
    id: message.id,
    sender_id: sender.id,
    sender_full_name: sender.full_name,
    sender_email: getApiEmail(realm, sender),
    sender_realm_str: realm.subdomain,
    content: look.apply_markdown ? message.rendered_content : requireValue(message.content),
    content_type: look.apply_markdown ? 'text/html' : 'text/x-markdown',
    timestamp: Math.floor(message.sent_at),
    client: message.client,
    subject: message.topic ?? '',
    topic_links,
    type: stream_name === null ? 'private' : 'stream',
    display_recipient: stream_name ?? presentParticipants(realm, message),
    recipient_id: message.conversation_id,
    avatar_url: getVisibleAvatarUrl(sender, look.client_gravatar),
    is_me_message: message.is_me_message,
    reactions: reactions.map((reaction) => presentReaction(realm, reaction)),
    submessages: [],
  };
  if (stream_name !== null) presented.stream_id = message.conversation_id;
  return presented;
}

const presentReaction = (
  realm: Pick<Realm, 'host'>,
  { emoji_name, emoji_code, reaction_type, by }: PresentableReaction,
): Schema<'MessageReaction'> => ({
  emoji_name,
  emoji_code,
  reaction_type,
  user_id: by.id,
  user: { id: by.id, email: getApiEmail(realm, by), full_name: by.full_name },
});

function presentParticipants(realm: Pick<Realm, 'host'>, { participants }: PresentableMessage) {
  const users = participants.map((user) => ({
    id: user.id,
    email: getApiEmail(realm, user),
    full_name: user.full_name,
    is_mirror_dummy: false,
  }));
  return users.sort((one, other) => one.id - other.id);
}
