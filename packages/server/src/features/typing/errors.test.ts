import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { systemGroupIds } from '../user-groups/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());

let made = 0;
const newName = () => `room ${made++}`;
const quiet = (name: string) => chat.user(name, { mirrored: false });
const types = (person: TestUser, params: object) => person.api.setTyping(params as never);
const ids = (...users: TestUser[]) => users.map(({ id }) => id);

// shows: 4.8.1 [a type there is not], 4.8.2 [`private`, an old name that this operation does not take]
// shows: 4.8.3 [an op there is not], 4.8.4 [one id that is no list], 4.8.9 [several streams], 7.10 [several streams]
// shows: 9.12 [`private`, an old name that this operation does not take]
test.each([
  ['`private`, an old name that this operation does not take', { type: 'private', op: 'start', to: [1] }, /"type"/],
  ['a type there is not', { type: 'letter', op: 'start', to: [1] }, /"type"/],
  ['an op there is not', { op: 'pause', to: [1] }, /"op"/],
  ['no recipients', { op: 'start', to: [] }, /^to: /],
  ['a user by email', { op: 'start', to: ['ada@example.com'] }, /"to" must be a list of .* user ids/],
  ['one id that is no list', { op: 'start', to: 1 }, /"to" must be a list of .* user ids/],
  ['an unknown user', { op: 'start', to: [987_654_321] }, /^to: .*987654321/],
  ['several streams', { type: 'stream', op: 'start', stream_id: [1, 2], topic: 'soup' }, /"stream_id".*one stream/],
  ['one stream in a list', { type: 'stream', op: 'start', stream_id: [1], topic: 'soup' }, /"stream_id".*one stream/],
  ['a stream by name', { type: 'stream', op: 'start', stream_id: 'x', topic: 'soup' }, /"stream_id".*one stream/],
  ['a stream there is not', { type: 'stream', op: 'start', stream_id: 987_654_321, topic: 'soup' }, /987654321/],
])('a typing notification fails: %s', async (_case, params, msg) => {
  const ada = await quiet('ada');
  await expectError('BAD_REQUEST', types(ada, params), msg);
});

// shows: 4.8.3 [op], 4.8.4 [to], 4.8.6 [stream_id], 4.8.7 [topic]
test.each([
  ['op', { to: [1] }],
  ['to', { op: 'start', stream_id: 1, topic: 'soup' }],
  ['stream_id', { type: 'stream', op: 'start', to: [1], topic: 'soup' }],
  ['topic', { type: 'stream', op: 'start', to: [1], stream_id: 1 }],
])('a typing notification fails: %s is missing', async (var_name, params) => {
  const ada = await quiet('ada');
  expect(await expectError('REQUEST_VARIABLE_MISSING', types(ada, params))).toMatchObject({ var_name });
});

test('users and streams of another organization, and users whom a guest cannot see, are unknown', async () => {
  const { realm, owner } = await chat.otherRealm('typists');
  const groups = await chat.act((ctx) => systemGroupIds(ctx.db, ctx.realm.id), realm);
  await owner.api.updateRealm({ can_access_all_users_group: groups['role:members'] });
  const [ada, ben] = [await chat.user('ada', { realm }), await chat.user('ben')];
  const gus = await chat.user('gus', { realm, role: 'guest' });
  const stream_id = await chat.stream(newName(), { by: ben });
  const unknown = (id: number) => new RegExp(`^to: there is no user ${id}\\.$`);
  await expectError('BAD_REQUEST', types(ada, { op: 'start', to: ids(ben) }), unknown(ben.id));
  await expectError('BAD_REQUEST', types(gus, { op: 'start', to: ids(gus, ada) }), unknown(ada.id));
  await expectError(
    'BAD_REQUEST',
    types(ada, { type: 'stream', op: 'start', stream_id, topic: 'x' }),
    /there is no stream/,
  );
  for (const person of [ada, ben, gus]) expect(await person.takeEvents('typing')).toEqual([]);
});

test('a stream that the user cannot see, or not post to, fails', async () => {
  const ada = await chat.user('ada', { role: 'admin' });
  const [ben, gus] = [await chat.user('ben'), await chat.user('gus', { role: 'guest' })];
  const start = (person: TestUser, stream_id: number) =>
    types(person, { type: 'stream', op: 'start', stream_id, topic: 'soup' });
  const secret = await chat.stream(newName(), { by: ada, invite_only: true });
  await expectError('BAD_REQUEST', start(ben, secret), /there is no stream/);
  // An owner sees that the private stream exists, and cannot post to it.
  await expectError('BAD_REQUEST', start(chat.owner, secret), /Not authorized to post/);
  const news = await chat.stream(newName(), { by: ada, members: [ben, gus], stream_post_policy: 2 });
  await expectError('BAD_REQUEST', start(ben, news), /Only administrators/);
  await expectError('BAD_REQUEST', start(gus, news), /Only administrators/);
  const open = await chat.stream(newName(), { by: ada });
  await expectError('BAD_REQUEST', start(gus, open), /there is no stream/);
  for (const person of [ada, ben, gus]) expect(await person.takeEvents('typing')).toEqual([]);
});

test('users who disabled typing notifications cannot send them, with one setting for each kind of message', async () => {
  const [ada, ben] = [await quiet('ada'), await chat.user('ben')];
  const stream_id = await chat.stream(newName(), { by: ada, members: [ben] });
  const direct = () => types(ada, { op: 'start', to: ids(ben) });
  const stream = () => types(ada, { type: 'stream', op: 'start', stream_id, topic: 'soup' });
  const choose = (overrides: object) =>
    chat.database.db.execute(sql`
      insert into user_settings (realm_id, user_id, overrides) values (${chat.realm.id}, ${ada.id}, ${JSON.stringify(overrides)}::jsonb)
      on conflict (realm_id, user_id) do update set overrides = excluded.overrides`);
  await choose({ send_private_typing_notifications: false });
  await expectError('BAD_REQUEST', direct(), /send_private_typing_notifications/);
  await stream();
  await choose({ send_stream_typing_notifications: false });
  await expectError('BAD_REQUEST', stream(), /send_stream_typing_notifications/);
  await direct();
  expect(await ben.takeEvents('typing')).toMatchObject([{ message_type: 'stream' }, { message_type: 'direct' }]);
});
