import { isGuest } from '../../access/roles.ts';
import { canReceiveEvent, type ReceiverFacts } from '../../access/rules.ts';
import type { Audience, Delivered, EventDeliveryMetadata, Queue } from '../../core/context.ts';
import type { Event, Schema } from '../../core/contract.ts';

/** An event as the log stores it. */
export interface LoggedEvent {
  readonly id: number;
  readonly payload: Event;
  readonly audience: Audience & { asides?: EventDeliveryMetadata };
  /** Set when it is about all messages of that topic. */
  readonly topic_id?: number | null;
}

/** An event with its size as JSON. */
export interface StoredEvent extends LoggedEvent {
  readonly bytes: number;
}

export type Flags = Schema<'MessageFlags'>;
type PeopleOf<Value> = ReadonlyMap<number, ReadonlyMap<number, Value>>;

/** Which users can read the messages that events are about at the moment of delivery; by event id, then user. */
export interface VisibilityFacts {
  /** The `message` events whose message has been moved or deleted since. */
  readonly displaced: ReadonlySet<number>;
  /** The recipients of an event who can read its one message, with their flags on it. */
  readonly readers: PeopleOf<Flags>;
  /** The messages of an event with several that a user gets, where these are not all of them. */
  readonly parts: PeopleOf<readonly number[]>;
  /** The flags of users whose event names another of its messages, because the named one is hidden. */
  readonly renamed: PeopleOf<Flags>;
  /** The users who were in the stream that the messages left, and not in the stream they moved to. */
  readonly losers: PeopleOf<true>;
}

/** The facts about recipients at the moment of delivery. */
export interface AudienceFacts {
  /** Role of each active account. */
  readonly roles: ReadonlyMap<number, number>;
  /** Version of the API key of each active account. */
  readonly key_versions: ReadonlyMap<number, number>;
  /** Tokens of queues that were not revoked. */
  readonly token_ids: ReadonlySet<number>;
  /** By event id, the users who are in its conversation now and were in it then. */
  readonly members: ReadonlyMap<number, ReadonlySet<number>>;
  /** Streams that are public now. */
  readonly public_streams: ReadonlySet<number>;
  readonly reading: VisibilityFacts;
}

/** The number of first weights whose sum stays within a limit; at least one. */
export function countWithinWeight(weights: readonly number[], limit: number): number {
  let sum = 0;
  const over = weights.findIndex((weight) => {
    sum += weight;
    return sum > limit;
  });
  return over < 0 ? weights.length : Math.max(over, 1);
}

/** Whether an event is for this queue, by the facts at this moment. */
export function isFor(event: LoggedEvent, queue: Queue, facts: AudienceFacts): boolean {
  const { payload } = event;
  if (queue.event_types && !queue.event_types.includes(payload.type)) return false;
  if (!canReceiveEvent(event.audience, toReceiver(event, queue, facts))) return false;
  if (!isForToken(event, queue, facts.reading)) return false;
  return payload.type !== 'message' || matchesNarrow(queue.narrow, payload.message, payload.flags);
}

/** The owner of a queue, and their relation to an event. */
const toReceiver = (event: LoggedEvent, queue: Queue, facts: AudienceFacts): ReceiverFacts => ({
  user_id: queue.user_id,
  role: facts.roles.get(queue.user_id),
  is_in_audience: facts.members.get(event.id)?.has(queue.user_id) ?? false,
  is_reader: isForReader(event, queue.user_id, facts.reading),
  follows_public_stream: isForPublicStreams(event, queue, facts),
  is_hidden: isHidden(event, queue.user_id, facts.reading),
});

/**
 * Whether the token of the queue permits the event: a token that is limited to a stream gets messages that are in the
 * stream, and nothing else.
 */
function isForToken({ id, payload }: LoggedEvent, { token }: Queue, { displaced }: VisibilityFacts): boolean {
  if (token === undefined || token.stream_id === null) return true;
  return payload.type === 'message' && payload.message.stream_id === token.stream_id && !displaced.has(id);
}

function isForReader(
  { id, audience }: LoggedEvent,
  user_id: number,
  { displaced, readers, parts, losers }: VisibilityFacts,
): boolean {
  const isReader = readers.get(id)?.has(user_id) ?? false;
  if (audience.message) return isReader || (parts.get(id)?.get(user_id)?.length ?? 0) > 0;
  if (audience.lost) return !isReader && (losers.get(id)?.has(user_id) ?? false);
  // A user who left the stream since gets the event nevertheless, if the message moved to another stream that they are
  // in.
  return displaced.has(id) && getAudienceConversation(audience) !== undefined && isReader;
}

/** Whether the user cannot read anything of what the event contains. */
function isHidden(
  { id, payload }: LoggedEvent,
  user_id: number,
  { displaced, readers, parts }: VisibilityFacts,
): boolean {
  if (payload.type === 'message') return displaced.has(id) && !readers.get(id)?.has(user_id);
  return payload.type === 'delete_message' && parts.get(id)?.get(user_id)?.length === 0;
}

/**
 * Whether the credentials of a poll or a stream have ended: the API key that a stream was opened with was replaced, its account
 * deactivated, or the token expired or revoked.
 */
export function isRevoked(
  { user_id, key_version, token }: Queue,
  { key_versions, token_ids }: Pick<AudienceFacts, 'key_versions' | 'token_ids'>,
  now: Date,
): boolean {
  if (key_version !== undefined && key_versions.get(user_id) !== key_version) return true;
  if (token === undefined) return false;
  return !token_ids.has(token.id) || (token.expires_at !== null && token.expires_at <= now);
}

const isListed = ({ users, users_of }: Audience, user_id: number): boolean =>
  users_of === undefined && (users?.includes(user_id) ?? false);

/** The conversation that an event is for, or that its users must be in. */
export const getAudienceConversation = ({ conversation, users_of }: Audience): Audience['conversation'] =>
  conversation ?? users_of;

/** The stream that an event is for, if it is for queues that follow all public streams. */
export const getAudienceStream = ({ public_stream, users_of }: Audience): number | undefined =>
  public_stream ?? users_of?.id;

/** Whether the event reaches the queue only because of `all_public_streams`: the queue's owner did not receive it. */
export function isForPublicStreams(
  { id, audience }: LoggedEvent,
  queue: Queue,
  { roles, members, public_streams }: AudienceFacts,
): boolean {
  const stream = getAudienceStream(audience);
  if (stream === undefined || !queue.all_public_streams) return false;
  if (isListed(audience, queue.user_id) || members.get(id)?.has(queue.user_id)) return false;
  const role = roles.get(queue.user_id);
  return role !== undefined && !isGuest({ role }) && public_streams.has(stream);
}

type Message = Schema<'Message'>;
const fold = (text: string) => text.toLowerCase();

/** Whether a message satisfies every term of a queue's narrow (docs/behaviour/events.md#register-a-queue). */
export function matchesNarrow(narrow: Queue['narrow'], message: Message, flags: readonly string[]): boolean {
  return narrow.every(([operator, operand]) => {
    switch (operator) {
      case 'stream':
        return message.type === 'stream' && fold(String(message.display_recipient)) === fold(operand);
      case 'topic':
        return message.type === 'stream' && fold(message.subject) === fold(operand);
      case 'sender':
        return fold(message.sender_email) === fold(operand);
      default:
        return isTerm(operand, message, flags);
    }
  });
}

function isTerm(operand: string, message: Message, flags: readonly string[]): boolean {
  switch (operand) {
    case 'dm':
    case 'private':
      return message.type === 'private';
    case 'starred':
      return flags.includes('starred');
    case 'unread':
      return !flags.includes('read');
    case 'mentioned':
      return flags.includes('mentioned') || flags.includes('wildcard_mentioned');
    case 'alerted':
      return flags.includes('has_alert_word');
    default:
      return message.subject.startsWith('✔ ');
  }
}

const isOperands = ['dm', 'private', 'starred', 'unread', 'mentioned', 'alerted', 'resolved'];

/** The problem of a queue's narrow, if there is one. */
export function narrowProblem(narrow: readonly (readonly string[])[]): string | undefined {
  for (const [operator = '', operand = ''] of narrow) {
    if (!['stream', 'topic', 'sender', 'is'].includes(operator)) return `Operator ${operator} is not supported.`;
    if (operator === 'is' && !isOperands.includes(operand)) return `Unknown operand is:${operand}.`;
  }
  return undefined;
}

/** A message for a user who did not receive it: without individual flags. */
function toPublicStreamEvent(event: LoggedEvent): LoggedEvent {
  const { payload } = event;
  return payload.type === 'message' ? { ...event, payload: { ...payload, flags: ['read', 'historical'] } } : event;
}

interface PartialVisibility {
  /** Whether the user can read the message that the event names. */
  readonly isReader: boolean;
  /** With protected history: the messages that the user received. */
  readonly received: readonly number[] | undefined;
  /** The messages that the user can read now; not known for users who can read the named message. */
  readonly readable: readonly number[] | undefined;
}

/** The messages of an event with several that a user gets; undefined for all of them, or if the user can read none. */
export function findVisiblePart(
  { payload }: LoggedEvent,
  { isReader, received, readable }: PartialVisibility,
): number[] | undefined {
  if (payload.type === 'delete_message') {
    const ids = received ?? payload.message_ids;
    return readable || received ? ids.filter((id) => !readable?.includes(id)) : undefined;
  }
  if (payload.type !== 'update_message') return undefined;
  if (isReader) return received && [...received];
  return readable?.filter((id) => !received || received.includes(id));
}

/** An event about messages as one user can see it: with the user's flags, and only the messages that they can read. */
function toVisibleEvent(
  event: LoggedEvent,
  user_id: number,
  { readers, parts, renamed }: VisibilityFacts,
): LoggedEvent {
  const { id, payload } = event;
  const part = parts.get(id)?.get(user_id);
  if (payload.type === 'delete_message')
    return part ? { ...event, payload: { ...payload, message_ids: [...part] } } : event;
  if (payload.type !== 'update_message') return event;
  const flags = readers.get(id)?.get(user_id);
  if (!flags) return { ...event, payload: withoutContent(payload, part ?? [], renamed.get(id)?.get(user_id) ?? []) };
  const others = part?.filter((one) => one !== payload.message_id);
  const message_ids = others ? [payload.message_id, ...others] : payload.message_ids;
  return { ...event, payload: { ...payload, flags, message_ids } };
}

type Update = Extract<Event, { type: 'update_message' }>;

/** The move of some messages, when the message that the event names is hidden. */
function withoutContent(update: Update, message_ids: readonly number[], flags: Flags): Update {
  const {
    orig_content: _before,
    orig_rendered_content: _html,
    content: _text,
    rendered_content: _rendered,
    prev_rendered_content_version: _version,
    is_me_message: _me,
    ...moved
  } = update;
  return { ...moved, message_id: message_ids[0] ?? update.message_id, message_ids: [...message_ids], flags };
}

/**
 * A key of the event's form for this queue: queues with equal keys show the event alike. Undefined where the form may
 * be the queue's own, as when the message was sent from it.
 */
export function getVariant(event: LoggedEvent, queue: Queue, facts: AudienceFacts): string | undefined {
  const { id, payload, audience } = event;
  switch (payload.type) {
    case 'message':
      if (audience.asides?.local?.queue_id === queue.id) return undefined;
      return [id, isForPublicStreams(event, queue, facts), queue.apply_markdown, queue.client_gravatar].join();
    case 'realm_user':
      return `${id},${queue.client_gravatar}`;
    case 'presence':
      return `${id},${queue.slim_presence}`;
    case 'update_message':
    case 'delete_message': {
      const { parts, readers } = facts.reading;
      const flags = readers.get(id)?.get(queue.user_id);
      if (parts.get(id)?.has(queue.user_id) || (payload.type === 'update_message' && !flags)) return undefined;
      return [id, ...(flags ?? [])].join();
    }
    default:
      return String(id);
  }
}

/** The event in the form for this queue: with its id, and messages in the requested format. */
export function toDelivered(
  { id, payload, audience }: LoggedEvent,
  queue: Queue,
  defaultAvatar: (user_id: number) => string,
): Delivered {
  if (payload.type === 'realm_user' && payload.op === 'add' && queue.client_gravatar) {
    const { person } = payload;
    const isMadeUp = person.avatar_url === defaultAvatar(person.user_id);
    return { ...payload, id, person: { ...person, avatar_url: isMadeUp ? null : person.avatar_url } };
  }
  if (payload.type === 'presence' && queue.slim_presence) {
    const { email: _, ...slim } = payload;
    return { ...slim, id };
  }
  if (payload.type !== 'message') return { ...payload, id };
  const { raw_content, local } = audience.asides ?? {};
  const { message } = payload;
  return {
    ...payload,
    id,
    message: {
      ...message,
      ...(!queue.apply_markdown &&
        raw_content !== undefined && { content: raw_content, content_type: 'text/x-markdown' }),
      avatar_url: message.avatar_url ?? (queue.client_gravatar ? null : defaultAvatar(message.sender_id)),
    },
    ...(local?.queue_id === queue.id && { local_message_id: local.message_id }),
  };
}

/** Everything that a queue shows of an event that is for it. */
export function asShown(
  event: LoggedEvent,
  queue: Queue,
  facts: AudienceFacts,
  defaultAvatar: (user_id: number) => string,
): Delivered {
  const received = isForPublicStreams(event, queue, facts) ? toPublicStreamEvent(event) : event;
  return toDelivered(toVisibleEvent(received, queue.user_id, facts.reading), queue, defaultAvatar);
}
