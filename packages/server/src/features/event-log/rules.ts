import { isGuest } from '../../access/roles.ts';
import { canReceiveEvent, findListedReceivers, isForRoles, type ReceiverFacts } from '../../access/rules.ts';
import type { Event, Schema } from '../../core/contract.ts';
import type { Audience } from '../../core/event-log/audience.ts';
import type { EventDeliveryMetadata } from '../../core/event-log/delivery-metadata.ts';
import type { Queue } from '../../core/polls.ts';

/** An event as the log has it. */
export interface LoggedEvent {
  readonly id: number;
  readonly payload: Event;
  readonly audience: Audience & { asides?: EventDeliveryMetadata };
  /** Set when it is about all messages of that topic. */
  readonly topic_id?: number | null;
}

/** An event with what it takes up as JSON. */
export interface StoredEvent extends LoggedEvent {
  readonly bytes: number;
}

export type Flags = Schema<'MessageFlags'>;
type ByEventAndUser<Value> = ReadonlyMap<number, ReadonlyMap<number, Value>>;

/** The users who can read the messages that events are about, at the time of delivery; by event id, then user id. */
export interface VisibilityFacts {
  /** The `message` events whose message has been moved or deleted since. */
  readonly relocated: ReadonlySet<number>;
  /** The users who can read an event's one message and receive the event, with their flags on the message. */
  readonly readers: ByEventAndUser<Flags>;
  /** The messages of an event with several that a user gets, where that is not all of them. */
  readonly parts: ByEventAndUser<readonly number[]>;
  /** Flags of users whose event has another of its messages as the one that it is named for. */
  readonly renamed: ByEventAndUser<Flags>;
  /** The users who were subscribed to the stream that messages were moved from, and not to their new stream. */
  readonly lost_access: ByEventAndUser<true>;
}

/** What is true of an audience at the moment of delivery. */
export interface AudienceFacts {
  /** Role of each active account. */
  readonly roles: ReadonlyMap<number, number>;
  /** Version of the API key of each active account. */
  readonly key_versions: ReadonlyMap<number, number>;
  /** Tokens of queues that were not revoked. */
  readonly token_ids: ReadonlySet<number>;
  /** By event id, the users who are, and were then, in its conversation. */
  readonly members: ReadonlyMap<number, ReadonlySet<number>>;
  /** Streams that are public now. */
  readonly public_streams: ReadonlySet<number>;
  readonly reading: VisibilityFacts;
}

/** How many of these weights together stay within a limit, from the first on; at least one. */
export function countWithinWeight(weights: readonly number[], limit: number): number {
  let sum = 0;
  const over = weights.findIndex((weight) => {
    sum += weight;
    return sum > limit;
  });
  return over < 0 ? weights.length : Math.max(over, 1);
}

/** Whether the owner of a queue can receive an event, as things stand now. */
export const canOwnerReceive = (event: LoggedEvent, queue: Queue, facts: AudienceFacts): boolean =>
  canReceiveEvent(event.audience, new Receiver(event, queue, facts));

/**
 * All users who can receive an event, among others; undefined if it is for all users, or for those of a role. Besides them, only queues
 * for all public streams can get it.
 */
export function listPossibleReceivers(
  { id, audience }: LoggedEvent,
  { members, reading }: Pick<AudienceFacts, 'members' | 'reading'>,
): number[] | undefined {
  if (isForRoles(audience)) return undefined;
  const { readers, parts, lost_access } = reading;
  const byFacts = [readers, parts, lost_access].flatMap((users) => [...(users.get(id)?.keys() ?? [])]);
  return [...(audience.users ?? []), ...(members.get(id) ?? []), ...byFacts];
}

/** The users whom the audiences of these events list, if no other user can receive one of them; undefined if others can. */
export function listReceivers(events: readonly Pick<LoggedEvent, 'audience'>[]): ReadonlySet<number> | undefined {
  const users = new Set<number>();
  for (const { audience } of events) {
    const receivers = findListedReceivers(audience);
    if (!receivers) return undefined;
    for (const user of receivers) users.add(user);
  }
  return users;
}

/**
 * The owner of a queue, and what they have to do with an event: looked up when the audience asks for it, because there are thousands of
 * queues, and for most events it does not.
 */
class Receiver implements ReceiverFacts {
  readonly #event: LoggedEvent;
  readonly #queue: Queue;
  readonly #facts: AudienceFacts;

  constructor(event: LoggedEvent, queue: Queue, facts: AudienceFacts) {
    this.#event = event;
    this.#queue = queue;
    this.#facts = facts;
  }

  get user_id(): number {
    return this.#queue.user_id;
  }

  get role(): number | undefined {
    return this.#facts.roles.get(this.#queue.user_id);
  }

  get is_in_audience(): boolean {
    return this.#facts.members.get(this.#event.id)?.has(this.#queue.user_id) ?? false;
  }

  get is_reader(): boolean {
    return isForReader(this.#event, this.#queue.user_id, this.#facts.reading);
  }

  get follows_public_stream(): boolean {
    return isForPublicStreams(this.#event, this.#queue, this.#facts);
  }

  get is_hidden(): boolean {
    return isHidden(this.#event, this.#queue.user_id, this.#facts.reading);
  }
}

function isForReader(
  { id, audience }: LoggedEvent,
  user_id: number,
  { relocated, readers, parts, lost_access }: VisibilityFacts,
): boolean {
  const isReader = readers.get(id)?.has(user_id) ?? false;
  if (audience.message) return isReader || (parts.get(id)?.get(user_id)?.length ?? 0) > 0;
  if (audience.lost) return !isReader && (lost_access.get(id)?.has(user_id) ?? false);
  // Who has left the stream since has it nevertheless, if it went to another one that they are in.
  return relocated.has(id) && getAudienceConversation(audience) !== undefined && isReader;
}

/** Whether nothing of what the event carries is open to the person any more, or ever was. */
function isHidden(
  { id, payload }: LoggedEvent,
  user_id: number,
  { relocated, readers, parts }: VisibilityFacts,
): boolean {
  if (payload.type === 'message') return relocated.has(id) && !readers.get(id)?.has(user_id);
  return payload.type === 'delete_message' && parts.get(id)?.get(user_id)?.length === 0;
}

const isListed = ({ users, users_of }: Audience, user_id: number): boolean =>
  users_of === undefined && (users?.includes(user_id) ?? false);

/** The conversation that an event is for, or that its users have to be in. */
export const getAudienceConversation = ({ conversation, users_of }: Audience): Audience['conversation'] =>
  conversation ?? users_of;

/** The stream that an event is for, if it is for queues that follow all public streams. */
export const getAudienceStream = ({ public_stream, users_of }: Audience): number | undefined =>
  public_stream ?? users_of?.id;

/** Whether it reaches the queue only because the queue is for all public streams: its owner did not receive it. */
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

interface PartialVisibility {
  /** Whether the person may read the message that the event is named for. */
  readonly isReader: boolean;
  /** Where history is protected: which of the messages they received. */
  readonly received: readonly number[] | undefined;
  /** Which they can read now; not known of those who can read the one that the event is named for. */
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

/** An event about messages as one person may know of it: with their own flags, and with the messages that they can read. */
export function toVisibleEvent(
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

/** The move of some messages, when the one that the event is named for is hidden. */
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
