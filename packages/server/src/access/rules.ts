// Who can see a stream, read what is in it, read a message and receive an event: the only definition of these rules.
// `rules-sql.ts` states each again as SQL, under the same name and in the same order, because a page of messages is selected by
// the database. `rules-sql.test.ts` compares the two for every combination of facts, and `test/access.test.ts` compares both with
// every operation that reads.
import type { Audience } from '../core/event-log/audience.ts';
import { type HasRole, isAdministrator, isGuest } from './roles.ts';

/** The facts of a stream that decide who has access to it. A web-public stream is never `invite_only`. */
export interface StreamPrivacy {
  readonly invite_only: boolean;
  readonly is_web_public: boolean;
  readonly archived_at: Date | null;
}

/** The same, with the facts that decide about older messages. */
export interface StreamHistory extends StreamPrivacy {
  readonly history_public_to_subscribers: boolean;
}

/**
 * Whether a user can see that a stream exists: its name, description and subscribers. Administrators see private streams, since
 * they manage them. Sources: docs/behaviour/streams.md#who-can-see-a-stream,
 * docs/behaviour/subscriptions.md#who-sees-subscribers.
 */
export function canSeeStream(me: HasRole, stream: StreamPrivacy, subscribed: boolean): boolean {
  return canAccessStream(me, stream, subscribed) || (stream.archived_at === null && isAdministrator(me));
}

/**
 * The users who `canSeeStream` without a subscription, as the audience of an event. Source:
 * docs/behaviour/subscriptions.md#who-sees-subscribers.
 */
export function getOutsideAudience({ is_web_public, invite_only }: Omit<StreamPrivacy, 'archived_at'>): Audience {
  if (is_web_public) return { everyone: true };
  return invite_only ? { administrators: true } : { non_guests: true };
}

/**
 * Whether a user can take part in a stream: post where its policy allows it, subscribe, follow topics. Administrators have no
 * exception. Guests have access to web-public streams without a subscription. Source:
 * docs/behaviour/streams.md#who-has-access-to-a-stream.
 */
export function canAccessStream(me: HasRole, stream: StreamPrivacy, subscribed: boolean): boolean {
  if (stream.archived_at !== null) return false;
  return subscribed || stream.is_web_public || (!stream.invite_only && !isGuest(me));
}

/**
 * Whether a user can read messages of a stream. Guests need a subscription, in web-public streams too: guests read only
 * what they were added to. Of a protected history only a part is readable, see `canReadMessage`. Source:
 * docs/behaviour/messages.md#who-can-read-a-message.
 */
export function canReadStreamContent(me: HasRole, stream: StreamPrivacy, subscribed: boolean): boolean {
  if (stream.archived_at !== null) return false;
  return subscribed || (!stream.invite_only && !isGuest(me));
}

/** Whether subscribers read only the messages in their history. Only private streams have a protected history. */
export function hasProtectedHistory(
  stream: Pick<StreamHistory, 'invite_only' | 'history_public_to_subscribers'>,
): boolean {
  return stream.invite_only && !stream.history_public_to_subscribers;
}

/**
 * Whether a message is in a user's history: the user received it, or has flags on it (such as starred). The
 * specification calls this a row.
 */
export function isInHistory({ received, has_flags }: { received: boolean; has_flags: boolean }): boolean {
  return received || has_flags;
}

/** The relation of a user to a message and its conversation. */
export interface MessageFacts<Fact = boolean> {
  /** In a direct conversation: whether the user is a participant. */
  readonly subscribed: Fact;
  readonly in_history: Fact;
}

/**
 * Whether a user can read a message; `stream` is undefined for a direct message. Administrators have no exception.
 * Source: docs/behaviour/messages.md#who-can-read-a-message.
 */
export function canReadMessage(
  me: HasRole,
  stream: StreamHistory | undefined,
  { subscribed, in_history }: MessageFacts,
): boolean {
  if (!stream) return subscribed;
  return canReadStreamContent(me, stream, subscribed) && (in_history || !hasProtectedHistory(stream));
}

/** The relation of a user to the conversation that an event is for. */
export interface ConversationFacts<Fact = boolean> {
  readonly subscribed: Fact;
  /** The event is also for users who were subscribed when it was written. */
  readonly by_number: Fact;
  /** The user was subscribed: the conversation's number at that time is among those that the user received. */
  readonly received: Fact;
}

/** Whether a user is in the conversation that an event is for. Source: docs/behaviour/events.md#audiences. */
export function isInAudience({ subscribed, by_number, received }: ConversationFacts): boolean {
  return subscribed && (!by_number || received);
}

/** The relation of a user to the message that an event is about. */
export interface MessageEventFacts<Fact = boolean> extends MessageFacts<Fact> {
  /** `canReadMessage`, where the message is now. */
  readonly can_read: Fact;
  /** The stream that it is in now is archived. */
  readonly is_archived: Fact;
  /** It was moved out of another stream; the following fields are about that stream. */
  readonly has_left: Fact;
  /** The event is that the message was sent there. */
  readonly is_sent: Fact;
  /** The event is only for users who received the message there. */
  readonly by_number: Fact;
  readonly received: Fact;
  /** The user received it under its own number while the stream was public. */
  readonly received_in_public: Fact;
  readonly was_subscribed: Fact;
  /** The user had it in the history there without having received it. */
  readonly had_flags: Fact;
}

/**
 * Whether a user receives an event about a message: users who can read it now, and were concerned when the event was
 * written. Users also get the event that their messages moved to a stream that is archived by now. Source:
 * docs/behaviour/messages.md#access-after-a-move.
 */
export function canReceiveMessageEvent(facts: MessageEventFacts): boolean {
  const { can_read, subscribed, in_history, by_number, is_sent } = facts;
  if (!can_read && !(by_number && !is_sent && facts.is_archived && subscribed && in_history)) return false;
  if (!facts.has_left) return in_history || subscribed;
  if (is_sent) return !by_number || facts.received;
  if (!by_number) return in_history || facts.was_subscribed;
  return in_history || facts.had_flags || facts.received || facts.received_in_public;
}

/** A user with an event queue, at the moment when an event is delivered. */
export interface ReceiverFacts {
  readonly user_id: number;
  /** Undefined: the account is deactivated. */
  readonly role: number | undefined;
  /** `isInAudience`, of the event's `conversation` or `users_of`. */
  readonly is_in_audience: boolean;
  /** `canReceiveMessageEvent`, of one of the messages that the event is about. */
  readonly is_reader: boolean;
  /** The queue is for all public streams, and the event for one that is public now. */
  readonly follows_public_stream: boolean;
  /** The user can no longer read anything of what the event contains. */
  readonly is_hidden: boolean;
}

/**
 * Whether a user receives an event. Decided when it is delivered, not when it is written: users who have lost access by then do
 * not receive it. There is no SQL: the database decides `isInAudience` and `canReceiveMessageEvent` for all users of a page of
 * events at once, and this combines them. Source: docs/behaviour/events.md#audiences.
 */
export function canReceiveEvent(audience: Audience, receiver: ReceiverFacts): boolean {
  const { role, user_id } = receiver;
  if (role === undefined || receiver.is_hidden || audience.except?.includes(user_id)) return false;
  const is_listed = audience.users?.includes(user_id) ?? false;
  if (audience.users_of && !is_listed) return false;
  return Boolean(
    audience.everyone ||
      (audience.non_guests && !isGuest({ role })) ||
      (audience.administrators && isAdministrator({ role })) ||
      (is_listed && !audience.users_of) ||
      receiver.is_in_audience ||
      receiver.is_reader ||
      (receiver.follows_public_stream && !isGuest({ role })),
  );
}

/** What opens an audience to users whom it does not list: their role alone, or what they have to do with the event. */
const openings: Record<Exclude<keyof Audience, 'users' | 'users_of' | 'except'>, 'role' | 'facts'> = {
  everyone: 'role',
  non_guests: 'role',
  administrators: 'role',
  conversation: 'facts',
  message: 'facts',
  lost: 'facts',
  public_stream: 'facts',
};
const openingNames = Object.keys(openings) as (keyof typeof openings)[];

/** Whether users can receive an event by their role alone. */
export const isForRoles = (audience: Audience): boolean =>
  openingNames.some((name) => openings[name] === 'role' && audience[name] !== undefined);

/** The users whom an audience lists, if no other user can receive the event; undefined if others can. */
export function findListedReceivers(audience: Audience): readonly number[] | undefined {
  const { users = [], users_of } = audience;
  const isLimited = users_of !== undefined || openingNames.every((name) => audience[name] === undefined);
  return isLimited ? users : undefined;
}
