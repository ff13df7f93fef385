import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { systemGroupIds } from '../user-groups/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
/** An organization in which guests see only users with whom they share a stream or a conversation. */
async function createFixture() {
  const { realm, owner } = await chat.otherRealm(`house${made++}`);
  const groups = await chat.act((ctx) => systemGroupIds(ctx.db, ctx.realm.id), realm);
  const limit = (on: boolean) =>
    owner.api.updateRealm({ can_access_all_users_group: groups[on ? 'role:members' : 'role:everyone'] });
  await limit(true);
  const [ada, ben] = [await chat.user('ada', { realm }), await chat.user('ben', { realm })];
  const gus = await chat.user('gus', { realm, role: 'guest' });
  for (const person of [ada, ben, gus]) await person.takeEvents();
  return { realm, owner, limit, ada, ben, gus };
}

const statusesIn = async ({ api }: TestUser) =>
  (await api.registerQueue({ fetch_event_types: ['user_status'] })).user_status;

test('guests receive no status of users whom they do not see', async () => {
  const { ada, ben, gus } = await createFixture();
  await chat.stream('kitchen', { by: ada, members: [gus] });
  await ada.api.updateStatus({ status_text: 'Cooking' });
  await ben.api.updateStatus({ status_text: 'Plotting', away: true });
  await gus.api.updateStatus({ status_text: 'Waiting' });
  expect((await gus.takeEvents('user_status')).map(({ user_id }) => user_id)).toEqual([ada.id, gus.id]);
  expect(await statusesIn(gus)).toEqual({
    [ada.id]: { status_text: 'Cooking' },
    [gus.id]: { status_text: 'Waiting' },
  });
  expect((await ben.takeEvents('user_status')).map(({ user_id }) => user_id)).toEqual([ada.id, ben.id, gus.id]);
  expect(Object.keys((await statusesIn(ben)) ?? {})).toHaveLength(3);
});

test('a user who becomes visible to a guest is emitted with their status, which the guest loses with them', async () => {
  const { ada, ben, gus } = await createFixture();
  await ben.api.updateStatus({ status_text: 'Plotting', emoji_name: 'eyes', away: true });
  await chat.stream('kitchen', { by: ada, members: [ben] });
  await gus.takeEvents();
  await ada.api.subscribe({ subscriptions: [{ name: 'kitchen' }], principals: [gus.id] });
  const eyes = { emoji_name: 'eyes', emoji_code: '1f440', reaction_type: 'unicode_emoji' };
  const said = { away: true, status_text: 'Plotting', ...eyes };
  expect(await gus.takeEvents('user_status')).toEqual([
    { id: expect.any(Number), type: 'user_status', user_id: ben.id, ...said },
  ]);
  expect(await statusesIn(gus)).toEqual({ [ben.id]: said });
  await gus.api.unsubscribe({ subscriptions: ['kitchen'] });
  expect((await gus.takeEvents('realm_user')).map(({ op }) => op)).toContain('remove');
  expect(await statusesIn(gus)).toEqual({});
});

test('when the organization makes all users visible to guests again, their statuses are emitted', async () => {
  const { limit, ada, ben, gus } = await createFixture();
  await ben.api.updateStatus({ status_text: 'Plotting' });
  await limit(false);
  expect(await gus.takeEvents('user_status')).toMatchObject([{ user_id: ben.id, status_text: 'Plotting' }]);
  expect(await ada.takeEvents('user_status')).toHaveLength(1);
  await limit(true);
  expect(await statusesIn(gus)).toEqual({});
});

test('a status set while a user becomes visible is not lost, and while they become invisible not delivered afterwards', async () => {
  const { ada, gus } = await createFixture();
  await chat.stream('kitchen', { by: ada });
  for (let round = 0; round < 8; round++) {
    const status_text = `round ${round}`;
    await Promise.all([
      ada.api.updateStatus({ status_text }),
      ada.api.subscribe({ subscriptions: [{ name: 'kitchen' }], principals: [gus.id] }),
      ada.api.updateStatus({ emoji_name: round % 2 ? 'eyes' : 'house' }),
    ]);
    // The guest has all statuses from events since the user became visible.
    const heard = (await gus.takeEvents('user_status')).filter(({ user_id }) => user_id === ada.id);
    await gus.takeEvents();
    const said = (await statusesIn(gus))?.[ada.id];
    expect(said).toMatchObject({ status_text });
    expect(Object.assign({}, ...heard)).toMatchObject(said ?? {});
    await Promise.all([
      ada.api.updateStatus({ status_text: 'unseen?' }),
      gus.api.unsubscribe({ subscriptions: ['kitchen'] }),
      ada.api.updateStatus({ emoji_name: '' }),
    ]);
    const types = (await gus.takeEvents('realm_user', 'user_status')).map(({ type }) => type);
    expect(types.lastIndexOf('user_status'), 'no status of users who are not visible any more').toBeLessThan(
      types.indexOf('realm_user'),
    );
  }
});
