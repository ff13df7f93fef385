import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { systemGroupIds } from '../user-groups/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const mutedBy = async ({ api }: TestUser) =>
  (await api.registerQueue({ fetch_event_types: ['muted_users'] })).muted_users ?? [];
const idsMutedBy = async (person: TestUser) => (await mutedBy(person)).map(({ id }) => id);

test('muting a user emits an event to the caller alone, with all users whom the caller muted', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const bo = await chat.user('bo', { bot_of: ben });
  for (const person of [ada, ben, cleo, bo]) await person.takeEvents();
  const started = Math.floor(Date.now() / 1000) - 1;
  for (const { id } of [cleo, ben, bo]) expect(await ada.api.muteUser({ user_id: id })).toEqual({});
  const muted = await mutedBy(ada);
  expect(muted.map(({ id }) => id)).toEqual([cleo.id, ben.id, bo.id]);
  for (const { timestamp } of muted) {
    expect(timestamp).toBeGreaterThanOrEqual(started);
    expect(timestamp).toBeLessThanOrEqual(Date.now() / 1000 + 1);
  }
  expect(await ada.takeEvents()).toEqual(
    [1, 2, 3].map((count) => ({ id: expect.any(Number), type: 'muted_users', muted_users: muted.slice(0, count) })),
  );
  expect(await ada.api.unmuteUser({ user_id: ben.id })).toEqual({});
  expect(await ada.takeEvents()).toMatchObject([
    { type: 'muted_users', muted_users: [{ id: cleo.id }, { id: bo.id }] },
  ]);
  expect(await idsMutedBy(ada)).toEqual([cleo.id, bo.id]);
  for (const person of [ben, cleo, bo]) {
    expect(await person.takeEvents()).toEqual([]);
    expect(await mutedBy(person)).toEqual([]);
  }
});

test('messages of muted users are delivered as before', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await ada.api.muteUser({ user_id: ben.id });
  await ada.takeEvents();
  const id = await chat.message({ from: ben, to: [ada], content: `@**${ada.full_name}** hello` });
  expect(await ada.takeEvents('message')).toMatchObject([{ message: { id }, flags: ['mentioned'] }]);
});

test('users cannot mute themselves, a user twice, or a user who does not exist', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const other = await chat.otherRealm('elsewhere');
  const [bot] = (await ada.api.registerQueue({ fetch_event_types: ['realm_user'] })).cross_realm_bots ?? [];
  await ada.takeEvents();
  await expectError('BAD_REQUEST', ada.api.muteUser({ user_id: ada.id }), /yourself/);
  await expectError('BAD_REQUEST', ada.api.unmuteUser({ user_id: ada.id }), new RegExp(`not muted.*${ada.id}`));
  await expectError('BAD_REQUEST', ada.api.unmuteUser({ user_id: ben.id }), new RegExp(`not muted.*${ben.id}`));
  await ada.api.muteUser({ user_id: ben.id });
  await expectError('BAD_REQUEST', ada.api.muteUser({ user_id: ben.id }), new RegExp(`${ben.id} already`));
  for (const call of ['muteUser', 'unmuteUser'] as const) {
    const unknown = await expectError('BAD_REQUEST', ada.api[call]({ user_id: 987_654 }), /987654/);
    for (const user_id of [other.owner.id, bot?.user_id ?? 0, Number.MAX_SAFE_INTEGER]) {
      const msg = unknown.msg.replace('987654', String(user_id));
      expect(await expectError('BAD_REQUEST', ada.api[call]({ user_id }))).toEqual({ ...unknown, msg });
    }
  }
  expect(await ada.takeEvents()).toHaveLength(1);
  expect(await idsMutedBy(ada)).toEqual([ben.id]);
});

test('all users can mute: guests and bots too, and deactivated users can be muted', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [gus, bo] = [await chat.user('gus', { role: 'guest' }), await chat.user('bo', { bot_of: ada })];
  await chat.database.db.execute(sql`update users set is_active = false where id = ${ben.id}`);
  for (const person of [gus, bo]) {
    await person.api.muteUser({ user_id: ben.id });
    expect(await idsMutedBy(person)).toEqual([ben.id]);
  }
  await chat.database.db.execute(sql`update users set is_active = true where id = ${ben.id}`);
});

test('a guest with limited visibility can mute users they see, and unmute users they saw', async () => {
  const { realm, owner } = await chat.otherRealm('house');
  const groups = await chat.act((ctx) => systemGroupIds(ctx.db, ctx.realm.id), realm);
  await owner.api.updateRealm({ can_access_all_users_group: groups['role:members'] });
  const [ada, ben] = [await chat.user('ada', { realm }), await chat.user('ben', { realm })];
  const gus = await chat.user('gus', { realm, role: 'guest' });
  await chat.stream('kitchen', { by: ada, members: [gus] });
  const unknown = await expectError('BAD_REQUEST', gus.api.muteUser({ user_id: 987_654 }), /987654/);
  const errorResponse = await expectError('BAD_REQUEST', gus.api.muteUser({ user_id: ben.id }));
  expect(errorResponse.msg).toBe(unknown.msg.replace('987654', String(ben.id)));
  await gus.api.muteUser({ user_id: ada.id });
  await gus.api.unsubscribe({ subscriptions: ['kitchen'] });
  expect(await idsMutedBy(gus)).toEqual([ada.id]);
  await gus.api.unmuteUser({ user_id: ada.id });
  expect(await mutedBy(gus)).toEqual([]);
});

test('of concurrent mutes of one user all but one fail, and the last event has all muted users', async () => {
  const [ada, ...others] = await chat.users('ada', 'ben', 'cleo', 'dan', 'eve');
  await ada.takeEvents();
  const outcomes = await Promise.allSettled([...others, ...others].map(({ id }) => ada.api.muteUser({ user_id: id })));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(others.length);
  const heard = await ada.takeEvents('muted_users');
  expect(heard.map((event) => event.muted_users.length)).toEqual([1, 2, 3, 4]);
  expect(heard.at(-1)?.muted_users).toEqual(await mutedBy(ada));
});
