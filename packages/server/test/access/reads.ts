// Every operation that reads, compared with the rules.
import type { Narrow } from '@parley/client';
import { expect } from 'vitest';
import { canAccessStream, canSeeStream } from '../../src/access/rules.ts';
import type { TestUser } from '../chat.ts';
import { canRead } from '../files.ts';
import { isMessageInHistory, isReadable, type MessageRow, type OrganizationFacts, type StreamRow } from './facts.ts';
import { all, ascending, idsOf, named, outcome, type Reader, sample } from './reader.ts';
import type { AccessWorld } from './world.ts';
import { compareDrafts, compareWrites } from './writes.ts';

/** Each active user reads exactly what the rules allow, by every operation. */
export async function compareReads(world: AccessWorld, facts: OrganizationFacts): Promise<void> {
  await Promise.all(
    world.users.map(async (person) => {
      const user = facts.users.find(({ id }) => id === person.id);
      if (!user?.is_active) return expect(outcome(person.api.getMessages(all([])))).resolves.toBe('USER_DEACTIVATED');
      const readable = facts.messages.filter((message) => isReadable(facts, user, message));
      const hidden = facts.messages.filter((message) => !readable.includes(message));
      const reader = { world, facts, user, api: person.api, person, readable, hidden };
      for (const compare of [
        compareSingleMessages,
        compareNarrows,
        compareStreams,
        compareRegistration,
        compareFiles,
        compareDrafts,
        compareWrites,
      ])
        await compare(reader);
    }),
  );
}

async function compareSingleMessages(reader: Reader): Promise<void> {
  const { api, facts, readable, hidden } = reader;
  const found: string[] = [];
  for (const { id } of facts.messages) found.push(await outcome(api.getMessage({ message_id: id })));
  const open = new Set(idsOf(readable));
  const expected = facts.messages.map(({ id }) => (open.has(id) ? 'ok' : 'BAD_REQUEST'));
  expect(found, named(reader, 'single messages')).toEqual(expected);
  for (const { id: message_id } of [...sample(readable), ...sample(hidden)]) {
    const outcomes = {
      history: await outcome(api.getMessageHistory({ message_id })),
      receipts: await outcome(api.getReadReceipts({ message_id })),
    };
    const code = open.has(message_id) ? 'ok' : 'BAD_REQUEST';
    expect(outcomes, named(reader, `message ${message_id}`)).toEqual({ history: code, receipts: code });
  }
}

async function compareNarrows(reader: Reader): Promise<void> {
  const { api, facts, user, readable } = reader;
  const own = readable.filter((message) => isMessageInHistory(facts, user.id, message));
  const streamOf = ({ conversation_id }: MessageRow) => facts.streams.get(conversation_id);
  const isPublic = (message: MessageRow) => streamOf(message)?.invite_only === false;
  const hasWord = ({ content }: MessageRow) => content.includes('hello');
  const narrows: [Narrow, readonly MessageRow[]][] = [
    [[], own],
    [[['is', 'dm']], own.filter((message) => !streamOf(message))],
    [[['sender', user.id]], own.filter(({ sender_id }) => sender_id === user.id)],
    [[['topic', 'soup']], own.filter(({ topic }) => topic === 'soup')],
    [[['streams', 'public']], readable.filter(isPublic)],
    [[['streams', 'web-public']], own.filter((message) => streamOf(message)?.is_web_public)],
    [[['search', 'hello']], own.filter(hasWord)],
    [
      [
        ['streams', 'public'],
        ['search', 'hello'],
      ],
      readable.filter(isPublic).filter(hasWord),
    ],
  ];
  for (const [narrow, expected] of narrows) {
    const what = named(reader, JSON.stringify(narrow));
    expect(idsOf((await api.getMessages(all(narrow))).messages), what).toEqual(idsOf(expected));
    const { messages } = await api.matchNarrow({ msg_ids: idsOf(facts.messages), narrow });
    expect(
      Object.keys(messages)
        .map(Number)
        .sort((a, b) => a - b),
      `matching messages: ${what}`,
    ).toEqual(idsOf(expected));
  }
}

async function compareStreams(reader: Reader): Promise<void> {
  const { api, facts, user, readable } = reader;
  const listed = await api.getStreams({ include_public: true, include_web_public: true, include_subscribed: true });
  const open = [...facts.streams.values()].filter((stream) =>
    canAccessStream(user, stream, facts.membership(user.id, stream.id).active),
  );
  expect(ascending(listed.streams), named(reader, 'list of streams')).toEqual(idsOf(open));
  for (const stream of facts.streams.values()) {
    const { id: stream_id } = stream;
    const what = named(reader, `stream ${stream_id}`);
    const subscribed = facts.membership(user.id, stream_id).active;
    const sees = canSeeStream(user, stream, subscribed);
    await compareStream(reader, stream, { sees, what });
    const inside = readable.filter(({ conversation_id }) => conversation_id === stream_id);
    await compareInStream(reader, { stream, sees, inside, what });
    const topics = new Map(inside.map(({ id, topic }) => [topic, id]));
    const listedTopics = await api.getStreamTopics({ stream_id }).then(
      (response) => response.topics,
      () => 'none',
    );
    const newest = [...topics].map(([name, max_id]) => ({ name, max_id })).sort((a, b) => b.max_id - a.max_id);
    expect(listedTopics, `topics: ${what}`).toEqual(canAccessStream(user, stream, subscribed) ? newest : 'none');
  }
}

/** The operations that are about a stream, and not about its messages. */
async function compareStream(
  { api, facts, user }: Reader,
  stream: StreamRow,
  { sees, what }: { readonly sees: boolean; readonly what: string },
): Promise<void> {
  const { id: stream_id, name } = stream;
  // A bot can post where it or its owner can.
  const posters = facts.users.filter(({ id }) => id === user.id || id === user.bot_owner_id);
  const posts = posters.some((one) => canAccessStream(one, stream, facts.membership(one.id, stream_id).active));
  const message = { type: 'stream', to: stream_id, topic: 'soup', content: 'later' } as const;
  const outcomes = {
    stream: await outcome(api.getStream({ stream_id })),
    members: await outcome(api.getStreamMembers({ stream_id })),
    // Another stream can have the name of an archived one.
    name: await api.getStreamId({ stream: name }).then(
      (found) => found.stream_id === stream_id,
      () => false,
    ),
    subscription: await outcome(api.getSubscriptionStatus({ user_id: user.id, stream_id })),
    address: await outcome(api.getStreamEmailAddress({ stream_id })),
    scheduling: await outcome(schedule(api, message)),
  };
  const [toSee, toPost] = [sees, posts].map((can) => (can ? 'ok' : 'BAD_REQUEST'));
  expect(outcomes, what).toEqual({
    stream: toSee,
    members: toSee,
    name: sees,
    subscription: toSee,
    address: toPost,
    // A bot whose owner sees the stream gets the reason why it cannot post there.
    scheduling: posts ? 'ok' : expect.stringMatching(/^(STREAM_DOES_NOT_EXIST|BAD_REQUEST)$/),
  });
}

const YEAR_2100 = 4_102_444_800;

/** Schedules a message and deletes it; the list of scheduled messages is its author's alone. */
async function schedule(
  api: TestUser['api'],
  message: { type: 'stream'; to: number; topic: string; content: string },
): Promise<void> {
  const { scheduled_message_id } = await api.scheduleMessage({ ...message, scheduled_delivery_timestamp: YEAR_2100 });
  const { scheduled_messages } = await api.getScheduledMessages();
  expect(scheduled_messages.map((one) => one.scheduled_message_id)).toEqual([scheduled_message_id]);
  await api.deleteScheduledMessage({ scheduled_message_id });
}

interface SeenStreamFacts {
  readonly stream: StreamRow;
  readonly sees: boolean;
  readonly inside: readonly MessageRow[];
  readonly what: string;
}

async function compareInStream({ api }: Reader, { stream, sees, inside, what }: SeenStreamFacts): Promise<void> {
  const narrow: Narrow = [['stream', stream.id]];
  const page = { ...all(narrow), op: 'remove', flag: 'collapsed' } as const;
  if (!sees) {
    expect(await outcome(api.getMessages(all(narrow))), what).toBe('BAD_NARROW');
    expect(await outcome(api.updateMessageFlagsForNarrow(page)), what).toBe('BAD_NARROW');
    return;
  }
  expect(idsOf((await api.getMessages(all(narrow))).messages), what).toEqual(idsOf(inside));
  const { processed_count } = await api.updateMessageFlagsForNarrow(page);
  expect(processed_count, `flags in a narrow: ${what}`).toBe(inside.length);
}

async function compareRegistration(reader: Reader): Promise<void> {
  const { api, facts, user, readable } = reader;
  const state = await api.registerQueue({
    event_types: [],
    fetch_event_types: ['stream', 'subscription', 'update_message_flags', 'recent_private_conversations'],
  });
  await api.deleteQueue({ queue_id: state.queue_id });
  const seen = [...facts.streams.values()].filter((stream) =>
    canSeeStream(user, stream, facts.membership(user.id, stream.id).active),
  );
  const { subscriptions = [], unsubscribed = [], never_subscribed = [], streams = [] } = state;
  expect(ascending(streams), named(reader, 'streams')).toEqual(idsOf(seen));
  expect(ascending([...subscriptions, ...unsubscribed, ...never_subscribed]), named(reader, 'subscriptions')).toEqual(
    idsOf(seen),
  );
  const { unread_msgs, recent_private_conversations = [] } = state;
  const unread = [
    ...(unread_msgs?.pms ?? []),
    ...(unread_msgs?.streams ?? []),
    ...(unread_msgs?.huddles ?? []),
  ].flatMap(({ unread_message_ids }) => unread_message_ids);
  const open = new Set(idsOf(readable));
  expect(
    unread.filter((id) => !open.has(id)),
    named(reader, 'unread messages'),
  ).toEqual([]);
  const newest = recent_private_conversations.map(({ max_message_id }) => max_message_id);
  expect(
    newest.filter((id) => !open.has(id)),
    named(reader, 'direct conversations'),
  ).toEqual([]);
}

async function compareFiles(reader: Reader): Promise<void> {
  const { world, facts, user, person, readable } = reader;
  const open = new Set(idsOf(readable));
  for (const [uri, { user_id, message_ids }] of facts.uploads) {
    const expected = user_id === user.id || message_ids.some((id) => open.has(id));
    expect(await canRead(world.chat, person, uri, world.realm), named(reader, `file ${uri}`)).toBe(expected);
  }
  const { attachments } = await person.api.getAttachments();
  const own = [...facts.uploads.values()].filter(({ user_id }) => user_id === user.id);
  expect(
    attachments.map(({ messages }) => idsOf(messages).sort((a, b) => a - b)),
    named(reader, 'attachments'),
  ).toEqual(own.map(({ message_ids }) => message_ids.filter((id) => open.has(id))));
}
