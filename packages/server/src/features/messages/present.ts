import type { Realm } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { apiEmailOf, avatarUrlOf } from '../users/index.ts';

type Message = Schema<'Message'>;

/** As much of a person as a message shows. */
export interface Party {
  readonly id: number;
  readonly full_name: string;
  readonly delivery_email: string;
  readonly email_address_visibility: number;
}

/** A message with what is shown beside it, whoever looks. */
export interface Shown {
  readonly id: number;
  readonly conversation_id: number;
  readonly sender: Party;
  readonly content: string;
  readonly rendered_content: string;
  readonly client: string;
  /** UNIX time, seconds. */
  readonly sent_at: number;
  readonly last_edit_at: number | null;
  readonly is_me_message: boolean;
  /** Null in direct conversations, which have `participants` instead. */
  readonly stream_name: string | null;
  readonly topic: string | null;
  readonly participants: readonly Party[];
}

export interface Look {
  readonly apply_markdown: boolean;
  readonly client_gravatar: boolean;
}

export function presentMessage(realm: Pick<Realm, 'host' | 'subdomain'>, shown: Shown, look: Look): Message {
  const { sender } = shown;
  return {
    id: shown.id,
    sender_id: sender.id,
    sender_full_name: sender.full_name,
    sender_email: apiEmailOf(realm, sender),
    sender_realm_str: realm.subdomain,
    content: look.apply_markdown ? shown.rendered_content : shown.content,
    content_type: look.apply_markdown ? 'text/html' : 'text/x-markdown',
    timestamp: shown.sent_at,
    client: shown.client,
    subject: shown.topic ?? '',
    topic_links: [],
    ...presentPlace(realm, shown),
    recipient_id: shown.conversation_id,
    // Nobody has an avatar of their own yet.
    avatar_url: look.client_gravatar ? null : avatarUrlOf(sender.id),
    is_me_message: shown.is_me_message,
    reactions: [],
    submessages: [],
    ...(shown.last_edit_at !== null && { last_edit_timestamp: shown.last_edit_at }),
  };
}

function presentPlace(realm: Pick<Realm, 'host'>, { stream_name, conversation_id, participants }: Shown) {
  if (stream_name !== null)
    return { type: 'stream', stream_id: conversation_id, display_recipient: stream_name } as const;
  const people = participants.map((person) => ({
    id: person.id,
    email: apiEmailOf(realm, person),
    full_name: person.full_name,
    is_mirror_dummy: false,
  }));
  return { type: 'private', display_recipient: people.sort((one, other) => one.id - other.id) } as const;
}
