// Messages that moved to a private stream cannot be read by users outside it: not by any operation, and not in late
// events.
import type { Narrow } from '@parley/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import {
  addMembers,
  createRoom,
  discardEvents,
  PROTECTED,
  post,
  postSeveral,
  type Room,
  SHARED,
  star,
} from '../../../test/rooms.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
});
afterAll(() => chat.close());

/** Every operation on a message by its id; each fails as for a message that does not exist. */
const attempts: Record<string, (person: TestUser, message_id: number) => Promise<unknown>> = {
  'reading it': ({ api }, message_id) => api.getMessage({ message_id }),
  'reading its history': ({ api }, message_id) => api.getMessageHistory({ message_id }),
  'reacting to it': ({ api }, message_id) => api.addReaction({ message_id, emoji_name: 'tada' }),
  'taking a reaction back': ({ api }, message_id) => api.removeReaction({ message_id, emoji_name: 'heart' }),
  'starring it': ({ api }, message_id) =>
    api.updateMessageFlags({ messages: [message_id], op: 'add', flag: 'starred' }),
  'moving it': ({ api }, message_id) => api.updateMessage({ message_id, topic: 'mine' }),
  'editing it': ({ api }, message_id) => api.updateMessage({ message_id, content: 'mine' }),
  'deleting it': ({ api }, message_id) => api.deleteMessage({ message_id }),
};

/** Asserts that a user finds a message nowhere. */
async function findsNothing(person: TestUser, message_id: number, streams: readonly Room[]): Promise<void> {
  for (const [what, attempt] of Object.entries(attempts)) {
    const { msg } = await expectError('BAD_REQUEST', attempt(person, message_id));
    const unknown = await expectError('BAD_REQUEST', attempt(person, 5_000_000));
    expect(msg.replace(`${message_id}`, ''), what).toBe(unknown.msg.replace('5000000', ''));
  }
  const narrows: Narrow[] = [
    [],
    [['streams', 'public']],
    [['is', 'starred']],
    [['is', 'unread']],
    [['search', 'hello']],
    [['id', message_id]],
    ...streams.map(({ id }): Narrow => [['stream', id]]),
  ];
  for (const narrow of narrows) {
    const call = person.api.getMessages({ anchor: message_id, num_before: 50, num_after: 50, narrow });
    const found = await call.then(
      ({ messages }) => messages.map(({ id }) => id),
      () => [],
    );
    expect(found, JSON.stringify(narrow)).not.toContain(message_id);
  }
  const { messages } = await person.api.updateMessageFlags({ messages: [message_id], op: 'add', flag: 'read' });
  expect(messages).toEqual([]);
  const state = await person.api.registerQueue({
    fetch_event_types: ['update_message_flags', 'starred_messages', 'message'],
  });
  expect(JSON.stringify([state.unread_msgs, state.starred_messages])).not.toMatch(new RegExp(`\\b${message_id}\\b`));
}

test.each([
  ['public', {}, 'change_one'],
  ['shared', SHARED, 'change_one'],
  ['protected', PROTECTED, 'change_one'],
  ['public', {}, 'change_later'],
  ['public', {}, 'change_all'],
] as const)(
  'a message of a %s stream that moves to a private one is gone for users outside it (%j, %s)',
  async (_kind, kind, propagate_mode) => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const guest = await chat.user('guest', { role: 'guest' });
    const admin = await chat.user('iago', { role: 'admin' });
    const here = await createRoom(chat, [ada, ben, guest, admin], kind);
    for (const target of [SHARED, PROTECTED]) {
      const there = await createRoom(chat, [ada], target);
      const message_id = await post(ben, here, 'secret', 'hello secret');
      for (const person of [ben, guest, admin]) {
        await star(person, message_id);
        await person.api.addReaction({ message_id, emoji_name: 'heart' });
      }
      await ada.api.updateMessage({ message_id, stream_id: there.id, propagate_mode });
      for (const person of [ben, guest, admin]) await findsNothing(person, message_id, [here, there]);
    }
  },
);

test('its author cannot read, edit or delete a message that moved to a stream without them', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [here, there] = [await createRoom(chat, [ada, ben]), await createRoom(chat, [ada], SHARED)];
  const message_id = await post(ben, here);
  await ada.api.updateMessage({ message_id, stream_id: there.id });
  await findsNothing(ben, message_id, [here, there]);
});

test('events of a message from before it moved to a private stream are not delivered afterwards', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const guest = await chat.user('guest', { role: 'guest' });
  const [here, there] = [await createRoom(chat, [ada, ben, guest]), await createRoom(chat, [ada], SHARED)];
  await discardEvents(ben, guest);
  const message_id = await post(ada, here, 'soup', 'this was a mistake');
  await ada.api.updateMessage({ message_id, content: 'another mistake' });
  await ada.api.updateMessage({ message_id, topic: 'mistakes', send_notification_to_new_thread: false });
  await ada.api.addReaction({ message_id, emoji_name: 'tada' });
  await ada.api.updateMessage({
    message_id,
    stream_id: there.id,
    topic: 'hidden',
    send_notification_to_new_thread: false,
  });
  await ada.api.updateMessage({ message_id, content: 'secret' });
  await ada.api.addReaction({ message_id, emoji_name: 'heart' });
  for (const person of [ben, guest]) {
    const heard = await person.takeEvents();
    expect(heard.map(({ type }) => type)).toEqual(['delete_message']);
    expect(JSON.stringify(heard)).not.toMatch(/mistake\b|hidden|secret/);
  }
});

test('queues of all public streams, and those with a narrow, do not deliver messages that have become private', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [here, there] = [await createRoom(chat, [ada]), await createRoom(chat, [ada], SHARED)];
  const all = await ben.api.registerQueue({ event_types: ['message', 'update_message'], all_public_streams: true });
  const narrowed = await ben.api.registerQueue({
    event_types: ['message', 'update_message'],
    narrow: [['stream', here.name]],
    all_public_streams: true,
  });
  const message_id = await post(ada, here, 'soup', 'secret');
  await ada.api.updateMessage({ message_id, stream_id: there.id, send_notification_to_new_thread: false });
  for (const { queue_id, last_event_id } of [all, narrowed])
    expect((await ben.api.getEvents({ queue_id, last_event_id, dont_block: true })).events).toEqual([]);
});

test('for a move into their stream or out of it, guests receive nothing about streams without their subscription', async () => {
  const ada = await chat.user('ada');
  const guest = await chat.user('guest', { role: 'guest' });
  const [here, there, third] = [
    await createRoom(chat, [ada]),
    await createRoom(chat, [ada]),
    await createRoom(chat, [ada, guest]),
  ];
  const ids = await postSeveral([ada], here, 3);
  await discardEvents(guest);
  const quietly = { send_notification_to_new_thread: false } as const;
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, topic: 'stew', ...quietly });
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, stream_id: there.id, ...quietly });
  await ada.api.updateMessage({ message_id: ids[1] ?? 0, stream_id: third.id, ...quietly });
  expect(await guest.takeEvents()).toEqual([]);
  await ada.api.updateMessage({ message_id: ids[1] ?? 0, stream_id: there.id, topic: 'hidden', ...quietly });
  const heard = await guest.takeEvents();
  expect(heard).toMatchObject([{ type: 'delete_message', stream_id: third.id, topic: 'soup', message_ids: [ids[1]] }]);
  expect(JSON.stringify(heard)).not.toContain('hidden');
});

test('a user who has left a stream receives no event about its messages, whatever flags they have on them', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const guest = await chat.user('guest', { role: 'guest' });
  const [hidden, open, other] = [
    await createRoom(chat, [ada, ben], SHARED),
    await createRoom(chat, [ada, guest]),
    await createRoom(chat, [ada], SHARED),
  ];
  const ids = [await post(ada, hidden), await post(ada, open)];
  await star(ben, ids[0] ?? 0);
  await star(guest, ids[1] ?? 0);
  await ben.api.unsubscribe({ subscriptions: [hidden.name] });
  await guest.api.unsubscribe({ subscriptions: [open.name] });
  // Their newest message stays: no event gives users who left another newest message.
  await chat.message({ from: ada, to: [ben, guest] });
  await discardEvents(ben, guest);
  for (const message_id of ids) {
    const quietly = { propagate_mode: 'change_all', send_notification_to_new_thread: false } as const;
    await ada.api.updateMessage({ message_id, topic: 'about those who left', ...quietly });
    await ada.api.updateMessage({ message_id, stream_id: other.id, ...quietly });
  }
  const eventTypes = ['update_message', 'delete_message', 'message', 'user_topic'] as const;
  expect(await guest.takeEvents(...eventTypes)).toEqual([]);
  // Ben can read the open stream.
  expect((await ben.takeEvents(...eventTypes)).filter((event) => JSON.stringify(event).includes(`${ids[0]}`))).toEqual(
    [],
  );
});

test('a user who has left a private stream does not receive its current topics when a message becomes public', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [hidden, open] = [await createRoom(chat, [ada, ben], SHARED), await createRoom(chat, [ada])];
  const message_id = await post(ada, hidden);
  await ben.api.unsubscribe({ subscriptions: [hidden.name] });
  // Their newest message stays: no event gives users who left another newest message.
  await chat.message({ from: ada, to: [ben] });
  await discardEvents(ben);
  const quietly = { send_notification_to_new_thread: false } as const;
  await ada.api.updateMessage({ message_id, topic: 'about those who left', ...quietly });
  await ada.api.updateMessage({ message_id, stream_id: open.id, topic: 'soup', ...quietly });
  expect(await ben.takeEvents('update_message', 'delete_message')).toEqual([]);
});

test('a later subscriber to protected history can neither read nor receive what moved within it, into it or out of it', async () => {
  const [ada, late] = await chat.users('ada', 'late');
  const [here, there] = [await createRoom(chat, [ada], PROTECTED), await createRoom(chat, [ada], PROTECTED)];
  const [open, shared] = [await createRoom(chat, [ada], PROTECTED), await createRoom(chat, [ada, late], PROTECTED)];
  const old = await postSeveral([ada], here, 4);
  await addMembers(ada, here, late);
  await discardEvents(late);
  const quietly = { send_notification_to_new_thread: false } as const;
  const [first = 0, second = 0, third = 0] = old;
  await ada.api.updateMessage({ message_id: first, topic: 'stew', ...quietly });
  await ada.api.updateMessage({ message_id: second, stream_id: there.id, ...quietly });
  await ada.api.updateMessage({ message_id: third, content: 'changed' });
  expect(await late.takeEvents()).toEqual([]);
  for (const message_id of old) await findsNothing(late, message_id, [here, there, open]);
  const topics = await late.api.getStreamTopics({ stream_id: here.id });
  expect(topics).toEqual({ topics: [] });
  // Subscribers receive messages that are moved in after their subscription.
  await ada.api.updateMessage({ message_id: third, stream_id: shared.id, ...quietly });
  expect((await late.api.getMessage({ message_id: third })).message.flags).toEqual(['read']);
  const [next] = await chat.users('next');
  await addMembers(ada, shared, next);
  await findsNothing(next, third, [shared]);
});

test('moving a message does not make it readable: only users who can read it can move it', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [here, own] = [await createRoom(chat, [ada, chat.owner], PROTECTED), await createRoom(chat, [ben], SHARED)];
  const hidden = await post(ada, here);
  await expectError('BAD_REQUEST', ben.api.updateMessage({ message_id: hidden, stream_id: own.id }), /no message/);
  await addMembers(ada, here, ben);
  const seen = await post(ada, here);
  await expectError('BAD_REQUEST', ben.api.updateMessage({ message_id: hidden, stream_id: own.id }), /no message/);
  await ben.api.updateMessage({ message_id: seen, stream_id: own.id, propagate_mode: 'change_all' });
  await expectError('BAD_REQUEST', ben.api.getMessage({ message_id: hidden }), /no message/);
  expect((await ada.api.getMessage({ message_id: hidden })).message.stream_id).toBe(here.id);
});
