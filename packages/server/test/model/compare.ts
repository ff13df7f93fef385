import { expect } from 'vitest';
import { expectError, type TestUser } from '../chat.ts';
import {
  ascending,
  canReadConversation,
  canReadMessage,
  flagsOf,
  type ModelConversation,
  type ModelMessage,
  rowOf,
  type World,
} from './world.ts';

/** Asserts that all operations that read messages return what the model has. */
export async function compare(world: World): Promise<void> {
  await Promise.all(world.users.map((person) => compareFor(world, person)));
}

/** Of the messages that a user cannot read, those most likely to be returned by mistake: each must be unknown. */
export async function probe(world: World): Promise<void> {
  for (const person of world.users) {
    const hidden = [...world.messages.values()].filter((letter) => !canReadMessage(world, person.id, letter));
    const hiddenByStream = new Map(hidden.map((letter) => [letter.stream, letter]));
    for (const { id } of hiddenByStream.values()) {
      await expectError('BAD_REQUEST', person.api.getMessage({ message_id: id }));
      await expectError('BAD_REQUEST', person.api.updateMessageFlags({ messages: [id], op: 'add', flag: 'starred' }));
    }
  }
}

async function compareFor(world: World, person: TestUser): Promise<void> {
  const letters = [...world.messages.values()].sort((a, b) => a.id - b.id);
  const readable = letters.filter((letter) => canReadMessage(world, person.id, letter));
  const show = (all: ModelMessage[]) =>
    all.map(({ id, stream, topic, edits }) => ({
      id,
      flags: flagsOf(rowOf(world, person.id, id)),
      subject: stream?.topics.get(topic ?? '') ?? '',
      edits,
    }));
  const own = readable.filter(({ id }) => rowOf(world, person.id, id));
  expect(await history(person), `the history of ${person.name}`).toEqual(show(own));
  for (const stream of world.streams) await compareStream(world, person, stream, readable, show);
  const state = await person.api.registerQueue({
    event_types: [],
    fetch_event_types: ['update_message_flags', 'starred_messages'],
  });
  await person.api.deleteQueue({ queue_id: state.queue_id });
  expect(state.unread_msgs, `unread messages of ${person.name}`).toEqual(unread(world, person.id));
  expect(state.starred_messages, `starred messages of ${person.name}`).toEqual(
    ascending([...(world.rows.get(person.id) ?? [])].flatMap(([id, row]) => (row.starred ? [id] : []))),
  );
}

async function compareStream(
  world: World,
  person: TestUser,
  stream: ModelConversation,
  readable: ModelMessage[],
  show: (all: ModelMessage[]) => unknown,
): Promise<void> {
  if (!canReadConversation(world, person.id, stream)) {
    await expectError('BAD_REQUEST', person.api.getStreamTopics({ stream_id: stream.id }));
    return;
  }
  const inside = readable.filter((letter) => letter.stream === stream);
  expect(await history(person, stream), `messages of ${stream.name} for ${person.name}`).toEqual(show(inside));
  const newest = new Map(inside.map(({ id, topic }) => [topic ?? '', id]));
  const topics = [...newest]
    .map(([key, max_id]) => ({ name: stream.topics.get(key), max_id }))
    .sort((a, b) => b.max_id - a.max_id);
  const { topics: found } = await person.api.getStreamTopics({ stream_id: stream.id });
  expect(found, `topics of ${stream.name} for ${person.name}`).toEqual(topics);
}

async function history(person: TestUser, stream?: ModelConversation): Promise<unknown> {
  const narrow = stream ? { narrow: [['stream', stream.id] as ['stream', number]] } : {};
  const { messages } = await person.api.getMessages({ anchor: 'newest', num_before: 5000, num_after: 0, ...narrow });
  return messages.map(({ id, flags, subject, edit_history = [] }) => ({
    id,
    flags,
    subject,
    edits: edit_history.map(
      ({ timestamp: _at, prev_rendered_content: _html, prev_rendered_content_version: _version, ...edit }) => edit,
    ),
  }));
}

/** `unread_msgs`, computed from the records one by one. */
function unread(world: World, me: number) {
  const rows = [...(world.rows.get(me) ?? [])].filter(([, row]) => !row.read).sort(([a], [b]) => a - b);
  const unreadByConversation = new Map<string, { letter: ModelMessage; unread_message_ids: number[] }>();
  for (const [id] of rows) {
    const letter = world.messages.get(id);
    if (!letter) continue;
    const key = letter.stream ? `${letter.stream.id} ${letter.topic}` : letter.participants.join();
    const entry = unreadByConversation.get(key) ?? { letter, unread_message_ids: [] };
    entry.unread_message_ids.push(id);
    unreadByConversation.set(key, entry);
  }
  const all = [...unreadByConversation.values()];
  const direct = all.filter(({ letter }) => !letter.stream);
  const other = (letter: ModelMessage) => letter.participants.find((id) => id !== me) ?? me;
  return {
    count: rows.length,
    pms: direct
      .filter(({ letter }) => letter.participants.length < 3)
      .map(({ letter, unread_message_ids }) => ({
        other_user_id: other(letter),
        sender_id: other(letter),
        unread_message_ids,
      }))
      .sort((a, b) => a.other_user_id - b.other_user_id),
    streams: all
      .flatMap(({ letter: { stream, topic = '' }, unread_message_ids }) =>
        stream ? [{ key: topic, stream_id: stream.id, topic: stream.topics.get(topic), unread_message_ids }] : [],
      )
      .sort((a, b) => a.stream_id - b.stream_id || (a.key < b.key ? -1 : 1))
      .map(({ key: _, ...entry }) => entry),
    huddles: direct
      .filter(({ letter }) => letter.participants.length > 2)
      .map(({ letter, unread_message_ids }) => ({ user_ids_string: letter.participants.join(','), unread_message_ids }))
      .sort((a, b) => (a.user_ids_string < b.user_ids_string ? -1 : 1)),
    mentions: rows.flatMap(([id, row]) => (row.mentioned || row.stream_wildcard || row.topic_wildcard ? [id] : [])),
    old_unreads_missing: false,
  };
}
