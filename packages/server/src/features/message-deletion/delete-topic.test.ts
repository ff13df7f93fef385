import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { createStreamFixture, guarded, type StreamFixture, shared } from '../../../test/stream-fixture.ts';

let chat: Chat;
let hasty: Chat;
beforeAll(async () => {
  chat = await startChat();
  // The time for its deletions ends after each batch.
  hasty = await startChat({ budget: 0 });
});
afterAll(async () => {
  await chat.close();
  await hasty.close();
});

/** The ids of the sent messages, ascending. */
async function fill({ ada, send }: StreamFixture, count: number, topic = 'soup'): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) {
    const some = Math.min(20, count - ids.length);
    ids.push(...(await Promise.all(Array.from({ length: some }, () => send(ada, 'hello', topic)))));
  }
  return ids.sort((one, other) => one - other);
}

/** The ids of a stream's messages that a user can read, without the notice of its creation. */
async function seen({ api }: TestUser, { id }: StreamFixture): Promise<number[]> {
  const narrow = [['stream', id]] as const;
  const { messages } = await api.getMessages({ anchor: 'newest', num_before: 1000, num_after: 0, narrow });
  return messages.filter(({ subject }) => subject !== 'stream events').map((message) => message.id);
}

const deleted = async (person: TestUser) =>
  (await person.takeEvents('delete_message')).map(({ message_ids }) => message_ids);

// shows: 4.5.2
test('all messages of the topic are deleted, whatever its case and the spaces around it, and no others', async () => {
  const admin = await chat.user('iago', { role: 'admin' });
  const room = await createStreamFixture(chat);
  const ids = [await room.send(room.ada), await room.send(room.ben, 'hi', 'SOUP')];
  const other = await room.send(room.ada, 'butter', 'bread');
  await room.discardEvents();
  expect(await admin.api.deleteTopic({ stream_id: room.id, topic_name: ' sOuP ' })).toEqual({ complete: true });
  expect(await room.ben.takeEvents()).toEqual([
    {
      id: expect.any(Number),
      type: 'delete_message',
      message_type: 'stream',
      message_ids: ids,
      stream_id: room.id,
      topic: 'soup',
    },
  ]);
  expect(await seen(room.ben, room)).toEqual([other]);
  const { topics } = await room.ben.api.getStreamTopics({ stream_id: room.id });
  expect(topics.map(({ name }) => name)).toEqual(['bread', 'stream events']);
});

// shows: 4.5.6
test('deleting a topic that does not exist, or has no messages, succeeds', async () => {
  const room = await createStreamFixture(chat);
  const deleteTopic = () => chat.owner.api.deleteTopic({ stream_id: room.id, topic_name: 'soup' });
  expect(await deleteTopic()).toEqual({ complete: true });
  await fill(room, 1);
  expect([await deleteTopic(), await deleteTopic()]).toEqual([{ complete: true }, { complete: true }]);
  expect(await room.ben.takeEvents('delete_message')).toHaveLength(1);
});

// shows: 4.5.1, 4.5.7, 5.6, 7.21
test('only administrators delete topics, and this is checked first', async () => {
  const room = await createStreamFixture(chat);
  const ids = await fill(room, 2);
  const users = [room.ada, await chat.user('mod', { role: 'moderator' }), await chat.user('gus', { role: 'guest' })];
  for (const { api } of users) {
    for (const request of [{ stream_id: room.id, topic_name: 'soup' }, { stream_id: 987_654 } as never])
      await expectError('UNAUTHORIZED_PRINCIPAL', api.deleteTopic(request), /administrator/);
  }
  await expectError(
    'REQUEST_VARIABLE_MISSING',
    chat.owner.api.deleteTopic({ stream_id: room.id } as never),
    /topic_name/,
  );
  expect([await seen(room.ben, room), await deleted(room.ben)]).toEqual([ids, []]);
  const { owner } = chat;
  expect(await owner.api.deleteTopic({ stream_id: room.id, topic_name: 'soup' })).toEqual({ complete: true });
});

test('for administrators without a subscription a private stream is unknown, whether the topic exists or not', async () => {
  const room = await createStreamFixture(chat, [], shared);
  const ids = await fill(room, 2);
  for (const role of ['admin', 'owner'] as const) {
    const person = await chat.user('iago', { role });
    const deleteTopic = (stream_id: number, topic_name: string) =>
      expectError('BAD_REQUEST', person.api.deleteTopic({ stream_id, topic_name }), new RegExp(String(stream_id)));
    const missing = await deleteTopic(987_654, 'soup');
    for (const topic of ['soup', 'bread']) {
      const { msg } = await deleteTopic(room.id, topic);
      expect(msg.replace(String(room.id), '987654')).toBe(missing.msg);
    }
  }
  expect([await seen(room.ben, room), await deleted(room.ben)]).toEqual([ids, []]);
});

// shows: 4.5.3
test('batches of a hundred are deleted one after the other, newest first, each with its event', async () => {
  const room = await createStreamFixture(chat);
  const ids = await fill(room, 230);
  const { ben } = room;
  const queue = await ben.api.registerQueue({ event_types: ['delete_message'], fetch_event_types: [] });
  const deleting = chat.owner.api.deleteTopic({ stream_id: room.id, topic_name: 'soup' });
  const heard: number[][] = [];
  let { last_event_id } = queue;
  while (heard.flat().length < ids.length) {
    const { events } = await ben.api.getEvents({ queue_id: queue.queue_id, last_event_id });
    const left = await seen(ben, room);
    for (const event of events) {
      if (event.type !== 'delete_message') throw new Error(`Received an event of type ${event.type}.`);
      heard.push(event.message_ids);
      last_event_id = event.id;
      expect(left.filter((id) => event.message_ids.includes(id))).toEqual([]);
    }
  }
  expect(await deleting).toEqual({ complete: true });
  expect(heard).toEqual([ids.slice(130), ids.slice(30, 130), ids.slice(0, 30)]);
});

test('messages that are sent meanwhile, also to the same topic, stay', async () => {
  const room = await createStreamFixture(chat);
  await fill(room, 250);
  const { ada, ben, id: stream_id, send } = room;
  const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['delete_message'] });
  const deleting = chat.owner.api.deleteTopic({ stream_id, topic_name: 'soup' });
  await ben.api.getEvents({ queue_id, last_event_id });
  const late = [await send(ada, 'more'), await send(ben, 'butter', 'bread')];
  expect(await deleting).toEqual({ complete: true });
  expect(await seen(ben, room)).toEqual(late);
});

// shows: 4.5.4, 4.5.5, 8.10, 9.14
test('when the time is up the response says that it is incomplete; repeated requests complete it', async () => {
  const room = await createStreamFixture(hasty);
  const ids = await fill(room, 201);
  const { owner } = hasty;
  const request = { stream_id: room.id, topic_name: 'soup' };
  expect(await owner.api.deleteTopic(request)).toEqual({ complete: false });
  expect(await seen(room.ben, room)).toEqual(ids.slice(0, 101));
  expect(await owner.api.deleteTopic(request)).toEqual({ complete: false });
  expect(await owner.api.deleteTopic(request)).toEqual({ complete: true });
  expect(await seen(room.ben, room)).toEqual([]);
  expect(await deleted(room.ben)).toEqual([ids.slice(101), ids.slice(1, 101), ids.slice(0, 1)]);
});

test('it ignores an Idempotency-Key: a repeat with the same key continues', async () => {
  const room = await createStreamFixture(hasty);
  await fill(room, 200);
  const deleting = () =>
    hasty.owner.api.deleteTopic({ stream_id: room.id, topic_name: 'soup' }, { idempotencyKey: 'away' });
  expect([await deleting(), await deleting()]).toEqual([{ complete: false }, { complete: true }]);
});

// shows: 4.5.6
test('when the time is up with the last message, the response says that it is complete', async () => {
  const room = await createStreamFixture(hasty);
  await fill(room, 100);
  expect(await hasty.owner.api.deleteTopic({ stream_id: room.id, topic_name: 'soup' })).toEqual({ complete: true });
});

test('in protected history only messages that the administrator received are deleted, and the response is complete', async () => {
  const room = await createStreamFixture(chat, [], guarded);
  const before = await fill(room, 2);
  const admin = await chat.user('iago', { role: 'admin' });
  await room.ada.api.subscribe({ subscriptions: [{ name: room.name }], principals: [admin.id] });
  const after = await fill(room, 2);
  await room.discardEvents();
  expect(await admin.api.deleteTopic({ stream_id: room.id, topic_name: 'soup' })).toEqual({ complete: true });
  expect([await deleted(room.ben), await seen(room.ben, room)]).toEqual([[after], before]);
  expect(await admin.api.deleteTopic({ stream_id: room.id, topic_name: 'soup' })).toEqual({ complete: true });
  expect([await deleted(room.ben), await seen(room.ben, room)]).toEqual([[], before]);
});
