import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';
import { deactivateUser } from '../user-admin/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.stream('lobby', { by: chat.owner });
});
afterAll(() => chat.close());

let made = 0;
const fresh = (name: string) => `${name} ${made++}`;
const id = expect.any(Number);

test('when the last subscriber leaves a private stream it is archived, and deleted for all who saw it', async () => {
  const [ada, ben, dan] = await chat.users('ada', 'ben', 'dan');
  const amy = await chat.user('amy', { role: 'admin' });
  const secret = fresh('secret');
  const stream_id = await chat.stream(secret, { by: ada, members: [ben], invite_only: true });
  await ben.api.unsubscribe({ subscriptions: [secret] });
  const { stream } = await ada.api.getStream({ stream_id });
  for (const person of [ada, amy, dan]) await person.takeEvents();
  await ada.api.unsubscribe({ subscriptions: [secret] });
  const event = { id, type: 'stream', op: 'delete', streams: [stream] };
  expect(await ada.takeEvents('subscription', 'stream')).toEqual([
    { id, type: 'subscription', op: 'remove', subscriptions: [{ name: secret, stream_id }] },
    event,
  ]);
  expect(await amy.takeEvents('subscription', 'stream')).toEqual([event]);
  expect(await dan.takeEvents()).toEqual([]);
  for (const person of [ada, amy]) await expectError('BAD_REQUEST', person.api.getStream({ stream_id }));
  expect((await amy.api.getStreams({ include_all_active: true })).streams.map(({ name }) => name)).not.toContain(
    secret,
  );
});

test('the name of an archived stream can be used for a new one, which has nothing of the old one', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const secret = fresh('secret');
  const old = await chat.stream(secret, { by: ada, invite_only: true });
  await ada.api.unsubscribe({ subscriptions: [secret] });
  const { subscribed } = await ben.api.subscribe({ subscriptions: [{ name: secret }] });
  expect(subscribed).toEqual({ [ben.email]: [secret] });
  const { subscriptions } = await ben.api.getSubscriptions({});
  expect(subscriptions).toMatchObject([{ name: secret, invite_only: false }]);
  expect(subscriptions[0]?.stream_id).not.toBe(old);
});

test('a deactivated subscriber does not keep a private stream from being archived', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const secret = fresh('secret');
  const stream_id = await chat.stream(secret, { by: ada, members: [ben], invite_only: true });
  await chat.act((ctx) => deactivateUser(ctx, ben.id));
  await ada.api.unsubscribe({ subscriptions: [secret] });
  await expectError('BAD_REQUEST', chat.owner.api.getStream({ stream_id }));
});

test('a public stream stays, and can be joined again, when all subscribers have left', async () => {
  const ada = await chat.user('ada');
  const soup = fresh('soup');
  const stream_id = await chat.stream(soup, { by: ada });
  await ada.api.unsubscribe({ subscriptions: [soup] });
  expect((await ada.api.getStreamMembers({ stream_id })).subscribers).toEqual([]);
  expect((await ada.api.subscribe({ subscriptions: [{ name: soup }] })).subscribed).toEqual({ [ada.email]: [soup] });
});

test('topic policies are removed when a stream becomes invisible, and not restored afterwards', async () => {
  const [ada, amy] = [await chat.user('ada'), await chat.user('amy', { role: 'admin' })];
  const secret = fresh('secret');
  const stream_id = await chat.stream(secret, { by: chat.owner, members: [ada, amy], invite_only: true });
  for (const person of [ada, amy]) await chat.message({ from: person, to: secret, topic: `of ${person.name}` });
  for (const person of [ada, amy]) await person.takeEvents();
  const policies = async (person: typeof ada) =>
    (await person.api.registerQueue({ fetch_event_types: ['user_topic'] })).user_topics;
  expect(await policies(ada)).toMatchObject([{ stream_id, topic_name: 'of ada', visibility_policy: 3 }]);
  await chat.owner.api.unsubscribe({ subscriptions: [secret], principals: [ada.id, amy.id] });
  expect([await policies(ada), await policies(amy)]).toEqual([[], []]);
  // She still sees the stream, so an event has to remove the topic policy.
  expect(await amy.takeEvents('user_topic')).toMatchObject([{ stream_id, topic_name: 'of amy', visibility_policy: 0 }]);
  expect(await ada.takeEvents('user_topic')).toEqual([]);
  await chat.owner.api.subscribe({ subscriptions: [{ name: secret }], principals: [ada.id] });
  expect(await policies(ada)).toEqual([]);
});

test('subscribed, unsubscribed and never subscribed streams are three lists, with subscribers on request', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [now, then, never, hidden] = [fresh('now'), fresh('then'), fresh('never'), fresh('hidden')];
  for (const name of [now, then]) await chat.stream(name, { by: ada, members: [ben] });
  await chat.stream(never, { by: ben });
  await chat.stream(hidden, { by: ben, invite_only: true, members: [ada] });
  await ada.api.unsubscribe({ subscriptions: [then, hidden] });
  const state = await ada.api.registerQueue({ fetch_event_types: ['subscription'], include_subscribers: true });
  const listed = (list: readonly { name: string; subscribers?: number[] }[] = []) =>
    list
      .filter(({ name }) => [now, then, never, hidden].includes(name))
      .map(({ name, subscribers }) => [name, subscribers]);
  expect(listed(state.subscriptions)).toEqual([[now, [ada.id, ben.id]]]);
  expect(listed(state.unsubscribed)).toEqual([[then, [ben.id]]]);
  expect(listed(state.never_subscribed)).toEqual([[never, [ben.id]]]);
  const bare = await ada.api.registerQueue({ fetch_event_types: ['subscription'] });
  for (const list of [bare.subscriptions, bare.unsubscribed, bare.never_subscribed]) {
    for (const stream of list ?? []) expect(stream).not.toHaveProperty('subscribers');
  }
  expect((await ada.api.getSubscriptions({ include_subscribers: true })).subscriptions).toEqual(state.subscriptions);
  expect((await ada.api.getSubscriptions({})).subscriptions).toEqual(bare.subscriptions);
});
