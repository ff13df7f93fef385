import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ web_public_streams_enabled: true });
  await chat.owner.api.updateRealm({ enable_spectator_access: true });
  await chat.stream('lobby', { by: chat.owner });
});
afterAll(() => chat.close());

let made = 0;
const fresh = (name: string) => `${name} ${made++}`;
const id = expect.any(Number);
const admin = () => chat.user('amy', { role: 'admin' });
const unread = async (person: TestUser) => (await person.api.registerQueue()).unread_msgs;

test('an archived stream is deleted for all users who saw it, with its messages', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [amy, gus] = [await admin(), await chat.user('gus', { role: 'guest' })];
  const stream_id = await chat.stream(fresh('soup'), { by: ada, members: [gus] });
  const sent = await chat.message({ from: ada, to: stream_id });
  const { stream } = await ada.api.getStream({ stream_id });
  for (const person of [ada, ben, amy, gus]) await person.takeEvents();
  expect(await amy.api.archiveStream({ stream_id })).toEqual({});
  const event = { id, type: 'stream', op: 'delete', streams: [stream] };
  for (const person of [ada, ben, amy, gus]) expect(await person.takeEvents()).toEqual([event]);
  for (const person of [ada, chat.owner]) {
    await expectError('BAD_REQUEST', person.api.getStream({ stream_id }));
    await expectError('BAD_REQUEST', person.api.getMessage({ message_id: sent }));
    await expectError(
      'STREAM_DOES_NOT_EXIST',
      person.api.sendMessage({ type: 'stream', to: stream_id, topic: 'a', content: 'b' }),
    );
  }
});

test('only administrators can archive streams, also private ones without a subscription, and only once', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [amy, moe] = [await admin(), await chat.user('moe', { role: 'moderator' })];
  const stream_id = await chat.stream(fresh('secret'), { by: ada, members: [moe], invite_only: true });
  for (const person of [ada, ben, moe]) {
    await expectError('UNAUTHORIZED_PRINCIPAL', person.api.archiveStream({ stream_id }), /administrator/);
  }
  await amy.api.archiveStream({ stream_id });
  const unknown = await expectError('BAD_REQUEST', amy.api.archiveStream({ stream_id: 999_999 }), /999999/);
  const again = await expectError('BAD_REQUEST', amy.api.archiveStream({ stream_id }));
  expect(again).toEqual({ ...unknown, msg: unknown.msg.replace('999999', String(stream_id)) });
  expect(await ben.takeEvents('stream')).toEqual([]);
});

test('messages of an archived stream do not count as unread; starred ones stay in the list', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await chat.stream(fresh('soup'), { by: ada, members: [ben] });
  const sent = [
    await chat.message({ from: ada, to: stream_id, content: 'hello @**all**' }),
    await chat.message({ from: ada, to: stream_id, topic: 'tea' }),
  ];
  await ben.api.updateMessageFlags({ messages: sent.slice(1), op: 'add', flag: 'starred' });
  expect(await unread(ben)).toMatchObject({ count: 3, mentions: [sent[0]] });
  await chat.owner.api.archiveStream({ stream_id });
  expect(await unread(ben)).toMatchObject({ count: 0, streams: [], mentions: [] });
  expect((await ben.api.registerQueue()).starred_messages).toEqual([sent[1]]);
  expect(await ben.api.updateMessageFlags({ messages: sent, op: 'remove', flag: 'read' })).toEqual({ messages: [] });
});

test('a message sent before the archiving is delivered before it', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await chat.stream(fresh('soup'), { by: ada, members: [ben] });
  await ben.takeEvents();
  await chat.message({ from: ada, to: stream_id });
  await chat.owner.api.archiveStream({ stream_id });
  expect((await ben.takeEvents('message', 'stream')).map(({ type }) => type)).toEqual(['message', 'stream']);
});

test('the name of an archived stream can be used again, and the new stream has nothing of the old one', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const name = fresh('soup');
  const old = await chat.stream(name, { by: ada, members: [ben] });
  await chat.owner.api.archiveStream({ stream_id: old });
  const stream_id = await chat.stream(name, { by: ada });
  expect(stream_id).not.toBe(old);
  expect((await ada.api.getStreamMembers({ stream_id })).subscribers).toEqual([ada.id]);
});

test("an archived stream is no default stream, and is removed from the organization's settings", async () => {
  const [ada, amy] = [await chat.user('ada'), await admin()];
  const stream_id = await chat.stream(fresh('soup'), { by: amy, is_default_stream: true });
  await amy.api.updateRealm({ notifications_stream_id: stream_id, signup_notifications_stream_id: stream_id });
  await ada.takeEvents();
  await amy.api.archiveStream({ stream_id });
  const update = (property: string) => ({ id, type: 'realm', op: 'update', property, value: -1 });
  expect(await ada.takeEvents()).toEqual([
    { id, type: 'stream', op: 'delete', streams: [expect.objectContaining({ stream_id })] },
    { id, type: 'default_streams', default_streams: [] },
    update('notifications_stream_id'),
    update('signup_notifications_stream_id'),
  ]);
  const eve = await chat.user('eve');
  expect((await eve.api.getSubscriptions({})).subscriptions).toEqual([]);
});

test('a private stream that its last subscriber leaves is removed from the settings, too', async () => {
  const ada = await chat.user('ada');
  const name = fresh('secret');
  const stream_id = await chat.stream(name, { by: ada, invite_only: true });
  await chat.owner.api.updateRealm({ notifications_stream_id: stream_id });
  await ada.takeEvents();
  await ada.api.unsubscribe({ subscriptions: [name] });
  expect(await ada.takeEvents('stream', 'realm')).toMatchObject([
    { type: 'stream', op: 'delete' },
    { type: 'realm', property: 'notifications_stream_id', value: -1 },
  ]);
});

test('a guest with limited visibility loses the users whom they knew only from the archived stream', async () => {
  const { user_groups } = await chat.owner.api.getUserGroups({});
  const group = (name: string) => user_groups.find((one) => one.name === name)?.id ?? 0;
  await chat.owner.api.updateRealm({ can_access_all_users_group: group('role:members') });
  const [ada, gus] = [await chat.user('ada'), await chat.user('gus', { role: 'guest' })];
  const stream_id = await chat.stream(fresh('soup'), { by: ada, members: [gus] });
  await gus.takeEvents();
  await chat.owner.api.archiveStream({ stream_id });
  expect(await gus.takeEvents('realm_user')).toMatchObject([{ op: 'remove', person: { user_id: ada.id } }]);
  await chat.holdMirrorLaw();
  await chat.owner.api.updateRealm({ can_access_all_users_group: group('role:everyone') });
});
