import { applyEvent } from '@parley/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { systemGroupIds } from '../user-groups/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  chat.clock.stop();
});
afterAll(() => chat.close());

let made = 0;
/** An organization in which guests see only users with whom they share a stream or a conversation. */
async function createFixture() {
  const { realm, owner } = await chat.otherRealm(`house${made++}`);
  const groups = await chat.act((ctx) => systemGroupIds(ctx.db, ctx.realm.id), realm);
  await owner.api.updateRealm({ can_access_all_users_group: groups['role:members'] });
  const [ada, ben] = [await chat.user('ada', { realm }), await chat.user('ben', { realm })];
  const gus = await chat.user('gus', { realm, role: 'guest' });
  for (const person of [ada, ben, gus]) await person.takeEvents();
  return { ada, ben, gus };
}

const is = ({ api }: TestUser, status: 'active' | 'idle') => api.updatePresence({ status, ping_only: true });
const slimOf = async ({ api }: TestUser) => api.registerQueue({ slim_presence: true });

test('guests neither receive nor fetch the presence of users whom they do not see', async () => {
  const { ada, ben, gus } = await createFixture();
  await chat.stream('kitchen', { by: ada, members: [gus] });
  for (const person of [ada, ben, gus]) await is(person, 'active');
  expect((await gus.takeEvents('presence')).map(({ user_id }) => user_id)).toEqual([ada.id, gus.id]);
  expect(Object.keys((await gus.api.getPresences()).presences)).toEqual([ada.email, gus.email]);
  const { presences = {} } = await gus.api.updatePresence({ status: 'active', slim_presence: true });
  expect(Object.keys(presences)).toEqual([String(ada.id), String(gus.id)]);
  const answerOf = async (user_id: number | string) =>
    (await expectError('BAD_REQUEST', gus.api.getUserPresence({ user_id }))).msg.replace(String(user_id), 'ID');
  for (const user_id of [ben.id, ben.email]) expect(await answerOf(user_id)).toBe(await answerOf(987_654_321));
  expect(Object.keys((await ben.api.getPresences()).presences)).toHaveLength(3);
});

test('a user who becomes visible to a guest is emitted with their presence, which the guest loses with them', async () => {
  const { ada, ben, gus } = await createFixture();
  await is(ben, 'active');
  chat.clock.advance({ minutes: 2 });
  await is(ben, 'idle');
  await chat.stream('kitchen', { by: ada, members: [ben] });
  await gus.takeEvents();
  const { queue_id, last_event_id, ...first } = await slimOf(gus);
  await ada.api.subscribe({ subscriptions: [{ name: 'kitchen' }], principals: [gus.id] });
  expect((await gus.takeEvents('presence')).map(({ user_id, presence }) => [user_id, presence.website.status])).toEqual(
    [
      [ben.id, 'active'],
      [ben.id, 'idle'],
    ],
  );
  const { events } = await gus.api.getEvents({ queue_id, last_event_id, dont_block: true });
  const slim = (await slimOf(gus)).presences;
  expect(slim).toHaveProperty(String(ben.id));
  const state = events.reduce<Parameters<typeof applyEvent>[0]>((before, event) => applyEvent(before, event), first);
  expect(state.presences).toEqual(slim);
  await gus.api.unsubscribe({ subscriptions: ['kitchen'] });
  expect((await slimOf(gus)).presences).toEqual({});
});

test('a ping of a user who becomes visible or invisible is not lost, and not delivered afterwards', async () => {
  const { ada, gus } = await createFixture();
  await chat.stream('kitchen', { by: ada });
  for (let round = 0; round < 6; round++) {
    chat.clock.advance({ minutes: 1 });
    const subscribed = ada.api.subscribe({ subscriptions: [{ name: 'kitchen' }], principals: [gus.id] });
    await Promise.all([is(ada, 'active'), subscribed]);
    const known = (await gus.takeEvents('presence')).filter(({ user_id }) => user_id === ada.id);
    const { presences } = await gus.api.getPresences();
    expect(known.at(-1)?.presence.website).toEqual(presences[ada.email]?.website);
    await gus.takeEvents();
    chat.clock.advance({ minutes: 1 });
    await Promise.all([is(ada, 'active'), gus.api.unsubscribe({ subscriptions: ['kitchen'] })]);
    const types = (await gus.takeEvents('realm_user', 'presence')).map(({ type }) => type);
    expect(types.lastIndexOf('presence')).toBeLessThan(types.indexOf('realm_user'));
  }
});
