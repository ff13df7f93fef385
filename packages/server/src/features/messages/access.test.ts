import type { Narrow } from '@parley/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
const newName = () => `room ${made++}`;

/** Whether a user can read a message; both ways to fetch it agree. */
async function canRead({ api }: TestUser, message_id: number, stream_id?: number): Promise<boolean> {
  const narrow: Narrow = stream_id === undefined ? [] : [['stream', stream_id]];
  const one = await api.getMessage({ message_id }).then(
    () => true,
    () => false,
  );
  const listed = await api.getMessages({ anchor: message_id, num_before: 0, num_after: 0, narrow }).then(
    ({ found_anchor }) => found_anchor,
    () => false,
  );
  expect(listed).toBe(one);
  return one;
}

test('a direct message can be read by its participants, and not by administrators', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const admin = await chat.user('iago', { role: 'admin' });
  const id = await chat.message({ from: ada, to: [ben] });
  expect(await Promise.all([ada, ben, cleo, admin].map((person) => canRead(person, id)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  const hidden = await expectError('BAD_REQUEST', cleo.api.getMessage({ message_id: id }), new RegExp(String(id)));
  const unknown = await expectError('BAD_REQUEST', cleo.api.getMessage({ message_id: 987_654 }), /987654/);
  expect(hidden.msg.replace(String(id), '')).toBe(unknown.msg.replace('987654', ''));
});

test('a message of a public stream can be read by all members, and by guests while they are subscribed', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [guest, stranger] = [await chat.user('gus', { role: 'guest' }), await chat.user('gia', { role: 'guest' })];
  const name = newName();
  const stream_id = await chat.stream(name, { by: ada, members: [guest] });
  const id = await chat.message({ from: ada, to: name });
  expect(await Promise.all([ben, guest, stranger].map((person) => canRead(person, id, stream_id)))).toEqual([
    true,
    true,
    false,
  ]);
  await guest.api.unsubscribe({ subscriptions: [name] });
  expect(await canRead(guest, id, stream_id)).toBe(false);
});

// shows: 2.10
test('messages of a private stream with shared history can be read from the beginning by its current subscribers', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const admin = await chat.user('iago', { role: 'admin' });
  const name = newName();
  const stream_id = await chat.stream(name, {
    by: ada,
    members: [cleo],
    invite_only: true,
    history_public_to_subscribers: true,
  });
  const id = await chat.message({ from: ada, to: name });
  expect(await canRead(ben, id, stream_id)).toBe(false);
  expect(await canRead(admin, id, stream_id)).toBe(false);
  await ada.api.subscribe({ subscriptions: [{ name }], principals: [ben.id] });
  expect(await canRead(ben, id, stream_id)).toBe(true);
  expect((await ben.api.getMessage({ message_id: id })).message.flags).toEqual(['read', 'historical']);
  await cleo.api.unsubscribe({ subscriptions: [name] });
  expect(await canRead(cleo, id, stream_id)).toBe(false);
});

// shows: 2.10
test('in a private stream with protected history, users cannot read messages from before their subscription', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const name = newName();
  const stream_id = await chat.stream(name, { by: ada, invite_only: true });
  const before = await chat.message({ from: ada, to: name });
  await ada.api.subscribe({ subscriptions: [{ name }], principals: [ben.id] });
  const after = await chat.message({ from: ada, to: name });
  expect([await canRead(ben, before, stream_id), await canRead(ben, after, stream_id)]).toEqual([false, true]);
});

test('messages of an archived stream can be read by no user', async () => {
  const [ada] = await chat.users('ada');
  const name = newName();
  await chat.stream(name, { by: ada, invite_only: true });
  const id = await chat.message({ from: ada, to: name });
  expect(await canRead(ada, id)).toBe(true);
  await ada.api.unsubscribe({ subscriptions: [name] });
  expect(await canRead(ada, id)).toBe(false);
  await expectError(
    'STREAM_DOES_NOT_EXIST',
    ada.api.sendMessage({ type: 'stream', to: name, topic: 'soup', content: 'hi' }),
  );
});

test('messages of another organization are reported as unknown', async () => {
  const { owner } = await chat.otherRealm(`other${made++}`);
  const [ada] = await chat.users('ada');
  const id = await chat.message({ from: ada, to: [ada] });
  await expectError('BAD_REQUEST', owner.api.getMessage({ message_id: id }), new RegExp(String(id)));
  await expectError(
    'BAD_REQUEST',
    owner.api.sendMessage({ type: 'direct', to: [ada.id], content: 'hi' }),
    new RegExp(String(ada.id)),
  );
});

test('a registration has the id of the newest message received, and -1 without one', async () => {
  const [ada, ben] = [await chat.user('ada', { mirrored: false }), await chat.user('ben', { mirrored: false })];
  const newest = async () => (await ada.api.registerQueue({ fetch_event_types: ['message'] })).max_message_id;
  const before = await newest();
  const id = await chat.message({ from: ben, to: [ada] });
  await chat.message({ from: ben, to: [ben] });
  expect([before, await newest()]).toEqual([-1, id]);
});
