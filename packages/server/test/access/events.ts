// Events about messages that queues deliver, compared with the rules at the moment of delivery.
import { ParleyError } from '@parley/client';
import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { expect } from 'vitest';
import {
  canReadStreamContent,
  canReceiveEvent,
  canReceiveMessageEvent,
  isInAudience,
  type ReceiverFacts,
} from '../../src/access/rules.ts';
import type { Schema } from '../../src/core/contract.ts';
import type { Audience } from '../../src/core/event-log/audience.ts';
import type { Delivered } from '../../src/core/polls.ts';
import type { TestUser } from '../chat.ts';
import { isMessageInHistory, isReadable, type MessageRow, type OrganizationFacts, type UserFacts } from './facts.ts';
import type { AccessWorld } from './world.ts';

interface FollowedQueue {
  readonly person: TestUser;
  readonly queue_id: string;
  readonly last_event_id: number;
  readonly all_public_streams: boolean;
}

const ABOUT_MESSAGES = ['message', 'update_message', 'reaction'] as const;

/** Two queues of each user who can have them: one for the user's own messages, and one for all public streams. */
export async function openQueues({ users }: AccessWorld, facts: OrganizationFacts): Promise<FollowedQueue[]> {
  const queues: FollowedQueue[] = [];
  for (const person of users)
    for (const all_public_streams of [false, true]) {
      const user = facts.users.find(({ id }) => id === person.id);
      if (!user?.is_active || (all_public_streams && user.role === 600)) continue;
      const { queue_id, last_event_id } = await person.api.registerQueue({
        event_types: [...ABOUT_MESSAGES],
        fetch_event_types: [],
        all_public_streams,
      });
      queues.push({ person, queue_id, last_event_id, all_public_streams });
    }
  return queues;
}

/** An event in the log. */
interface LoggedMessageEvent {
  readonly id: number;
  readonly type: (typeof ABOUT_MESSAGES)[number];
  /** Of a `message` event. */
  readonly message: Schema<'Message'> | null;
  readonly message_id: number | null;
  readonly audience: Audience;
  /** An edit of one message that does not move it. */
  readonly is_plain: boolean;
  /** The stream that the event of an edit names. */
  readonly stream_id: number | null;
}

/** Each queue delivers the events that its owner can receive now, and none with content that its owner cannot read. */
export async function compareEvents(
  { chat, realm }: AccessWorld,
  facts: OrganizationFacts,
  queues: readonly FollowedQueue[],
): Promise<void> {
  const logged = (await listLoggedEvents(chat.database.db, realm.id)).filter(({ is_plain }) => is_plain);
  const known = new Set(logged.map(({ id }) => id));
  for (const queue of queues) {
    const user = facts.users.find(({ id }) => id === queue.person.id);
    if (!user?.is_active) continue;
    const events = await takeEvents(queue);
    // A change of role ends the queues of the user, whose client registers again.
    if (!events) continue;
    const what = `events of user ${user.id} with role ${user.role}${queue.all_public_streams ? ', all public streams' : ''}`;
    compareHidden(facts, user, events, what);
    const expected = logged
      .filter(({ id }) => id > toLoggedId(queue.last_event_id))
      .filter((event) => canReceiveEvent(event.audience, toReceiver(facts, user, queue, event)));
    const delivered = events.map(({ id }) => toLoggedId(id)).filter((id) => known.has(id));
    const received = events.flatMap((event) => (event.type === 'message' ? [event.message.id] : []));
    expect(received, `each event once: ${what}`).toEqual([...new Set(received)]);
    expect(delivered, what).toEqual(expected.map(({ id }) => id));
  }
}

/** The ids that clients see leave room for events that are not logged. */
const toLoggedId = (id: number) => Math.floor(id / 65_536);

async function takeEvents({ person, queue_id, last_event_id }: FollowedQueue): Promise<Delivered[] | undefined> {
  const all: Delivered[] = [];
  try {
    for (let last = last_event_id; ; ) {
      const { events } = await person.api.getEvents({ queue_id, last_event_id: last, dont_block: true });
      if (events.length === 0) return all;
      all.push(...events);
      last = events.at(-1)?.id ?? last;
    }
  } catch (error) {
    if (error instanceof ParleyError && error.code === 'BAD_EVENT_QUEUE_ID') return undefined;
    throw error;
  }
}

async function listLoggedEvents(db: Db, realm_id: number): Promise<LoggedMessageEvent[]> {
  return rows(
    db,
    sql`select id, type, payload->'message' as message, (payload->>'message_id')::bigint as message_id, audience,
          type <> 'update_message' or (payload ? 'content' and not payload ? 'orig_subject') as is_plain,
          (payload->>'stream_id')::bigint as stream_id
        from events where realm_id = ${realm_id} and type = any(${sql.param([...ABOUT_MESSAGES])}::text[]) order by id`,
  );
}

const toReceiver = (
  facts: OrganizationFacts,
  user: UserFacts,
  queue: FollowedQueue,
  event: LoggedMessageEvent,
): ReceiverFacts =>
  event.message ? toRecipient(facts, user, queue, { ...event, message: event.message }) : toReader(facts, user, event);

/** For a reaction or an edit: the stream of its message now. */
function toReader(
  facts: OrganizationFacts,
  user: UserFacts,
  { message_id, stream_id, type }: LoggedMessageEvent,
): ReceiverFacts {
  const message = facts.messages.find(({ id }) => id === message_id);
  const has_left = type === 'update_message' && stream_id !== null;
  const is_reader =
    message !== undefined &&
    canReceiveMessageEvent({
      ...toMessageFacts(facts, user, message),
      has_left,
      is_sent: false,
      by_number: false,
      received: false,
      received_in_public: false,
      was_subscribed: has_left && facts.membership(user.id, stream_id).active,
      had_flags: false,
    });
  const nothing = { is_in_audience: false, follows_public_stream: false, is_hidden: false };
  return { user_id: user.id, role: user.is_active ? user.role : undefined, is_reader, ...nothing };
}

const toMessageFacts = (facts: OrganizationFacts, user: UserFacts, message: MessageRow) => ({
  can_read: isReadable(facts, user, message),
  in_history: isMessageInHistory(facts, user.id, message),
  subscribed: facts.membership(user.id, message.conversation_id).active,
  is_archived: Boolean(facts.streams.get(message.conversation_id)?.archived_at),
});

/** For a new message: the stream it was sent to, or its stream now. */
function toRecipient(
  facts: OrganizationFacts,
  user: UserFacts,
  { all_public_streams }: FollowedQueue,
  { message, audience }: LoggedMessageEvent & { readonly message: Schema<'Message'> },
): ReceiverFacts {
  const conversation = audience.conversation ?? audience.users_of;
  const public_stream = audience.public_stream ?? audience.users_of?.id;
  const now = facts.messages.find(({ id }) => id === message.id);
  const there = conversation && facts.membership(user.id, conversation.id);
  const received = conversation?.seq !== undefined && (there?.received(conversation.seq) ?? false);
  const by_number = conversation?.seq !== undefined;
  const has_left = now?.conversation_id !== message.recipient_id;
  const is_reader =
    has_left &&
    now !== undefined &&
    canReceiveMessageEvent({
      ...toMessageFacts(facts, user, now),
      has_left,
      is_sent: true,
      by_number,
      received,
      received_in_public: false,
      was_subscribed: there?.active ?? false,
      had_flags: false,
    });
  const stream = public_stream === undefined ? undefined : facts.streams.get(public_stream);
  const is_in_audience = isInAudience({ subscribed: there?.active ?? false, by_number, received });
  const isListed = !audience.users_of && (audience.users?.includes(user.id) ?? false);
  return {
    user_id: user.id,
    role: user.is_active ? user.role : undefined,
    is_in_audience,
    is_reader: is_reader && conversation !== undefined,
    // In a stream that both cover, the user received it as a subscriber.
    follows_public_stream:
      all_public_streams &&
      stream !== undefined &&
      !isListed &&
      !is_in_audience &&
      canReadStreamContent({ role: 400 }, stream, false),
    is_hidden: has_left && !is_reader,
  };
}

/** No event is delivered with the content of a message that its receiver cannot read. */
function compareHidden(facts: OrganizationFacts, user: UserFacts, events: readonly Delivered[], what: string): void {
  const leaked = events.filter((event) => {
    const id = event.type === 'message' ? event.message.id : 'message_id' in event ? event.message_id : undefined;
    if (id === undefined || (event.type === 'update_message' && event.content === undefined)) return false;
    const message = facts.messages.find((one) => one.id === id);
    if (!message) return true;
    if (isReadable(facts, user, message)) return false;
    // Users who received a message before its stream was archived receive the event.
    const { active, received } = facts.membership(user.id, message.conversation_id);
    const stream = facts.streams.get(message.conversation_id);
    return !(stream?.archived_at && active && received(message.seq));
  });
  expect(leaked, `received without access: ${what}`).toEqual([]);
}
