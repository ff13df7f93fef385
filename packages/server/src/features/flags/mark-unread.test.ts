// A message that a user has in their history without having received it, because they marked it unread or starred it,
// is treated like a received one: also where history is protected.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
});
afterAll(() => chat.close());

let made = 0;
const ways = { unread: ['remove', 'read'], starred: ['add', 'starred'] } as const;
type Way = keyof typeof ways;

/**
 * Of four old messages in a topic, Ben starred the second and the third, or marked them as unread, before the stream's
 * history became protected.
 */
async function createFixture(way: Way) {
  const [ada, ben] = [await chat.user('ada', { role: 'admin' }), await chat.user('ben')];
  const name = `opened ${made++}`;
  const stream_id = await chat.stream(name, { by: ada });
  const ids: number[] = [];
  for (const content of ['first', 'second', 'third', 'fourth'])
    ids.push(await chat.message({ from: ada, to: name, topic: 'old', content }));
  const flagged = ids.slice(1, 3);
  await ben.api.subscribe({ subscriptions: [{ name }] });
  const [op, flag] = ways[way];
  await ben.api.updateMessageFlags({ messages: flagged, op, flag });
  await ada.api.updateStream({ stream_id, is_private: true, history_public_to_subscribers: false });
  const elsewhere = async (settings: { invite_only?: boolean; members?: TestUser[] }) => {
    const id = await chat.stream(`elsewhere ${made++}`, { by: ada, ...settings });
    for (const person of [ada, ben]) await person.takeEvents();
    return id;
  };
  for (const person of [ada, ben]) await person.takeEvents();
  return { ada, ben, stream_id, ids, flagged, elsewhere };
}

const heardOf = async (person: TestUser) =>
  (await person.takeEvents('update_message', 'delete_message')).map(({ type, message_ids }) => [type, message_ids]);

describe.each(Object.keys(ways) as Way[])(
  'a user who has messages in their history that they never received, as %s',
  (way) => {
    test('finds them and their topic', async () => {
      const { ben, stream_id, flagged } = await createFixture(way);
      const narrow = [['stream', stream_id]] as const;
      const { messages } = await ben.api.getMessages({ anchor: 'oldest', num_before: 0, num_after: 9, narrow });
      expect(messages.map(({ id }) => id).slice(0, 2)).toEqual(flagged);
      const { topics } = await ben.api.getStreamTopics({ stream_id });
      expect(topics).toContainEqual({ name: 'old', max_id: flagged[1] });
    });

    test('receives the deletion of one, and not of others', async () => {
      const { ada, ben, ids, flagged } = await createFixture(way);
      for (const message_id of ids.slice(0, 2)) await ada.api.deleteMessage({ message_id });
      expect(await heardOf(ben)).toEqual([['delete_message', flagged.slice(0, 1)]]);
    });

    test('receives their deletion with their topic', async () => {
      const { ada, ben, stream_id, flagged } = await createFixture(way);
      await ada.api.deleteTopic({ stream_id, topic_name: 'old' });
      expect(await heardOf(ben)).toEqual([['delete_message', flagged]]);
    });

    test('receives events of an edit and a reaction', async () => {
      const { ada, ben, flagged } = await createFixture(way);
      const [message_id = 0] = flagged;
      await ada.api.updateMessage({ message_id, content: 'new' });
      await ada.api.addReaction({ message_id, emoji_name: 'tada' });
      expect(await ben.takeEvents('update_message', 'reaction')).toMatchObject([
        { type: 'update_message', message_ids: [message_id], content: 'new' },
        { type: 'reaction', message_id },
      ]);
    });

    test.each([
      ['change_one', 1, [1]],
      ['change_later', 1, [1, 2]],
      ['change_later', 0, [1, 2]],
      ['change_all', 3, [1, 2]],
    ] as const)(
      'receives which of them move to another topic with %s from message %i on',
      async (propagate_mode, n, listed) => {
        const { ada, ben, ids } = await createFixture(way);
        await ada.api.updateMessage({ message_id: ids[n] ?? 0, topic: 'new', propagate_mode });
        expect(await heardOf(ben)).toEqual([['update_message', listed.map((at) => ids[at])]]);
      },
    );

    describe.each([
      ['change_one', 1, [1]],
      ['change_later', 1, [1, 2]],
      ['change_later', 0, [1, 2]],
      ['change_all', 3, [1, 2]],
    ] as const)('with %s from message %i on', (propagate_mode, n, listed) => {
      test('receives which of them move to another stream that they are in', async () => {
        const { ada, ben, ids, elsewhere } = await createFixture(way);
        const stream_id = await elsewhere({ members: [ben] });
        await ada.api.updateMessage({ message_id: ids[n] ?? 0, stream_id, propagate_mode });
        const [update] = await ben.takeEvents('update_message', 'delete_message');
        expect(update).toMatchObject({ type: 'update_message', new_stream_id: stream_id });
        expect(update?.message_ids).toEqual(expect.arrayContaining(listed.map((at) => ids[at])));
      });

      test('receives which of them move to a public stream that they are not in', async () => {
        const { ada, ben, ids, elsewhere } = await createFixture(way);
        const stream_id = await elsewhere({});
        await ada.api.updateMessage({ message_id: ids[n] ?? 0, stream_id, propagate_mode });
        const [update] = await ben.takeEvents('update_message', 'delete_message');
        expect(update).toMatchObject({ type: 'update_message', new_stream_id: stream_id });
        expect(update?.message_ids).toEqual(expect.arrayContaining(listed.map((at) => ids[at])));
      });

      test('receives the removal of those that move to a private stream that they are not in', async () => {
        const { ada, ben, ids, elsewhere } = await createFixture(way);
        const stream_id = await elsewhere({ invite_only: true });
        await ada.api.updateMessage({ message_id: ids[n] ?? 0, stream_id, propagate_mode });
        expect(await heardOf(ben)).toEqual([['delete_message', listed.map((at) => ids[at])]]);
      });
    });
  },
);
