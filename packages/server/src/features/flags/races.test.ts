import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { runInLockOrder } from '../../../test/lock-order.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

/** Runs requests in the order in which they take their locks; all must succeed. */
async function succeedInLockOrder(requests: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failed = (await runInLockOrder(chat, requests)).filter(({ status }) => status === 'rejected');
  expect(failed).toEqual([]);
}

test('a message sent while all is being marked as read is either read or delivered afterwards', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await chat.stream('kitchen', { by: ada, members: [ben] });
  await chat.message({ from: ada, to: 'kitchen' });
  await ben.takeEvents();
  await succeedInLockOrder([() => chat.message({ from: ada, to: 'kitchen' }), () => ben.api.markAllAsRead()]);
  const kinds = (await ben.takeEvents()).map(({ type }) => type);
  const { unread_msgs } = await ben.api.registerQueue({ fetch_event_types: ['update_message_flags'] });
  const isLast = kinds.indexOf('message') === kinds.length - 1;
  expect(kinds.toSorted()).toEqual(['message', 'update_message_flags']);
  expect(unread_msgs?.streams.map((one) => one.stream_id)).toEqual(isLast ? [stream_id] : []);
});

test('concurrent requests of one user to write, mark all as read and mark as unread do not deadlock', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await chat.stream('garden', { by: ada, members: [ben] });
  for (let round = 0; round < 5; round++) {
    const id = await chat.message({ from: ada, to: 'garden' });
    await Promise.all([
      ben.api.sendMessage({ type: 'stream', to: 'garden', topic: 'soup', content: 'hi', read_by_sender: true }),
      ben.api.markAllAsRead(),
      chat.message({ from: ada, to: 'garden' }),
      ben.api.markAllAsRead(),
      ben.api.updateMessageFlags({ messages: [id], op: 'remove', flag: 'read' }),
    ]);
  }
});

// An embedded database runs one transaction at a time: neither request can wait for the other.
test.runIf(onPostgres).each([
  [
    'starring',
    (ben: TestUser, id: number) => ben.api.updateMessageFlags({ messages: [id], op: 'add', flag: 'starred' }),
  ],
  [
    'marking as unread',
    (ben: TestUser, id: number) => ben.api.updateMessageFlags({ messages: [id], op: 'remove', flag: 'read' }),
  ],
  ['reacting to', (ben: TestUser, id: number) => ben.api.addReaction({ message_id: id, emoji_name: 'tada' })],
])('%s a message that is being deleted fails', async (_what, touch) => {
  const [ada, ben] = [await chat.user('ada', { role: 'admin' }), await chat.user('ben')];
  const name = `attic ${ada.id}`;
  await chat.stream(name, { by: ada });
  const id = await chat.message({ from: ada, to: name });
  // Ben has not received it: his request inserts the first row about him and the message.
  await ben.api.subscribe({ subscriptions: [{ name }] });
  await succeedInLockOrder([
    () => ada.api.deleteMessage({ message_id: id }),
    () => expectError('BAD_REQUEST', touch(ben, id)),
  ]);
});
