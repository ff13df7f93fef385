import type { Schema } from '../../core/contract.ts';
import type { Delivered, Queue } from '../../core/polls.ts';
import {
  type AudienceFacts,
  canOwnerReceive,
  getAudienceStream,
  isForPublicStreams,
  type LoggedEvent,
  listPossibleReceivers,
  toVisibleEvent,
  type VisibilityFacts,
} from '../event-log/index.ts';

/** Whether an event is for this queue, by the facts at this moment. */
export function isFor(event: LoggedEvent, queue: Queue, facts: AudienceFacts): boolean {
  const { payload } = event;
  if (queue.event_types && !queue.event_types.includes(payload.type)) return false;
  if (!canOwnerReceive(event, queue, facts)) return false;
  if (!isForToken(event, queue, facts.reading)) return false;
  return payload.type !== 'message' || matchesNarrow(queue.narrow, payload.message, payload.flags);
}

/**
 * Makes a function that returns, of these events, those that may be for a queue. For most queues, these are the events that are for
 * all users: whether another one is for a queue is asked only for the queues of the users whom it can reach.
 */
export function preselect(
  events: readonly LoggedEvent[],
  facts: AudienceFacts,
): (queue: Pick<Queue, 'user_id' | 'all_public_streams'>) => readonly LoggedEvent[] {
  const forAny: LoggedEvent[] = [];
  const reached = new Set<number>();
  for (const event of events) {
    const users = listPossibleReceivers(event, facts);
    if (!users) forAny.push(event);
    else for (const user of users) reached.add(user);
  }
  const isPublic = events.some(({ audience }) => getAudienceStream(audience) !== undefined);
  return ({ user_id, all_public_streams }) =>
    reached.has(user_id) || (isPublic && all_public_streams) ? events : forAny;
}

/** Whether the token of the queue lets it through: one that is limited to a stream gets messages that are there, and nothing else. */
function isForToken({ id, payload }: LoggedEvent, { token }: Queue, { relocated }: VisibilityFacts): boolean {
  if (token === undefined || token.stream_id === null) return true;
  return payload.type === 'message' && payload.message.stream_id === token.stream_id && !relocated.has(id);
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

/**
 * A key of the event's form for this queue: queues with equal keys show the event alike. Undefined where the form may
 * be the queue's own, as when the message was sent from it. Keys of events for thousands of queues are constants.
 */
export function getVariant(event: LoggedEvent, queue: Queue, facts: AudienceFacts): string | undefined {
  const { id, payload, audience } = event;
  switch (payload.type) {
    case 'message':
      if (audience.asides?.local?.queue_id === queue.id) return undefined;
      return [isForPublicStreams(event, queue, facts), queue.apply_markdown, queue.client_gravatar].join();
    case 'realm_user':
      return queue.client_gravatar ? 'gravatar' : '';
    case 'presence':
      return queue.slim_presence ? 'slim' : '';
    case 'update_message':
    case 'delete_message': {
      const { parts, readers } = facts.reading;
      const flags = readers.get(id)?.get(queue.user_id);
      if (parts.get(id)?.has(queue.user_id) || (payload.type === 'update_message' && !flags)) return undefined;
      return (flags ?? []).join();
    }
    default:
      return '';
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
