// Tasks of several requests: moving, deleting and resolving topics, typing notifications, keeping a mirror.
import {
  createClient,
  createTypingNotifier,
  deleteTopic,
  type Mirrored,
  mirror,
  moveMessages,
  replyTo,
  resolveTopic,
} from '@parley/client';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../chat.ts';

let chat: Chat;
let anna: TestUser;
let ben: TestUser;
let stream_id: number;

beforeAll(async () => {
  // Batches have no time: each request does the least possible.
  chat = await startChat({ ownDatabase: true, budget: 0 });
  ({ 0: anna, 1: ben } = await chat.users('anna', 'ben'));
  stream_id = await chat.stream('kitchen', { by: anna, members: [ben, chat.owner] });
});
afterAll(() => chat.close());
afterEach(() => vi.useRealTimers());

const topicOf = async (message_id: number) => (await anna.api.getMessage({ message_id })).message.subject;
const message = (topic: string) => chat.message({ from: anna, to: 'kitchen', topic });

test('a whole topic is moved', async () => {
  const ids = [await message('starters'), await message('starters')];
  expect(await moveMessages(anna.api, { message_id: ids[0] ?? 0, topic: 'mains' })).toEqual({ complete: true });
  expect(await Promise.all(ids.map(topicOf))).toEqual(['mains', 'mains']);
});

test('where a part of a topic is too old, nothing moves, and moveAllowed moves the rest', async () => {
  const old = await message('late');
  chat.clock.advance({ days: 30 });
  const young = await message('late');
  await chat.owner.api.updateRealm({ move_messages_within_stream_limit_seconds: 86_400 });
  const move = await moveMessages(anna.api, { message_id: old, topic: 'later' }, { idempotencyKey: 'move' });
  expect(move).toMatchObject({ complete: false, total: 2, allowed: 1 });
  expect(await topicOf(young)).toBe('late');
  if (!move.complete) await move.moveAllowed?.();
  expect([await topicOf(old), await topicOf(young)]).toEqual(['late', 'later']);
  const none = await moveMessages(anna.api, { message_id: old, topic: 'never' });
  expect(none).toEqual({ complete: false, total: 1, allowed: 0 });
  await chat.owner.api.updateRealm({ move_messages_within_stream_limit_seconds: 'unlimited' });
});

test('a topic is deleted to its last message, in as many requests as needed', async () => {
  for (let n = 0; n < 130; n++) await message('leftovers');
  let requests = 0;
  const counted = {
    deleteTopic: (async (params, options) => {
      requests++;
      return chat.owner.api.deleteTopic(params, options);
    }) as typeof anna.api.deleteTopic,
  };
  await deleteTopic(counted, { stream_id, topic_name: 'leftovers' });
  const { topics } = await anna.api.getStreamTopics({ stream_id });
  expect(topics.map(({ name }) => name)).not.toContain('leftovers');
  expect(requests).toBeGreaterThan(1);
  await expectError('UNAUTHORIZED_PRINCIPAL', deleteTopic(anna.api, { stream_id, topic_name: 'leftovers' }));
});

test('a topic is resolved and unresolved, and the present state is kept', async () => {
  const message_id = await message('oven');
  expect(await resolveTopic(anna.api, { message_id })).toBe('✔ oven');
  expect(await resolveTopic(anna.api, { message_id })).toBe('✔ oven');
  expect(await topicOf(message_id)).toBe('✔ oven');
  expect(await resolveTopic(anna.api, { message_id, resolved: false })).toBe('oven');
  expect(await topicOf(message_id)).toBe('oven');
});

test('a reply to a message in a stream goes to its topic', async () => {
  const message_id = await message('starters');
  const { message: heard } = await ben.api.getMessage({ message_id });
  expect(replyTo(heard)).toEqual({ type: 'stream', to: stream_id, topic: 'starters' });
  const { id } = await ben.api.sendMessage({ ...replyTo(heard), content: 'soup' });
  const { message: reply } = await anna.api.getMessage({ message_id: id });
  expect(reply).toMatchObject({ type: 'stream', stream_id, display_recipient: 'kitchen', subject: 'starters' });
});

test('a reply to a direct message goes to all its users', async () => {
  const message_id = await chat.message({ from: anna, to: [ben, chat.owner] });
  const { message: heard } = await ben.api.getMessage({ message_id });
  const { id } = await ben.api.sendMessage({ ...replyTo(heard), content: 'soup' });
  const { message: reply } = await chat.owner.api.getMessage({ message_id: id });
  expect(reply).toMatchObject({ type: 'private', recipient_id: heard.recipient_id });
  expect(reply).not.toHaveProperty('stream_id');
  expect(replyTo(reply).to).toEqual(expect.arrayContaining([anna.id, ben.id, chat.owner.id]));
});

test('typing is notified at first, again after the interval, and stopped after a pause, sending or another topic', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const sent: string[] = [];
  const typing = createTypingNotifier({
    setTyping: async ({ op, topic }) => {
      sent.push(`${op} ${topic}`);
      return {};
    },
  });
  const type = (topic: string) => typing.typed({ type: 'stream', stream_id, topic });
  type('soup');
  for (let second = 0; second < 29; second += 10) {
    await vi.advanceTimersByTimeAsync(10_000);
    type('soup');
  }
  type('bread');
  await vi.advanceTimersByTimeAsync(12_000);
  typing.stop();
  type('salad');
  typing.stop();
  await vi.advanceTimersByTimeAsync(0);
  const bread = ['stop soup', 'start bread', 'stop bread'];
  expect(sent).toEqual(['start soup', 'start soup', ...bread, 'start salad', 'stop salad']);
});

test('stop is sent only after the response to start', async () => {
  const sent: string[] = [];
  const answers: (() => void)[] = [];
  const typing = createTypingNotifier({
    setTyping: ({ op }, { timeout = Number.POSITIVE_INFINITY } = {}) => {
      expect(timeout).toBeLessThanOrEqual(10_000);
      sent.push(op);
      return new Promise((resolve) => answers.push(() => resolve({})));
    },
  });
  typing.typed({ to: [4] });
  typing.stop();
  await expect.poll(() => sent).toEqual(['start']);
  answers[0]?.();
  await expect.poll(() => sent).toEqual(['start', 'stop']);
});

test('others receive typing notifications', async () => {
  const cora = await chat.user('cora');
  const typing = createTypingNotifier(anna.api);
  typing.typed({ type: 'direct', to: [cora.id] });
  await expect.poll(() => cora.takeEvents('typing')).toMatchObject([{ op: 'start', sender: { user_id: anna.id } }]);
  typing.stop();
  await expect.poll(() => cora.takeEvents('typing')).toMatchObject([{ op: 'stop' }]);
});

test('a mirror equals the state of a new registration at any time', async () => {
  const ending = new AbortController();
  const states = mirror(createClient(chat.url, { login: anna }), {
    fetch_event_types: ['user_status', 'muted_users'],
    signal: ending.signal,
  });
  const first = (await states.next()).value as Mirrored;
  expect(first).toMatchObject({ state: { user_status: {}, muted_users: [] } });
  await anna.api.muteUser({ user_id: ben.id });
  const { state, event } = (await states.next()).value as Mirrored;
  expect(event).toMatchObject({ type: 'muted_users' });
  expect(state.muted_users).toMatchObject([{ id: ben.id }]);
  expect(state.user_status).toBe(first.state.user_status);
  ending.abort();
  expect((await states.next()).done).toBe(true);
});

test.each([{}, { include_subscribers: true }, { include_subscribers: false }])(
  'a mirror with %j equals a registration with it',
  async (options) => {
    const ending = new AbortController();
    const states = mirror(createClient(chat.url, { login: anna }), {
      ...options,
      fetch_event_types: ['subscription'],
      signal: ending.signal,
    });
    await states.next();
    await chat.stream(`cellar ${JSON.stringify(options)}`, { by: anna, members: [ben] });
    let { state } = (await states.next()).value as Mirrored;
    const fresh = async () =>
      (await anna.api.registerQueue({ ...options, fetch_event_types: ['subscription'] })).subscriptions;
    while (state.subscriptions?.length !== (await fresh())?.length)
      ({ state } = (await states.next()).value as Mirrored);
    expect(state.subscriptions).toStrictEqual(await fresh());
    ending.abort();
  },
);

test('a mirror that ends at its first state leaves no queue', async () => {
  let queue_id = '';
  for await (const { state } of mirror(createClient(chat.url, { login: anna }), { fetch_event_types: [] })) {
    queue_id = state.queue_id;
    break;
  }
  const isThere = () => anna.api.getEvents({ queue_id, last_event_id: -1, dont_block: true });
  await expect.poll(() => isThere().catch((error: { code: string }) => error.code)).toBe('BAD_EVENT_QUEUE_ID');
});
