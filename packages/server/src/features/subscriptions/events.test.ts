import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ web_public_streams_enabled: true });
  await chat.owner.api.updateRealm({ enable_spectator_access: true });
  await chat.stream('lobby', { by: chat.owner });
});
afterAll(() => chat.close());

let made = 0;
const fresh = (name: string) => `${name} ${made++}`;
const named = (...names: string[]) => names.map((name) => ({ name }));
/** The events that a user received, in order: `type` and `op`. */
const kinds = (events: readonly { type: string; op?: string }[]) =>
  events.map(({ type, op }) => (op ? `${type} ${op}` : type));
const id = expect.any(Number);

async function peers(person: TestUser) {
  const events = await person.takeEvents('subscription');
  return events.flatMap((event) =>
    event.op === 'peer_add' || event.op === 'peer_remove' ? [[event.op, event.stream_ids, event.user_ids]] : [],
  );
}

test('the creator of a public stream receives the stream, the subscription and the first message, in this order', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  for (const person of [ada, ben]) await person.takeEvents();
  const name = fresh('soup');
  await ada.api.subscribe({ subscriptions: [{ name, description: 'Hot.', color: '#abc' }] });
  const { subscriptions } = await ada.api.getSubscriptions({ include_subscribers: true });
  const { stream } = await ada.api.getStream({ stream_id: subscriptions[0]?.stream_id ?? 0 });
  const heard = await ada.takeEvents();
  expect(kinds(heard)).toEqual(['stream create', 'subscription add', 'message']);
  expect(heard[0]).toEqual({ id, type: 'stream', op: 'create', streams: [stream] });
  expect(heard[1]).toEqual({
    id,
    type: 'subscription',
    op: 'add',
    subscriptions: [
      {
        ...stream,
        color: '#abc',
        is_muted: false,
        in_home_view: true,
        pin_to_top: false,
        desktop_notifications: null,
        audible_notifications: null,
        push_notifications: null,
        email_notifications: null,
        wildcard_mentions_notify: null,
        subscribers: [ada.id],
      },
    ],
  });
  expect(heard[2]).toMatchObject({ type: 'message', message: { id: stream.first_message_id }, flags: ['read'] });

  const bystander = await ben.takeEvents();
  expect(bystander).toEqual([
    { id, type: 'stream', op: 'create', streams: [stream] },
    { id, type: 'subscription', op: 'peer_add', stream_ids: [stream.stream_id], user_ids: [ada.id] },
  ]);
});

// shows: 4.1.8
test('a new private stream is emitted to administrators and its subscribers', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const amy = await chat.user('amy', { role: 'admin' });
  const stream_id = await chat.stream(fresh('secret'), { by: ada, members: [ben], invite_only: true });
  expect(kinds(await ben.takeEvents('stream', 'subscription', 'message'))).toEqual([
    'stream create',
    'subscription add',
    'message',
  ]);
  expect(kinds(await amy.takeEvents('stream', 'subscription', 'message'))).toEqual([
    'stream create',
    'subscription peer_add',
  ]);
  expect(await cleo.takeEvents('stream', 'subscription', 'message')).toEqual([]);
  expect((await amy.api.getStreamMembers({ stream_id })).subscribers).toEqual([ada.id, ben.id]);
});

test('a new web-public stream is emitted to all users, guests too', async () => {
  const [gus, gil] = [await chat.user('gus', { role: 'guest' }), await chat.user('gil', { role: 'guest' })];
  await chat.stream(fresh('for gil'), { by: chat.owner, members: [gil] });
  const stream_id = await chat.stream(fresh('web'), { by: chat.owner, is_web_public: true, members: [gus] });
  const ofStream = (await gil.takeEvents('subscription')).filter((event) => event.op === 'peer_add');
  expect(ofStream).toEqual([
    { id, type: 'subscription', op: 'peer_add', stream_ids: [stream_id], user_ids: [chat.owner.id, gus.id] },
  ]);
  expect(kinds(await gil.takeEvents('stream'))).toEqual(['stream create', 'stream create']);
  expect(kinds(await gus.takeEvents('stream', 'subscription'))).toEqual(['stream create', 'subscription add']);
});

test('a user for whom subscribing makes a stream visible receives the stream first; others do not', async () => {
  const [ada, ben, amy] = [...(await chat.users('ada', 'ben')), await chat.user('amy', { role: 'admin' })];
  const gus = await chat.user('gus', { role: 'guest' });
  const [open, secret] = [fresh('open'), fresh('secret')];
  await chat.stream(open, { by: ada });
  await chat.stream(secret, { by: ada, invite_only: true });
  for (const person of [ben, amy, gus]) await person.takeEvents();
  await ada.api.subscribe({ subscriptions: named(open, secret), principals: [ben.id, amy.id, gus.id] });
  const created = async (person: TestUser) => {
    const heard = await person.takeEvents('stream', 'subscription');
    return [
      kinds(heard),
      heard.flatMap((event) =>
        event.type === 'stream' && event.op !== 'update' ? event.streams.map(({ name }) => name) : [],
      ),
    ];
  };
  expect(await created(gus)).toEqual([
    ['stream create', 'subscription add'],
    [open, secret],
  ]);
  expect(await created(ben)).toEqual([['stream create', 'subscription add'], [secret]]);
  expect(await created(amy)).toEqual([['subscription add'], []]);
});

test('in a private stream subscribers and administrators receive new subscribers, and no others do', async () => {
  const [ada, ben, cleo, dan] = await chat.users('ada', 'ben', 'cleo', 'dan');
  const amy = await chat.user('amy', { role: 'admin' });
  const name = fresh('secret');
  const stream_id = await chat.stream(name, { by: ada, members: [ben], invite_only: true });
  for (const person of [ada, ben, amy]) await person.takeEvents();
  await ada.api.subscribe({ subscriptions: named(name), principals: [cleo.id] });
  await ben.api.subscribe({ subscriptions: named(name), principals: [dan.id] });
  expect(await peers(ada)).toEqual([
    ['peer_add', [stream_id], [cleo.id]],
    ['peer_add', [stream_id], [dan.id]],
  ]);
  expect(await peers(ben)).toEqual([
    ['peer_add', [stream_id], [cleo.id]],
    ['peer_add', [stream_id], [dan.id]],
  ]);
  expect(await peers(amy)).toEqual([
    ['peer_add', [stream_id], [cleo.id]],
    ['peer_add', [stream_id], [dan.id]],
  ]);
  // Earlier subscribers receive later ones; later ones have the earlier ones in the stream's event.
  expect(await peers(cleo)).toEqual([['peer_add', [stream_id], [dan.id]]]);
  expect(await peers(dan)).toEqual([]);
});

test('guests receive new subscribers of public streams that they are subscribed to', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [gus, gil] = [await chat.user('gus', { role: 'guest' }), await chat.user('gil', { role: 'guest' })];
  const [one, two] = [fresh('one'), fresh('two')];
  const ids = [await chat.stream(one, { by: ada, members: [gus] }), await chat.stream(two, { by: ada })];
  await gus.takeEvents();
  await ben.api.subscribe({ subscriptions: named(one, two) });
  expect(await peers(gus)).toEqual([['peer_add', [ids[0]], [ben.id]]]);
  expect(await peers(gil)).toEqual([]);
});

test('one user in several public streams is one event for the others, and several users are one event per stream', async () => {
  const [ada, ben, cleo, dan] = await chat.users('ada', 'ben', 'cleo', 'dan');
  const names = [fresh('one'), fresh('two')];
  const ids = [];
  for (const name of names) ids.push(await chat.stream(name, { by: ada }));
  await dan.takeEvents();
  await ben.api.subscribe({ subscriptions: named(...names) });
  expect(await peers(dan)).toEqual([['peer_add', ids, [ben.id]]]);
  await ada.api.subscribe({ subscriptions: named(...names), principals: [cleo.id, chat.owner.id] });
  expect(await peers(dan)).toEqual(
    ids.map((stream_id) => ['peer_add', [stream_id], expect.arrayContaining([cleo.id, chat.owner.id])]),
  );
  await ada.api.unsubscribe({ subscriptions: names });
  expect(await peers(dan)).toEqual([['peer_remove', ids, [ada.id]]]);
});

test('when nothing changes, no event is emitted', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const name = fresh('soup');
  await chat.stream(name, { by: ada, members: [ben] });
  for (const person of [ada, ben]) await person.takeEvents();
  await ada.api.subscribe({ subscriptions: named(name), principals: [ada.id, ben.id] });
  for (const person of [ada, ben]) expect(await person.takeEvents()).toEqual([]);
});

test('peer_add and peer_remove list users and streams in ascending order, whatever the order in the request', async () => {
  const [ada, ben, cleo, dan] = await chat.users('ada', 'ben', 'cleo', 'dan');
  const [first, second] = [fresh('one'), fresh('two')];
  const streams = [await chat.stream(first, { by: ada }), await chat.stream(second, { by: ada })];
  const backwards = [second, first];
  const principals = [cleo.id, dan.id, ben.id];
  const userIds = [ben.id, cleo.id, dan.id];
  await ada.takeEvents();
  await chat.owner.api.subscribe({ subscriptions: named(...backwards), principals });
  await chat.owner.api.unsubscribe({ subscriptions: backwards, principals });
  await chat.owner.api.subscribe({ subscriptions: named(...backwards), principals: [ben.id] });
  const [one, two] = streams;
  expect(await peers(ada)).toEqual([
    ['peer_add', [two], userIds],
    ['peer_add', [one], userIds],
    ['peer_remove', [two], userIds],
    ['peer_remove', [one], userIds],
    ['peer_add', streams, [ben.id]],
  ]);
});
