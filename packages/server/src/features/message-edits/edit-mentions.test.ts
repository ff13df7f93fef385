import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { createStreamFixture } from '../../../test/stream-fixture.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());

const edit = (by: TestUser, message_id: number, content: string) => by.api.updateMessage({ message_id, content });
const flagsOf = async (person: TestUser, message_id: number) =>
  (await person.api.getMessage({ message_id })).message.flags;
/** The unread messages that mention a user, as a new registration returns them. */
const mentionsOf = async ({ api }: TestUser) =>
  (await api.registerQueue({ event_types: [], fetch_event_types: ['update_message_flags'] })).unread_msgs?.mentions;

/** Settings of system groups cannot be changed through the API; each test restores them. */
const letMention = (group: string, allowed: string) =>
  chat.database.db.execute(`
    update user_groups g set can_mention_group = a.id from user_groups a
    where g.realm_id = ${chat.realm.id} and g.name = '${group}' and a.realm_id = g.realm_id and a.name = '${allowed}'`);

const wild = ['wildcard_mentioned', 'stream_wildcard_mentioned'];
const wildInTopic = ['wildcard_mentioned', 'topic_wildcard_mentioned'];

// shows: 2.29
test('each edit determines the mentioned users again, in flags and in the unread messages', async () => {
  const { ada, ben, send, discardEvents } = await createStreamFixture(chat);
  const id = await send(ada, 'hello');
  await discardEvents();
  await edit(ada, id, `@**${ben.full_name}**`);
  expect(await ben.takeEvents('update_message')).toMatchObject([{ flags: ['mentioned'] }]);
  expect([await flagsOf(ben, id), await mentionsOf(ben)]).toEqual([['mentioned'], [id]]);
  expect([await flagsOf(ada, id), await mentionsOf(ada)]).toEqual([[], []]);
  await edit(ada, id, 'nobody');
  expect(await ben.takeEvents('update_message')).toMatchObject([{ flags: [] }]);
  expect([await flagsOf(ben, id), await mentionsOf(ben)]).toEqual([[], []]);
});

test('a mention that stays is kept, with the other flags of the user on the message', async () => {
  const [cleo] = await chat.users('cleo');
  const { ada, ben, send } = await createStreamFixture(chat, [cleo]);
  const id = await send(ada, `@**${ben.full_name}**`);
  await ben.api.updateMessageFlags({ messages: [id], op: 'add', flag: 'starred' });
  await edit(ada, id, `@**${cleo.full_name}** and @**${ben.full_name}**`);
  expect([await flagsOf(ben, id), await flagsOf(cleo, id)]).toEqual([['starred', 'mentioned'], ['mentioned']]);
  await edit(ada, id, `@**${cleo.full_name}**`);
  expect([await flagsOf(ben, id), await mentionsOf(ben)]).toEqual([['starred'], []]);
});

test('a user who unsubscribed keeps the message, and the mentions that an edit leaves in it', async () => {
  const [cleo] = await chat.users('cleo');
  const { ada, ben, name, send, discardEvents } = await createStreamFixture(chat, [cleo]);
  const named = await send(ada, `@**${ben.full_name}**`);
  const wide = await send(ada, '@**all**');
  await send(ben);
  const topical = await send(ada, '@**topic**');
  await ben.api.unsubscribe({ subscriptions: [name] });
  const after = await send(ada);
  await discardEvents();
  await edit(ada, named, `@**${ben.full_name}**!`);
  await edit(ada, wide, '@**all**!');
  await edit(ada, topical, '@**topic**!');
  await edit(ada, after, `@**${ben.full_name}** @**topic**`);
  const events = await ben.takeEvents('update_message');
  expect(events.map(({ message_id, flags }) => [message_id, flags])).toEqual([
    [named, ['read', 'mentioned']],
    [wide, ['read', ...wild]],
    [topical, ['read', ...wildInTopic]],
  ]);
  for (const { message_id, flags } of events) expect(await flagsOf(ben, message_id)).toEqual(flags);
  expect(await flagsOf(ben, after)).toEqual(['read', 'historical']);
  await edit(ada, named, 'nobody');
  expect(await flagsOf(ben, named)).toEqual(['read']);
});

test('mentioning a user in a message that they have read does not make it unread', async () => {
  const { ada, ben, send } = await createStreamFixture(chat);
  const id = await send(ada);
  await ben.api.updateMessageFlags({ messages: [id], op: 'add', flag: 'read' });
  await edit(ada, id, `@**${ben.full_name}**`);
  expect([await flagsOf(ben, id), await mentionsOf(ben)]).toEqual([['read', 'mentioned'], []]);
});

test('silent mentions, mentions in code and of users without a subscription set no flag', async () => {
  const [cleo] = await chat.users('cleo');
  const { ada, ben, send } = await createStreamFixture(chat);
  const id = await send(ada);
  await edit(
    ada,
    id,
    `@_**${ben.full_name}** \`@**${ben.full_name}**\` @_**all** \`@**topic**\` @**${cleo.full_name}**`,
  );
  expect(await flagsOf(ben, id)).toEqual([]);
  expect(await flagsOf(cleo, id)).toEqual(['read', 'historical']);
});

test('a stream wildcard mentions all users who have the message, as long as the content has it', async () => {
  const { ada, ben, send, discardEvents } = await createStreamFixture(chat);
  const id = await send(ada);
  await discardEvents();
  await edit(ada, id, '@**all**');
  expect(await ben.takeEvents('update_message')).toMatchObject([{ flags: wild }]);
  expect([await flagsOf(ada, id), await mentionsOf(ben)]).toEqual([wild, [id]]);
  await edit(ada, id, 'some');
  expect(await ben.takeEvents('update_message')).toMatchObject([{ flags: [] }]);
  expect([await flagsOf(ben, id), await mentionsOf(ben)]).toEqual([[], []]);
});

test('a topic wildcard mentions the users who wrote in the topic, as long as the content has it', async () => {
  const [cleo] = await chat.users('cleo');
  const { ada, ben, send, discardEvents } = await createStreamFixture(chat, [cleo]);
  await send(ben);
  const id = await send(ada);
  await discardEvents();
  await edit(ada, id, '@**topic**');
  expect(await ben.takeEvents('update_message')).toMatchObject([{ flags: wildInTopic }]);
  expect(await cleo.takeEvents('update_message')).toMatchObject([{ flags: [] }]);
  expect([await mentionsOf(ben), await mentionsOf(cleo)]).toEqual([[id], []]);
  await edit(ada, id, 'some');
  expect([await flagsOf(ben, id), await mentionsOf(ben)]).toEqual([[], []]);
});

test('in a direct message wildcards have no effect, and users are mentioned', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const id = await chat.message({ from: ada, to: [ben] });
  await edit(ada, id, `@**all** @**topic** @**${ben.full_name}**`);
  expect([await flagsOf(ben, id), await flagsOf(ada, id)]).toEqual([['mentioned'], []]);
});

test('an edit can mention a group under the same rules as a new message', async () => {
  const { ada, ben, send } = await createStreamFixture(chat);
  const admin = await chat.user('iago', { role: 'admin' });
  const id = await send(ada, 'hello');
  await expectError('BAD_REQUEST', edit(ada, id, '@*role:members*'), /role:members.*role:nobody/);
  await edit(ada, id, '@_*role:members*');
  expect(await flagsOf(ben, id)).toEqual([]);
  await letMention('role:members', 'role:administrators');
  await expectError('BAD_REQUEST', edit(ada, id, '@*role:members*'), /role:members.*role:administrators/);
  expect((await ben.api.getMessage({ message_id: id })).raw_content).toBe('@_*role:members*');
  const own = await chat.message({ from: admin, to: [ada, ben] });
  await edit(admin, own, '@*role:members*');
  expect([await flagsOf(ben, own), await flagsOf(admin, own)]).toEqual([['mentioned'], ['mentioned']]);
  await letMention('role:members', 'role:nobody');
});

// shows: 4.4.24, 4.4.25, 7.18, 7.19, 9.9
test('an edit cannot mention more than 15 users by a wildcard without the permission', async () => {
  const crowd = await Promise.all(Array.from({ length: 14 }, () => chat.user('eve', { mirrored: false })));
  const admin = await chat.user('iago', { role: 'admin' });
  const { ada, ben, name, send, discardEvents } = await createStreamFixture(chat, crowd);
  for (const one of crowd) await send(one);
  const [id, own] = [await send(ada), await chat.message({ from: admin, to: name })];
  await discardEvents();
  // The administrator has written, too, so the topic has one user more than is allowed, counted with Ada.
  await expectError('TOPIC_WILDCARD_MENTION_NOT_ALLOWED', edit(ada, id, '@**topic**'));
  await expectError('STREAM_WILDCARD_MENTION_NOT_ALLOWED', edit(ada, id, '@**everyone** @**topic**'));
  await expectError('STREAM_WILDCARD_MENTION_NOT_ALLOWED', edit(ada, id, '@**all** @*role:nobody*'));
  await expectError('BAD_REQUEST', edit(ada, id, `@**all** ${'x'.repeat(10_000)}`), /10000/);
  expect(await ben.takeEvents('update_message')).toEqual([]);
  await edit(ada, id, '@_**all** and `@**topic**`');
  await edit(admin, own, '@**all** @**topic**');
  expect(await flagsOf(ben, own)).toEqual(wild);
  await crowd[0]?.api.unsubscribe({ subscriptions: [name] });
  await edit(ada, id, '@**stream**');
  expect(await flagsOf(ben, id)).toEqual(wild);
});
