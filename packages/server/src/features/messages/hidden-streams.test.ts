// A user who cannot read a message can neither change it nor learn its present or former content from an event.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { createStreamFixture, guarded, shared } from '../../../test/stream-fixture.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({ delete_own_message_policy: 5 });
});
afterAll(() => chat.close());

let realms = 0;
const admin = () => chat.user('iago', { role: 'admin' });

/** A message that a user cannot read, and that user, whom no other rule keeps from changing it. */
const outOfReach: Record<string, () => Promise<{ eve: TestUser; id: number }>> = {
  'of their own in a private stream that they have left': async () => {
    const eve = await admin();
    const { name, send } = await createStreamFixture(chat, [eve], shared);
    const id = await send(eve);
    await eve.api.unsubscribe({ subscriptions: [name] });
    return { eve, id };
  },
  'of their own in a stream with protected history that they have left': async () => {
    const eve = await admin();
    const { name, send } = await createStreamFixture(chat, [eve], guarded);
    const id = await send(eve);
    await eve.api.unsubscribe({ subscriptions: [name] });
    return { eve, id };
  },
  'from before they came to a stream with protected history': async () => {
    const eve = await admin();
    const { ada, name, send } = await createStreamFixture(chat, [], guarded);
    const id = await send(ada);
    await ada.api.subscribe({ subscriptions: [{ name }], principals: [eve.id] });
    return { eve, id };
  },
  'in a private stream that they were never in': async () => {
    const { ada, send } = await createStreamFixture(chat, [], shared);
    return { eve: await admin(), id: await send(ada) };
  },
  'of their own in a public stream that they as a guest have left': async () => {
    const eve = await chat.user('gus', { role: 'guest' });
    const { name, send } = await createStreamFixture(chat, [eve]);
    const id = await send(eve);
    await eve.api.unsubscribe({ subscriptions: [name] });
    return { eve, id };
  },
  'of their own in a stream that was archived': async () => {
    const eve = await admin();
    const { id: stream_id, send } = await createStreamFixture(chat, [eve]);
    const id = await send(eve);
    await chat.owner.api.archiveStream({ stream_id });
    return { eve, id };
  },
  'in a direct conversation of others': async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    return { eve: await admin(), id: await chat.message({ from: ada, to: [ben] }) };
  },
  'of another organization': async () => {
    const { owner } = await chat.otherRealm(`other${realms++}`);
    const { ada, send } = await createStreamFixture(chat);
    return { eve: owner, id: await send(ada) };
  },
};

const attempts: Record<string, (eve: TestUser, message_id: number) => Promise<unknown>> = {
  edit: ({ api }, message_id) => api.updateMessage({ message_id, content: 'mine' }),
  move: ({ api }, message_id) => api.updateMessage({ message_id, topic: 'mine', propagate_mode: 'change_all' }),
  'change nothing of': ({ api }, message_id) => api.updateMessage({ message_id }),
  delete: ({ api }, message_id) => api.deleteMessage({ message_id }),
  'read the history of': ({ api }, message_id) => api.getMessageHistory({ message_id }),
};

test.each(Object.keys(outOfReach))('for every request a message %s is reported as unknown', async (kind) => {
  const { eve, id } = await (outOfReach[kind] as () => Promise<{ eve: TestUser; id: number }>)();
  for (const [name, attempt] of Object.entries(attempts)) {
    const missing = await expectError('BAD_REQUEST', attempt(eve, 987_654), /987654/);
    const hidden = await expectError('BAD_REQUEST', attempt(eve, id));
    expect(hidden, name).toEqual({ ...missing, msg: missing.msg.replace('987654', String(id)) });
  }
  const { messages } = await chat.database.db
    .execute(`select content from messages where id = ${id}`)
    .then((found) => ({
      messages: Array.isArray(found) ? found : (found as { rows: unknown[] }).rows,
    }));
  expect(messages).toEqual([{ content: 'hello' }]);
});

test('edits of protected history are not delivered to later subscribers', async () => {
  const [cleo] = await chat.users('cleo');
  const { ada, ben, name, send, discardEvents } = await createStreamFixture(chat, [], guarded);
  const before = await send(ada, 'secret');
  await ada.api.subscribe({ subscriptions: [{ name }], principals: [cleo.id] });
  const after = await send(ada, 'known');
  await Promise.all([discardEvents(), cleo.takeEvents()]);
  for (const message_id of [before, after]) await ada.api.updateMessage({ message_id, content: 'changed' });
  expect(await cleo.takeEvents()).toMatchObject([{ type: 'update_message', message_id: after }]);
  expect(await ben.takeEvents('update_message')).toHaveLength(2);
});

test('deletions in protected history are delivered for messages that the user received', async () => {
  const [cleo] = await chat.users('cleo');
  const iago = await admin();
  const { ada, ben, id: stream_id, name, send, discardEvents } = await createStreamFixture(chat, [iago], guarded);
  const before = [await send(ada), await send(ada), await send(ada, 'old', 'bread')];
  await ada.api.subscribe({ subscriptions: [{ name }], principals: [cleo.id] });
  const after = await send(ada);
  await Promise.all([discardEvents(), cleo.takeEvents()]);
  await ada.api.deleteMessage({ message_id: before[0] ?? 0 });
  await iago.api.deleteTopic({ stream_id, topic_name: 'soup' });
  await iago.api.deleteTopic({ stream_id, topic_name: 'bread' });
  expect(await cleo.takeEvents()).toMatchObject([{ type: 'delete_message', message_ids: [after] }]);
  const heard = await ben.takeEvents('delete_message');
  expect(heard.map(({ message_ids }) => message_ids)).toEqual([[before[0]], [before[1], after], [before[2]]]);
});

test('a user who left a private stream receives no more edits and deletions in it', async () => {
  const { ada, ben, name, send, discardEvents } = await createStreamFixture(chat, [], shared);
  const [message_id, removed] = [await send(ada), await send(ada)];
  await discardEvents();
  await ada.api.updateMessage({ message_id, content: 'not asked for yet' });
  await ben.api.unsubscribe({ subscriptions: [name] });
  await ada.api.updateMessage({ message_id, content: 'later' });
  await ada.api.deleteMessage({ message_id: removed });
  await chat.message({ from: ada, to: [ben] });
  expect(await ben.takeEvents('update_message', 'delete_message')).toEqual([]);
  expect(await ada.takeEvents('update_message', 'delete_message')).toHaveLength(3);
});

test('a message that was deleted before a poll is not delivered, nor are its edits', async () => {
  const [cleo] = await chat.users('cleo');
  const { ada, ben, send } = await createStreamFixture(chat);
  const all = await ada.api.registerQueue({ all_public_streams: true, event_types: ['message'] });
  const others = await cleo.api.registerQueue({ all_public_streams: true, event_types: ['message'] });
  const message_id = await send(ada, 'oops');
  await ada.api.updateMessage({ message_id, content: 'oops, again' });
  await ada.api.deleteMessage({ message_id });
  const other = await send(ada, 'better');
  expect(await ben.takeEvents()).toMatchObject([
    { type: 'delete_message', message_ids: [message_id] },
    { type: 'message', message: { id: other } },
  ]);
  for (const [{ api }, queue] of [
    [ada, all],
    [cleo, others],
  ] as const) {
    expect((await api.getEvents({ ...queue, dont_block: true })).events).toMatchObject([{ message: { id: other } }]);
  }
});

test('a direct message that was deleted before a poll is not delivered', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const message_id = await chat.message({ from: ada, to: [ben], content: 'oops' });
  await ada.api.deleteMessage({ message_id });
  expect(await ben.takeEvents('message', 'delete_message')).toMatchObject([{ type: 'delete_message' }]);
});

test("a message that was moved out of the user's visibility before a poll is not delivered, nor are its edits", async () => {
  const iago = await admin();
  const { ada, ben, send } = await createStreamFixture(chat, [iago]);
  const there = await createStreamFixture(chat, [iago, ada], shared);
  const message_id = await send(ada, 'secret');
  await ada.api.updateMessage({ message_id, content: 'secret, too' });
  await iago.api.updateMessage({ message_id, stream_id: there.id });
  expect(await ben.takeEvents('message', 'update_message', 'delete_message')).toMatchObject([
    { type: 'delete_message', message_ids: [message_id] },
  ]);
  expect(await ada.takeEvents('message', 'update_message')).toMatchObject([
    { type: 'message', message: { id: message_id } },
    { type: 'update_message', content: 'secret, too' },
    { type: 'update_message', new_stream_id: there.id },
    { type: 'message', message: { sender_full_name: 'Notification Bot' } },
  ]);
});

test('a message that was moved to a public stream is delivered with its edits, and then the move', async () => {
  const iago = await admin();
  const { ada, ben, send } = await createStreamFixture(chat, [iago]);
  const there = await createStreamFixture(chat, [iago]);
  const message_id = await send(ada, 'pea');
  await ada.api.updateMessage({ message_id, content: 'leek' });
  await iago.api.updateMessage({ message_id, stream_id: there.id });
  expect(await ben.takeEvents('message', 'update_message')).toMatchObject([
    { type: 'message', message: { id: message_id, content: '<p>pea</p>' } },
    { type: 'update_message', orig_content: 'pea', content: 'leek' },
    { type: 'update_message', new_stream_id: there.id },
  ]);
});

test('deleting a topic of a private stream emits only the ids of starred messages to users who left it', async () => {
  const { ada, ben, name, send, discardEvents } = await createStreamFixture(chat, [], shared);
  const iago = await admin();
  await ada.api.subscribe({ subscriptions: [{ name }], principals: [iago.id] });
  const ids = [await send(ada), await send(ada), await send(ada)];
  const [, starred = 0] = ids;
  await ben.api.updateMessageFlags({ messages: [starred], op: 'add', flag: 'starred' });
  await ben.api.unsubscribe({ subscriptions: [name] });
  await ada.api.updateMessage({ message_id: starred, topic: 'renamed since', propagate_mode: 'change_all' });
  await discardEvents();
  const { streams } = await iago.api.getStreams();
  const stream_id = streams.find((stream) => stream.name === name)?.stream_id ?? 0;
  await iago.api.deleteTopic({ stream_id, topic_name: 'renamed since' });
  expect(await ben.takeEvents('delete_message')).toEqual([
    { id: expect.any(Number), type: 'delete_message', message_type: 'stream', message_ids: [starred] },
  ]);
  expect(await ada.takeEvents('delete_message')).toMatchObject([{ message_ids: [...ids, expect.any(Number)] }]);
});
