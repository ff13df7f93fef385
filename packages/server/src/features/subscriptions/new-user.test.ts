import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.stream('lobby', { by: chat.owner });
});
afterAll(() => chat.close());

const named = (...names: string[]) => names.map((name) => ({ name }));
const id = expect.any(Number);

// shows: 4.1.12
test('a new default stream emits the list of default streams to all users but guests', async () => {
  const [ada, gus] = [await chat.user('ada'), await chat.user('gus', { role: 'guest' })];
  for (const person of [ada, gus]) await person.takeEvents();
  await chat.owner.api.subscribe({ subscriptions: named('welcome'), is_default_stream: true });
  const heard = await ada.takeEvents();
  expect(heard.map(({ type }) => type)).toEqual(['stream', 'default_streams', 'subscription']);
  const { realm_default_streams } = await ada.api.registerQueue({ fetch_event_types: ['default_streams'] });
  expect(heard[1]).toEqual({ id, type: 'default_streams', default_streams: realm_default_streams });
  expect(realm_default_streams).toMatchObject([{ name: 'welcome', is_default: true }]);
  expect(await gus.takeEvents()).toEqual([]);
});

// shows: 2.9
test('a new user is subscribed to the default streams, the others receive it, and bots only when named', async () => {
  await chat.owner.api.subscribe({ subscriptions: named('news', 'chatter'), is_default_stream: true });
  const ada = await chat.user('ada');
  await ada.takeEvents();
  const ben = await chat.user('ben');
  const robo = await chat.user('robo', { bot_of: ada });
  const { subscriptions } = await ben.api.getSubscriptions({ include_subscribers: true });
  expect(subscriptions.map(({ name }) => name)).toEqual(['chatter', 'news', 'welcome']);
  expect(new Set(subscriptions.map(({ color }) => color)).size).toBe(3);
  for (const { subscribers } of subscriptions) expect(subscribers).toContain(ben.id);
  expect((await robo.api.getSubscriptions({})).subscriptions).toEqual([]);
  const stream_ids = expect.arrayContaining(subscriptions.map(({ stream_id }) => stream_id));
  expect(await ada.takeEvents('subscription')).toEqual([
    { id, type: 'subscription', op: 'peer_add', stream_ids, user_ids: [ben.id] },
  ]);
});

test('a new user has recent messages of default streams, the newest twenty of them unread', async () => {
  const ada = await chat.user('ada');
  await ada.api.subscribe({ subscriptions: named('private soup') });
  await chat.message({ from: ada, to: 'welcome', content: 'too old' });
  chat.clock.advance({ days: 12 * 7 + 1 });
  const sent: number[] = [];
  for (let n = 0; n < 25; n++) sent.push(await chat.message({ from: ada, to: n % 2 === 0 ? 'welcome' : 'news' }));
  await chat.message({ from: ada, to: 'private soup' });

  const ben = await chat.user('ben');
  const { unread_msgs } = await ben.api.registerQueue({ fetch_event_types: ['update_message_flags'] });
  const unread = unread_msgs?.streams.flatMap(({ unread_message_ids }) => unread_message_ids).sort((a, b) => a - b);
  expect(unread).toEqual(sent.slice(5));
  const { messages } = await ben.api.getMessages({ anchor: 'newest', num_before: 100, num_after: 0 });
  expect(messages.map((message) => message.id)).toEqual(sent);
  expect(messages.filter(({ flags }) => flags?.includes('read')).map((message) => message.id)).toEqual(
    sent.slice(0, 5),
  );
});

test('a new user gets a thousand messages at most', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  chat.clock.advance({ days: 12 * 7 + 1 });
  const first = await chat.message({ from: ada, to: 'welcome' });
  await chat.act(({ db, realm, now }) => fill(db, realm.id, now, 1000));
  const ben = await chat.user('ben', { mirrored: false });
  const { messages } = await ben.api.getMessages({ anchor: 'oldest', num_before: 0, num_after: 2000 });
  expect(messages).toHaveLength(1000);
  expect(messages.map((message) => message.id)).not.toContain(first);
});

/** Inserts copies of the newest message directly: a thousand requests would take too long. */
async function fill(db: Chat['database']['db'], realm_id: number, now: Date, count: number): Promise<void> {
  const { sql } = await import('@parley/db/sql');
  await db.execute(
    sql`with model as (select * from messages where realm_id = ${realm_id} order by id desc limit 1),
        place as (
          update conversations c set last_seq = last_seq + ${count}::int from model
          where c.realm_id = ${realm_id} and c.id = model.conversation_id returning c.last_seq - ${count}::int as last_seq
        )
        insert into messages (realm_id, conversation_id, seq, topic_id, sender_id, content, rendered_content, client, sent_at,
          is_me_message, has_link, has_image, has_attachment, stream_wildcard)
        select m.realm_id, m.conversation_id, place.last_seq + n, m.topic_id, m.sender_id, m.content, m.rendered_content, m.client,
          ${now.toISOString()}::timestamptz, false, false, false, false, false
        from model m, place, generate_series(1, ${count}::int) n`,
  );
}
