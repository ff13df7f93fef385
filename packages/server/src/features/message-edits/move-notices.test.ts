// Messages of the Notification Bot about moves (docs/behaviour/messages.md#notices-of-moves).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import {
  addMembers,
  createRoom,
  discardEvents,
  flagsOf,
  notesIn,
  PROTECTED,
  post,
  postSeveral,
  type Room,
  SHARED,
} from '../../../test/rooms.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
});
afterAll(() => chat.close());

const both = { send_notification_to_old_thread: true, send_notification_to_new_thread: true };

async function createFixture() {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [here, there] = [await createRoom(chat, [ada, ben]), await createRoom(chat, [ada, ben])];
  const ids = await postSeveral([ben], here, 3);
  const move = (n: number, how: object) => ada.api.updateMessage({ message_id: ids[n] ?? 0, ...both, ...how });
  return { ada, ben, here, there, ids, move };
}

const by = ({ full_name, id }: TestUser) => `by @_**${full_name}|${id}**.`;
const at = ({ name }: Room, topic: string) => `#**${name}>${topic}**`;
const linked = ({ id, name }: Room, topic: string, message_id = 0) =>
  `[A message](${chat.realm.url}/#narrow/stream/${id}-${name.replace(' ', '-')}/topic/${topic}/near/${message_id})`;

type Fixture = Awaited<ReturnType<typeof createFixture>>;
type Says = (scene: Fixture) => string[];

// shows: 4.4.10, 4.4.11
test.each<[string, number, object, Says, Says]>([
  [
    'a whole topic gets a new name',
    0,
    { propagate_mode: 'change_all' },
    ({ here, ada }) => [`This topic was moved to ${at(here, 'stew')} ${by(ada)}`],
    ({ here, ada }) => [`This topic was moved here from ${at(here, 'soup')} ${by(ada)}`],
  ],
  [
    'all that is left of a topic moves as the later messages',
    0,
    { propagate_mode: 'change_later' },
    ({ here, ada }) => [`This topic was moved to ${at(here, 'stew')} ${by(ada)}`],
    ({ here, ada }) => [`This topic was moved here from ${at(here, 'soup')} ${by(ada)}`],
  ],
  [
    'one message moves',
    1,
    {},
    ({ here, ada }) => [`A message was moved from this topic to ${at(here, 'stew')} ${by(ada)}`],
    ({ here, ada, ids }) => [`${linked(here, 'stew', ids[1])} was moved here from ${at(here, 'soup')} ${by(ada)}`],
  ],
  [
    'the last message moves with those after it, of which there are none',
    2,
    { propagate_mode: 'change_later' },
    ({ here, ada }) => [`A message was moved from this topic to ${at(here, 'stew')} ${by(ada)}`],
    ({ here, ada, ids }) => [`${linked(here, 'stew', ids[2])} was moved here from ${at(here, 'soup')} ${by(ada)}`],
  ],
  [
    'several messages move',
    1,
    { propagate_mode: 'change_later' },
    ({ here, ada }) => [`2 messages were moved from this topic to ${at(here, 'stew')} ${by(ada)}`],
    ({ here, ada }) => [`2 messages were moved here from ${at(here, 'soup')} ${by(ada)}`],
  ],
])(
  'when %s, the notice in the old topic says what left and that in the new one what came',
  async (_what, n, how, old, young) => {
    const made = await createFixture();
    await made.move(n, { topic: 'stew', ...how });
    expect(await notesIn(made.ada, made.here, 'soup')).toEqual(old(made));
    expect(await notesIn(made.ada, made.here, 'stew')).toEqual(young(made));
  },
);

test('for a topic merged into one with messages, the notice there has the number of messages', async () => {
  const { ada, here, move } = await createFixture();
  await post(ada, here, 'stew');
  await move(0, { topic: 'stew', propagate_mode: 'change_all' });
  expect(await notesIn(ada, here, 'soup')).toEqual([`This topic was moved to ${at(here, 'stew')} ${by(ada)}`]);
  expect(await notesIn(ada, here, 'stew')).toEqual([`3 messages were moved here from ${at(here, 'soup')} ${by(ada)}`]);
});

test('between streams the notices are the same, and each links the other stream', async () => {
  const { ada, here, there, ids, move } = await createFixture();
  await move(0, { stream_id: there.id });
  await move(1, { stream_id: there.id, topic: 'stew', propagate_mode: 'change_all' });
  expect(await notesIn(ada, there, 'soup')).toEqual([
    `${linked(there, 'soup', ids[0])} was moved here from ${at(here, 'soup')} ${by(ada)}`,
  ]);
  // The notice of the first move was a message of the topic, too.
  expect(await notesIn(ada, there, 'stew')).toEqual([
    `A message was moved from this topic to ${at(there, 'soup')} ${by(ada)}`,
    `This topic was moved here from ${at(here, 'soup')} ${by(ada)}`,
  ]);
  expect(await notesIn(ada, here, 'soup')).toEqual([`This topic was moved to ${at(there, 'stew')} ${by(ada)}`]);
});

test('when hidden messages stay behind, the notices have the number of messages that moved', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [here, there] = [await createRoom(chat, [ada], PROTECTED), await createRoom(chat, [ben])];
  await postSeveral([ada], here, 2);
  await addMembers(ada, here, ben);
  const ids = await postSeveral([ada], here, 2);
  const move = { stream_id: there.id, propagate_mode: 'change_all', ...both } as const;
  await ben.api.updateMessage({ message_id: ids[0] ?? 0, ...move });
  expect(await notesIn(ben, there, 'soup')).toEqual([`2 messages were moved here from another stream ${by(ben)}`]);
  expect(await notesIn(ada, here, 'soup')).toEqual([
    `2 messages were moved from this topic to ${at(there, 'soup')} ${by(ben)}`,
  ]);
});

test('a notice names no private stream, and no topic of it, in the topic of another stream', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [open, closed] = [await createRoom(chat, [ada, ben]), await createRoom(chat, [ada], SHARED)];
  const move = (message_id: number, { id }: Room) =>
    ada.api.updateMessage({ message_id, stream_id: id, propagate_mode: 'change_all', ...both });
  await move(await post(ada, closed, 'secret plans'), open);
  expect(await notesIn(ben, open, 'secret plans')).toEqual([
    `This topic was moved here from another stream ${by(ada)}`,
  ]);
  await move(await post(ada, open, 'stew'), closed);
  expect(await notesIn(ben, open, 'stew')).toEqual([`This topic was moved to another stream ${by(ada)}`]);
  await ada.api.updateMessage({ message_id: await post(ada, closed, 'more plans'), topic: 'plans', ...both });
  expect(await notesIn(ada, closed, 'plans')).toEqual([
    `This topic was moved here from ${at(closed, 'more plans')} ${by(ada)}`,
  ]);
});

// shows: 4.4.10 [by default a notice in the new topic alone], 4.4.10 [one in the old topic on request]
// shows: 4.4.11 [by default a notice in the new topic alone], 4.4.11 [none on request]
test.each([
  ['by default a notice in the new topic alone', {}, [0, 1]],
  ['one in the old topic on request', { send_notification_to_old_thread: true }, [1, 1]],
  ['none on request', { send_notification_to_new_thread: false }, [0, 0]],
  ['the old one alone', { send_notification_to_old_thread: true, send_notification_to_new_thread: false }, [1, 0]],
])('%s', async (_what, params, [old, young]) => {
  const { ada, here, there, ids } = await createFixture();
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, topic: 'stew', ...params });
  expect(await notesIn(ada, here, 'soup')).toHaveLength(old ?? 0);
  expect(await notesIn(ada, here, 'stew')).toHaveLength(young ?? 0);
  await ada.api.updateMessage({ message_id: ids[1] ?? 0, stream_id: there.id, ...params });
  expect(await notesIn(ada, here, 'soup')).toHaveLength(2 * (old ?? 0));
  expect(await notesIn(ada, there, 'soup')).toHaveLength(young ?? 0);
});

test('a notice is an unread message of the Notification Bot to all subscribers, and mentions no user', async () => {
  const { ada, ben, here, ids } = await createFixture();
  await discardEvents(ada, ben);
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, topic: 'stew', propagate_mode: 'change_all' });
  for (const person of [ada, ben]) {
    const [event, ...others] = await person.takeEvents('message');
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      flags: [],
      message: { sender_full_name: 'Notification Bot', subject: 'stew', stream_id: here.id, type: 'stream' },
    });
    expect(event?.message.content).toContain('class="user-mention silent"');
    expect(event?.message.content).toContain(`data-user-id="${ada.id}"`);
    expect(event?.message.content).toContain('/topic/soup"');
  }
  expect(await ben.takeEvents('update_message_flags')).toEqual([]);
});

test('a notice in a private stream is for its subscribers only', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const [here, there] = [await createRoom(chat, [ada, cleo]), await createRoom(chat, [ada, ben], SHARED)];
  const message_id = await post(ada, here);
  await discardEvents(ada, ben, cleo);
  await ada.api.updateMessage({ message_id, stream_id: there.id, ...both });
  expect((await ben.takeEvents('message')).map(({ message }) => message.stream_id)).toEqual([there.id]);
  expect((await cleo.takeEvents('message')).map(({ message }) => message.stream_id)).toEqual([here.id]);
  const note = (await ada.takeEvents('message')).find(({ message }) => message.stream_id === there.id)?.message.id ?? 0;
  expect([await flagsOf(ben, [note]), await flagsOf(cleo, [note])]).toEqual([[[]], [undefined]]);
});

test('a topic whose name would break a link is linked by its URL, and shown with its name', async () => {
  const { ada, here, ids } = await createFixture();
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, topic: 'a **b** `c` @**all**', ...both });
  const [left = ''] = await notesIn(ada, here, 'soup');
  expect(left).toContain(`(${chat.realm.url}/#narrow/stream/${here.id}-`);
  const { messages } = await ada.api.getMessages({ anchor: 'newest', num_before: 1, num_after: 0 });
  expect(messages[0]?.content).toContain(`#${here.name} &gt; a **b** \`c\` @**all**</a>`);
  expect(messages[0]?.flags).toEqual([]);
});

test('no notice is written when nothing moves, or when a move fails', async () => {
  const { ada, here, ids } = await createFixture();
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, stream_id: here.id, ...both });
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, stream_id: 9_000_000, ...both }).catch(() => undefined);
  expect(await notesIn(ada, here, 'soup')).toEqual([]);
});
