// Concurrent requests: each sees a stream as it was before a change or as it is after it.
import { ParleyError } from '@parley/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { runInLockOrder } from '../../../test/lock-order.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.stream('lobby', { by: chat.owner });
});
afterAll(() => chat.close());

const ROUNDS = 8;
let made = 0;
const fresh = (name: string) => `${name} ${made++}`;
const admins = async () =>
  [await chat.user('amy', { role: 'admin' }), await chat.user('abe', { role: 'admin' })] as const;
/** The results of calls: undefined for success, else the status. */
const outcomes = (calls: Promise<unknown>[]) =>
  Promise.all(
    calls.map((call) =>
      call.then(
        () => undefined,
        (error: unknown) => (error instanceof ParleyError ? error.status : error),
      ),
    ),
  );

test('of two administrators who give two streams the same name, one succeeds and the other fails', async () => {
  const [amy, abe] = await admins();
  for (let round = 0; round < ROUNDS; round++) {
    const name = fresh('wanted');
    const ids = [await chat.stream(fresh('one'), { by: amy }), await chat.stream(fresh('two'), { by: abe })];
    const ended = await outcomes(
      [amy, abe].map((person, n) => person.api.updateStream({ stream_id: ids[n] ?? 0, new_name: name })),
    );
    expect(ended.sort()).toEqual([400, undefined]);
  }
});

test('of a rename and a subscription that creates a stream of that name, one stream has the name', async () => {
  const [amy, abe] = await admins();
  for (let round = 0; round < ROUNDS; round++) {
    const name = fresh('wanted');
    const stream_id = await chat.stream(fresh('one'), { by: amy });
    const [renamed, subscribed] = await outcomes([
      amy.api.updateStream({ stream_id, new_name: name }),
      abe.api.subscribe({ subscriptions: [{ name }] }),
    ]);
    expect([subscribed, [undefined, 400].includes(renamed as number)]).toEqual([undefined, true]);
    const { streams } = await amy.api.getStreams({});
    expect(streams.filter((stream) => stream.name === name)).toHaveLength(1);
  }
});

type Change = (by: TestUser, stream_id: number) => Promise<unknown>;
const changes: [string, Change][] = [
  ['becomes private', (by, stream_id) => by.api.updateStream({ stream_id, is_private: true })],
  ['is archived', (by, stream_id) => by.api.archiveStream({ stream_id })],
  ['is renamed', (by, stream_id) => by.api.updateStream({ stream_id, new_name: fresh('renamed') })],
];

test.each(changes)(
  'while a stream %s, requests to write, subscribe, unsubscribe, mute and star succeed or fail',
  async (_how, change) => {
    const [[amy], [ada, ben, cleo, dan]] = [await admins(), await chat.users('ada', 'ben', 'cleo', 'dan')];
    for (let round = 0; round < ROUNDS; round++) {
      const name = fresh('soup');
      const stream_id = await chat.stream(name, { by: amy, members: [ada, ben] });
      const sent = await chat.message({ from: ada, to: name });
      await ben.api.updateMessageFlags({ messages: [sent], op: 'add', flag: 'read' });
      const write = (from: TestUser) =>
        from.api.sendMessage({ type: 'stream', to: stream_id, topic: 'soup', content: 'hi' });
      const ended = await outcomes([
        write(ada),
        write(dan),
        change(amy, stream_id),
        ben.api.updateMessageFlags({ messages: [sent], op: 'remove', flag: 'read' }),
        dan.api.updateMessageFlags({ messages: [sent], op: 'add', flag: 'starred' }),
        cleo.api.subscribe({ subscriptions: [{ name }] }),
        dan.api.updateUserTopic({ stream_id, topic: 'soup', visibility_policy: 1 }),
        ada.api.unsubscribe({ subscriptions: [name] }),
      ]);
      expect(ended.filter((status) => status !== undefined && status !== 400)).toEqual([]);
    }
    // The mirror law, checked after this test, compares the states.
  },
);

type Loss = (by: TestUser, stream: { id: number; name: string }, sender: TestUser) => Promise<unknown>;
const losses: [string, boolean, Loss][] = [
  [
    'a private stream from which its sender is being removed',
    true,
    (by, { name }, { id }) => by.api.unsubscribe({ subscriptions: [name], principals: [id] }),
  ],
  [
    'a stream that is becoming private',
    false,
    (by, { id: stream_id }) => by.api.updateStream({ stream_id, is_private: true }),
  ],
  ['a stream that is being archived', false, (by, { id: stream_id }) => by.api.archiveStream({ stream_id })],
];

test.each(losses)('a message that waits for %s fails', async (_where, isPrivate, change) => {
  const [[amy], [ada]] = [await admins(), await chat.users('ada')];
  const name = fresh('soup');
  const members = isPrivate ? [ada] : [];
  const id = await chat.stream(name, { by: amy, members, invite_only: isPrivate });
  const [changed, sent] = await runInLockOrder(chat, [
    () => change(amy, { id, name }, ada),
    () => ada.api.sendMessage({ type: 'stream', to: id, topic: 'soup', content: 'hi' }),
  ]);
  expect(changed?.status).toBe('fulfilled');
  expect(sent).toMatchObject({ status: 'rejected', reason: { code: 'STREAM_DOES_NOT_EXIST' } });
});

test('a change takes the same few statements for any number of subscribers', async () => {
  const [amy] = await admins();
  const crowd = await Promise.all(Array.from({ length: 30 }, () => chat.user('eve', { mirrored: false })));
  const ids = [
    await chat.stream(fresh('small'), { by: amy, members: crowd.slice(0, 2) }),
    await chat.stream(fresh('large'), { by: amy, members: crowd }),
  ];
  const cost = async (change: Change) => {
    const [small = 0, large = 0] = ids;
    const few = await chat.statements(() => change(amy, small));
    expect(await chat.statements(() => change(amy, large))).toBe(few);
    return few;
  };
  const all = { description: 'Hot.', stream_post_policy: 2 as const };
  expect(await cost((by, stream_id) => by.api.updateStream({ stream_id, ...all }))).toBeLessThanOrEqual(30);
  expect(await cost((by, stream_id) => by.api.updateStream({ stream_id, is_private: true }))).toBeLessThanOrEqual(30);
  expect(await cost((by, stream_id) => by.api.updateStream({ stream_id, is_private: false }))).toBeLessThanOrEqual(30);
  expect(await cost((by, stream_id) => by.api.archiveStream({ stream_id }))).toBeLessThanOrEqual(15);
});
