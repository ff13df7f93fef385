import type { Asides, Audience, Delivered, Queue } from '../../core/context.ts';
import type { Event, Schema } from '../../core/contract.ts';

/** An event as the log has it. */
export interface Logged {
  readonly id: number;
  readonly payload: Event;
  readonly audience: Audience & { asides?: Asides };
}

/** What is true of an audience at the moment of delivery. */
export interface AudienceFacts {
  /** Role of each active account. */
  readonly roles: ReadonlyMap<number, number>;
  /** Event id to the people who are, and were then, in its conversation. */
  readonly members: ReadonlyMap<number, ReadonlySet<number>>;
  /** Streams that are public now. */
  readonly public_streams: ReadonlySet<number>;
}

const GUEST = 600;
const ADMINISTRATOR = 200;

/** Whether an event is for this queue, as things stand now. */
export function isFor(event: Logged, queue: Queue, facts: AudienceFacts): boolean {
  const { payload } = event;
  if (queue.event_types && !queue.event_types.includes(payload.type)) return false;
  if (!isForOwner(event, queue, facts)) return false;
  return payload.type !== 'message' || inNarrow(queue.narrow, payload.message, payload.flags);
}

function isForOwner(event: Logged, queue: Queue, facts: AudienceFacts): boolean {
  const { audience } = event;
  const role = facts.roles.get(queue.user_id);
  if (role === undefined || audience.except?.includes(queue.user_id)) return false;
  return Boolean(
    audience.everyone ||
      (audience.non_guests && role !== GUEST) ||
      (audience.administrators && role <= ADMINISTRATOR) ||
      audience.users?.includes(queue.user_id) ||
      facts.members.get(event.id)?.has(queue.user_id) ||
      isOverheard(event, queue, facts),
  );
}

/** Whether it reaches the queue only because the queue asked for all public streams: its owner did not receive it. */
export function isOverheard(
  { id, audience }: Logged,
  queue: Queue,
  { roles, members, public_streams }: AudienceFacts,
): boolean {
  if (audience.public_stream === undefined || !queue.all_public_streams) return false;
  if (audience.users?.includes(queue.user_id) || members.get(id)?.has(queue.user_id)) return false;
  return roles.get(queue.user_id) !== GUEST && public_streams.has(audience.public_stream);
}

type Message = Schema<'Message'>;
const fold = (text: string) => text.toLowerCase();

/** Whether a message satisfies every term of a queue's narrow (behaviour 6.1). */
export function inNarrow(narrow: Queue['narrow'], message: Message, flags: readonly string[]): boolean {
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

/** What is wrong with a queue's narrow, if anything is. */
export function narrowProblem(narrow: readonly (readonly string[])[]): string | undefined {
  for (const [operator = '', operand = ''] of narrow) {
    if (!['stream', 'topic', 'sender', 'is'].includes(operator)) return `Operator ${operator} is not supported.`;
    if (operator === 'is' && !isOperands.includes(operand)) return `Unknown operand is:${operand}.`;
  }
  return undefined;
}

/** A message as somebody sees it who did not receive it: nothing in it is new to them or meant for them. */
export function asOverheard(event: Logged): Logged {
  const { payload } = event;
  return payload.type === 'message' ? { ...event, payload: { ...payload, flags: ['read', 'historical'] } } : event;
}

/** The event as this queue shows it: with its id, and messages in the form that the queue asked for. */
export function asDelivered(
  { id, payload, audience }: Logged,
  queue: Queue,
  defaultAvatar: (user_id: number) => string,
): Delivered {
  if (payload.type === 'realm_user' && payload.op === 'add' && queue.client_gravatar) {
    return { ...payload, id, person: { ...payload.person, avatar_url: null } };
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
