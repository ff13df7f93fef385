// What a full collection must not prevent, and ways around its limit.
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { type Person, refused, startChat } from '../chat.ts';

const topicsOf = async ({ api }: Person) =>
  (await api.registerQueue({ fetch_event_types: ['user_topic'] })).user_topics ?? [];

test('a user with as many topics as the limit allows writes, reacts and is mentioned as before, and follows no more', async () => {
  const chat = await startChat({ collection_limits: { user_topics: 1 } });
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await chat.stream('kitchen', { by: ada, members: [ben] });
  await ben.api.updateSettings({ automatically_follow_topics_policy: 1 });
  await ben.api.updateUserTopic({ stream_id, topic: 'bread', visibility_policy: 2 });
  await ben.hears('user_topic');
  await chat.message({ from: ben, to: 'kitchen', topic: 'soup' });
  const message_id = await chat.message({ from: ada, to: 'kitchen', topic: 'wine', content: `@**${ben.full_name}**` });
  await ben.api.addReaction({ message_id, emoji_name: 'heart' });
  expect(await ben.hears('user_topic')).toEqual([]);
  expect(await topicsOf(ben)).toMatchObject([{ topic_name: 'bread', visibility_policy: 2 }]);
  // A policy that is there already may change.
  await ben.api.updateUserTopic({ stream_id, topic: 'bread', visibility_policy: 3 });
  expect(await topicsOf(ben)).toMatchObject([{ topic_name: 'bread', visibility_policy: 3 }]);
  await chat.close();
});

test('nobody gets more bots than the limit allows from another owner or from a reactivation', async () => {
  const chat = await startChat({ collection_limits: { bots: 1 } });
  const [ada, ben] = await chat.users('ada', 'ben');
  const botOf = async ({ api }: Person, short_name: string) =>
    (await api.createBot({ full_name: 'A Bot', short_name })).user_id;
  const first = await botOf(ada, 'first');
  const other = await botOf(ben, 'other');
  await refused('BAD_REQUEST', ada.api.updateBot({ bot_id: first, bot_owner_id: ben.id }), /\(limit "bots"\)/);
  await ada.api.deactivateBot({ bot_id: first });
  await botOf(ada, 'second');
  await refused('BAD_REQUEST', chat.owner.api.reactivateUser({ user_id: first }), /\(limit "bots"\)/);
  expect((await ada.api.getBots()).bots).toHaveLength(1);
  expect((await ben.api.getBots()).bots).toMatchObject([{ user_id: other }]);
  await chat.close();
});

test('a registration whose state the server cannot read leaves no queue behind', async () => {
  const chat = await startChat({ ownDatabase: true, collection_limits: { event_queues: 1 } });
  const ben = await chat.user('ben', { mirrored: false });
  await chat.database.db.execute(sql`alter table playgrounds rename to hidden_playgrounds`);
  await refused('INTERNAL_SERVER_ERROR', ben.api.registerQueue({}));
  await chat.database.db.execute(sql`alter table hidden_playgrounds rename to playgrounds`);
  const { queue_id } = await ben.api.registerQueue({});
  expect(queue_id).not.toBe('');
  await chat.close();
});
