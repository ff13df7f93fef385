import type { Db } from '@parley/db';
import { bounds } from '../../core/limits.ts';
import {
  listMessagesOfNumbers,
  listMessagesOfTopics,
  listOwnFlags,
  listReadableParts,
  listReaders,
  listReceivedParts,
  listUsersWhoLostAccess,
  type MessageEvent,
  type MultiMessageEvent,
} from './queries/visibility.ts';
import { findVisiblePart, getAudienceConversation, type LoggedEvent, type VisibilityFacts } from './rules.ts';

/**
 * Events as these users get them now. Events about a whole topic contain the ids of its messages, ascending; events
 * about messages that a user read contain the ids of the numbers.
 */
export async function expandEvents(
  db: Db,
  realm_id: number,
  page: readonly LoggedEvent[],
  user_ids: readonly number[],
): Promise<LoggedEvent[]> {
  const topics = page.flatMap(({ id, topic_id, audience }) =>
    topic_id && audience.asides?.topic ? [{ event_id: id, topic_id, up_to: audience.asides.topic.up_to }] : [],
  );
  const userIds = new Set(user_ids);
  const numbers = page.flatMap(({ id, audience: { users, asides } }) =>
    asides?.numbers && users?.some((user) => userIds.has(user))
      ? asides.numbers.map((some) => ({ event_id: id, ...some }))
      : [],
  );
  if (topics.length + numbers.length === 0) return [...page];
  const found = new Map([
    ...(await listMessagesOfTopics(db, realm_id, topics)),
    ...(await listMessagesOfNumbers(db, realm_id, numbers, bounds.unread)),
  ]);
  return page.map((event) => withMessages(event, found.get(event.id)));
}

function withMessages(event: LoggedEvent, ids: number[] | undefined): LoggedEvent {
  const { payload } = event;
  if (ids && payload.type === 'update_message_flags') return { ...event, payload: { ...payload, messages: ids } };
  if (!ids || payload.type !== 'update_message') return event;
  const others = ids.filter((id) => id !== payload.message_id);
  return { ...event, payload: { ...payload, message_ids: [payload.message_id, ...others] } };
}

/**
 * What these users can read now of the messages that events are about. `conversation_ids` has the present
 * conversations of the messages.
 */
export async function loadVisibility(
  db: Db,
  realm_id: number,
  page: readonly LoggedEvent[],
  user_ids: readonly number[],
  conversation_ids: ReadonlyMap<number, number>,
): Promise<VisibilityFacts> {
  const relocated = findRelocated(page, conversation_ids);
  const about = page.flatMap((event) => aboutOf(event, relocated.get(event.id)));
  const readers = byEvent(await listReaders(db, realm_id, about, user_ids), ({ flags }) => flags);
  const parts = await loadParts(db, realm_id, page, { readers, user_ids });
  const lost = page.flatMap(({ id, audience }) => (audience.lost ? [{ event_id: id, ...audience.lost }] : []));
  return {
    relocated: new Set(relocated.keys()),
    readers,
    parts,
    renamed: await loadRenamed(db, realm_id, page, { readers, parts }),
    lost_access: byEvent(await listUsersWhoLostAccess(db, realm_id, lost, user_ids), () => true as const),
  };
}

/**
 * The user's flags on the message that replaces the named one, where an update's named message is hidden from the user.
 */
async function loadRenamed(
  db: Db,
  realm_id: number,
  page: readonly LoggedEvent[],
  { readers, parts }: Pick<VisibilityFacts, 'readers' | 'parts'>,
): Promise<VisibilityFacts['renamed']> {
  const updates = page.filter(({ payload }) => payload.type === 'update_message');
  const about = updates.flatMap(({ id: event_id }) =>
    [...(parts.get(event_id) ?? [])].flatMap(([user_id, [message_id]]) =>
      message_id === undefined || readers.get(event_id)?.has(user_id) ? [] : [{ event_id, user_id, message_id }],
    ),
  );
  return byEvent(await listOwnFlags(db, realm_id, about), ({ flags }) => flags);
}

/**
 * The message that an event is about, if that decides the recipients. `at` is the conversation that it was sent to, if
 * it moved since.
 */
function aboutOf({ id, payload, audience }: LoggedEvent, at: number | undefined): MessageEvent[] {
  const { message, lost, asides } = audience;
  if (at !== undefined && payload.type === 'message')
    return [
      {
        event_id: id,
        message_id: payload.message.id,
        left: { id: at, seq: getAudienceConversation(audience)?.seq },
        is_sent: true,
      },
    ];
  const [message_id, left] = lost ? [lost.message_id, lost.from] : [message?.id, message?.left];
  if (message_id === undefined) return [];
  const own_seq = asides?.seqs?.of[0];
  const lost_by = asides?.seqs?.kept?.flatMap(({ user_id, ids }) => (ids.includes(message_id) ? [user_id] : []));
  // With protected history, having been subscribed is not enough: the user must have received the message.
  const seq = asides?.seqs?.is_protected ? own_seq : undefined;
  if (left)
    return [
      { event_id: id, message_id, left: { id: left.id, seq: seq ?? left.seq, own_seq }, ...(lost_by && { lost_by }) },
    ];
  // Subscribers of the stream get an edit even if the message has moved since.
  const stream_id = payload.type === 'update_message' ? payload.stream_id : undefined;
  return [{ event_id: id, message_id, ...(stream_id !== undefined && { left: { id: stream_id, seq: undefined } }) }];
}

/**
 * The `message` events whose message is not in the conversation anymore that it was sent to, with that conversation.
 */
function findRelocated(
  page: readonly LoggedEvent[],
  conversation_ids: ReadonlyMap<number, number>,
): Map<number, number> {
  const sent = page.flatMap(({ id, payload }) =>
    payload.type === 'message' ? [{ id, message_id: payload.message.id, at: payload.message.recipient_id }] : [],
  );
  const moved = sent.filter(({ message_id, at }) => conversation_ids.get(message_id) !== at);
  return new Map(moved.map(({ id, at }) => [id, at]));
}

interface ReaderFacts {
  readonly readers: VisibilityFacts['readers'];
  readonly user_ids: readonly number[];
}

/** By event and user, the messages that the user's event lists, where these are not all of them. */
async function loadParts(
  db: Db,
  realm_id: number,
  page: readonly LoggedEvent[],
  { readers, user_ids }: ReaderFacts,
): Promise<VisibilityFacts['parts']> {
  const received = page.flatMap(({ id, payload, audience: { asides } }) =>
    asides?.seqs?.is_protected && 'message_ids' in payload
      ? [
          {
            event_id: id,
            conversation_id: asides.seqs.conversation_id,
            message_ids: payload.message_ids,
            seqs: asides.seqs.of,
          },
        ]
      : [],
  );
  const receivedParts = byEvent(await listReceivedParts(db, realm_id, received, user_ids), ({ ids }) => ids);
  for (const event of page) addIndividualAccess(event, receivedParts.get(event.id));
  // The message that an event names first may be deleted or hidden by now, while the user can read others of it.
  const several = page.flatMap((event) => severalOf(event));
  const missing = user_ids.filter((user) => several.some(({ event_id }) => !readers.get(event_id)?.has(user)));
  const readable = byEvent(await listReadableParts(db, realm_id, several, missing), ({ ids }) => ids);
  const partsOf = (event: LoggedEvent) =>
    user_ids.flatMap((user): [number, number[]][] => {
      const of = <Value>(values: ReadonlyMap<number, ReadonlyMap<number, Value>>) => values.get(event.id)?.get(user);
      const part = findVisiblePart(event, {
        isReader: of(readers) !== undefined,
        received: of(receivedParts),
        readable: of(readable),
      });
      return part ? [[user, part]] : [];
    });
  // Most events are not about messages: with many users, checking each of them would be the largest cost of delivery.
  const partial = new Set([...received, ...several].map(({ event_id }) => event_id));
  return new Map(page.filter(({ id }) => partial.has(id)).map((event) => [event.id, new Map(partsOf(event))]));
}

/** Adds messages that users had individual access to and lost: for delivery, they count as received. */
function addIndividualAccess({ audience }: LoggedEvent, receivedParts: Map<number, number[]> | undefined): void {
  for (const { user_id, ids } of audience.asides?.seqs?.kept ?? [])
    receivedParts?.set(user_id, [...new Set([...(receivedParts.get(user_id) ?? []), ...ids])]);
}

function severalOf({ id, payload, audience: { lost } }: LoggedEvent): MultiMessageEvent[] {
  if (payload.type === 'delete_message' && lost)
    return [{ event_id: id, message_ids: payload.message_ids, from: lost.from.id, to: lost.to.id }];
  if (payload.type !== 'update_message' || payload.stream_id === undefined || payload.message_ids.length < 2) return [];
  const { stream_id: from, new_stream_id: to = from, message_ids } = payload;
  return [{ event_id: id, message_ids, from, to }];
}

function byEvent<Row extends { event_id: number; user_id: number }, Value>(
  found: readonly Row[],
  value: (row: Row) => Value,
): Map<number, Map<number, Value>> {
  const events = new Map<number, Map<number, Value>>();
  for (const row of found) {
    const byUser = events.get(row.event_id) ?? new Map<number, Value>();
    events.set(row.event_id, byUser.set(row.user_id, value(row)));
  }
  return events;
}
