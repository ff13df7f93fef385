// Concurrent large moves, and requests about the messages meanwhile: each succeeds and stays consistent, or fails.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { followLocations, listMessageLocations, runConcurrently } from '../../../test/message-locations.ts';
import { createRoom, insertMessagesAfter, post, type Room, star, starredOf } from '../../../test/rooms.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
});
afterAll(() => chat.close());

const quiet = { send_notification_to_new_thread: false, propagate_mode: 'change_all' } as const;

async function createFixture() {
  // Their queues begin after the messages were sent.
  const users = await Promise.all(['ada', 'ben', 'cy'].map((name) => chat.user(name, { mirrored: false })));
  const [ada, ben, cy] = users as [TestUser, TestUser, TestUser];
  const [here, there, third] = [
    await createRoom(chat, [ada, ben, cy]),
    await createRoom(chat, [ada, ben, cy]),
    await createRoom(chat, [ada, ben, cy]),
  ];
  return { ada, ben, cy, here, there, third, rooms: [here, there, third] };
}

/** Inserts this many messages in a topic; returns the ids. */
const many = async (by: TestUser, room: Room, count: number, topic?: string) =>
  insertMessagesAfter(chat, await post(by, room, topic), count - 1);

/** The ids that a follower does not have. `expect.arrayContaining` compares each with each. */
const missing = (ids: readonly number[], locations: ReadonlyMap<number, unknown>) =>
  ids.filter((id) => !locations.has(id));

/** Asserts that the tables agree on the conversation, the topic and the number of each message. */
async function isSound(): Promise<void> {
  const astray = await rows(
    chat.database.db,
    sql`select r.id from reactions r join messages m on m.realm_id = r.realm_id and m.id = r.message_id where r.topic_id is distinct from m.topic_id
        union all
        select m.id from messages m join topics t on t.realm_id = m.realm_id and t.id = m.topic_id where t.conversation_id <> m.conversation_id
        union all
        select m.id from messages m join conversations c on c.realm_id = m.realm_id and c.id = m.conversation_id where m.seq > c.last_seq`,
  );
  expect(astray).toEqual([]);
}

type Made = Awaited<ReturnType<typeof createFixture>>;
const meetings: [string, (made: Made, own: number, theirs: number) => [object, object]][] = [
  ['of one topic to two streams', ({ there, third }) => [{ stream_id: there.id }, { stream_id: third.id }]],
  ['of one topic to one stream', ({ there }) => [{ stream_id: there.id }, { stream_id: there.id }]],
  ['of one topic to a stream and to another topic', ({ there }) => [{ stream_id: there.id }, { topic: 'known' }]],
];

test.each(meetings)(
  'two concurrent moves of 1,200 messages %s: each message is in one place',
  async (_what, changesOf) => {
    const made = await createFixture();
    const { ada, ben, cy, here, rooms } = made;
    await post(ada, here, 'known');
    const ids = await many(ada, here, 1200);
    const [one, other] = changesOf(made, ids[0] ?? 0, ids[9] ?? 0);
    const followers = await Promise.all([ada, ben, cy].map((person) => followLocations(person, rooms)));
    const done = await runConcurrently([
      () => ada.api.updateMessage({ message_id: ids[0] ?? 0, ...quiet, ...one }),
      () => ben.api.updateMessage({ message_id: ids[9] ?? 0, ...quiet, ...other }),
    ]);
    expect(done).toContain(true);
    for (const follower of followers) expect(missing(ids, await follower.catchesUp())).toEqual([]);
    const locations = await listMessageLocations(cy, rooms);
    expect(new Set(ids.map((id) => locations.get(id))).size).toBe(1);
    await isSound();
  },
);

test.each([
  ['topics of the same name', 'soup', 'soup'],
  ['topics of other names', 'soup', 'stew'],
])(
  'two streams that swap %s of 1,200 messages concurrently: each message is in one place',
  async (_what, own, theirs) => {
    const { ada, ben, cy, here, there, rooms } = await createFixture();
    const [ours, others] = [await many(ada, here, 1200, own), await many(ben, there, 1200, theirs)];
    const followers = await Promise.all([ada, ben, cy].map((person) => followLocations(person, rooms)));
    const done = await runConcurrently([
      () => ada.api.updateMessage({ message_id: ours[0] ?? 0, stream_id: there.id, ...quiet }),
      () => ben.api.updateMessage({ message_id: others[0] ?? 0, stream_id: here.id, ...quiet }),
    ]);
    expect(done).toContain(true);
    for (const follower of followers) expect(missing([...ours, ...others], await follower.catchesUp())).toEqual([]);
    await isSound();
  },
);

test.each([
  ['into another stream', ({ there }: Made) => ({ stream_id: there.id })],
  ['into another topic', () => ({ topic: 'known' })],
] as const)(
  'users react, star, write, read and delete while 1,600 messages move %s: each request succeeds or fails as a whole',
  async (_what, to) => {
    const made = await createFixture();
    const { ada, ben, cy, here, there, rooms } = made;
    await post(ada, here, 'known');
    const ids = await many(ada, here, 1600);
    const follower = await followLocations(cy, rooms);
    const some = [1, 500, 1099, 1599].map((n) => ids[n] ?? 0);
    const sent: number[] = [];
    const send = (room: Room, topic?: string) => async () => void sent.push(await post(ben, room, topic));
    const things = [
      () => ada.api.updateMessage({ message_id: ids[0] ?? 0, ...quiet, ...to(made) }),
      ...some.map((message_id) => () => ben.api.addReaction({ message_id, emoji_name: 'tada' })),
      ...some.map((id) => () => star(cy, id)),
      ...[send(here), send(there), send(here, 'known'), send(there), send(here)],
      () => cy.api.markTopicAsRead({ stream_id: here.id, topic_name: 'soup' }),
      () => chat.owner.api.deleteMessage({ message_id: ids[700] ?? 0 }),
    ];
    const done = await runConcurrently(things);
    expect(done[0], 'the move succeeded').toBe(true);
    expect(sent, 'messages that were sent').toHaveLength(5);
    const locations = await follower.catchesUp();
    const isDeleted = done.at(-1);
    const left = ids.filter((_id, n) => n !== 700 || !isDeleted);
    expect(missing([...left, ...sent], locations)).toEqual([]);
    expect(locations.has(ids[700] ?? 0)).toBe(!isDeleted);
    const reacted = some.filter((_id, n) => done[1 + n]);
    for (const message_id of some) {
      const { message } = await cy.api.getMessage({ message_id });
      expect(message.reactions.map(({ user_id }) => user_id)).toEqual(reacted.includes(message_id) ? [ben.id] : []);
    }
    expect(await starredOf(cy)).toEqual(some.filter((_id, n) => done[1 + some.length + n]));
    await isSound();
  },
);
