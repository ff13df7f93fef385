import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { runInLockOrder } from '../../../test/lock-order.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const roles = ['owner', 'admin', 'moderator', 'member', 'guest'] as const;
type Role = (typeof roles)[number];
type Visibility = 1 | 2 | 3 | 4 | 5;
const visibilities: Record<Visibility, readonly Role[]> = {
  1: roles,
  2: ['owner', 'admin', 'moderator', 'member'],
  3: ['owner', 'admin'],
  4: [],
  5: ['owner', 'admin', 'moderator'],
};

/** The address of another user as a client can fetch it. */
const seenBy = async ({ api }: TestUser, { id }: TestUser) => (await api.getUser({ user_id: id })).user.delivery_email;

async function createFixture() {
  const ada = await chat.user('ada');
  const viewers = new Map<Role, TestUser>();
  for (const role of roles) viewers.set(role, await chat.user('viewer', { role }));
  const hush = async () => {
    for (const person of [ada, ...viewers.values()]) await person.takeEvents();
  };
  const set = (email_address_visibility: Visibility) => ada.api.updateSettings({ email_address_visibility });
  return { ada, viewers, hush, set };
}

const changes = ([1, 2, 3, 4, 5] as const).flatMap((from) =>
  ([1, 2, 3, 4, 5] as const).filter((to) => to !== from).map((to) => [from, to] as const),
);

describe('users who gain or lose the visibility of the address receive an event, and no others', () => {
  test.each(changes)('from %i to %i', async (from, to) => {
    const { ada, viewers, hush, set } = await createFixture();
    await set(from);
    await hush();
    await set(to);
    const stand_in = `user${ada.id}@${chat.realm.host}`;
    const email = to === 1 ? ada.email : stand_in;
    for (const [role, viewer] of viewers) {
      const sees = visibilities[to].includes(role);
      expect(await seenBy(viewer, ada), role).toBe(sees ? ada.email : null);
      const events = (await viewer.takeEvents()).map((event) => event.type === 'realm_user' && event.person);
      const addressed = visibilities[from].includes(role) !== sees;
      expect(events, role).toEqual([
        ...(addressed ? [{ user_id: ada.id, delivery_email: sees ? ada.email : null }] : []),
        ...(from === 1 || to === 1 ? [{ user_id: ada.id, new_email: email }] : []),
      ]);
      expect((await viewer.api.getUser({ user_id: ada.id })).user.email).toBe(email);
    }
  });
});

// shows: 2.52
test('users always see their own address, and have a hidden one for the API', async () => {
  const ada = await chat.user('ada');
  await ada.takeEvents();
  await ada.api.updateSettings({ email_address_visibility: 4 });
  const stand_in = `user${ada.id}@${chat.realm.host}`;
  expect(await ada.api.getOwnUser()).toMatchObject({ email: stand_in, delivery_email: ada.email });
  expect(await ada.takeEvents('realm_user')).toMatchObject([{ person: { user_id: ada.id, new_email: stand_in } }]);
});

test('a time zone that changes together with the visibility is emitted with the new API address', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await ben.takeEvents();
  await ada.api.updateSettings({ timezone: 'UTC', email_address_visibility: 4 });
  expect((await ben.takeEvents('realm_user')).at(-1)).toMatchObject({
    person: { timezone: 'UTC', email: `user${ada.id}@${chat.realm.host}` },
  });
});

test('a guest who cannot see the user receives no event about the address', async () => {
  const { realm, owner } = await chat.otherRealm('limited');
  const { user_groups } = await owner.api.getUserGroups();
  const members = user_groups.find(({ name }) => name === 'role:members')?.id ?? 0;
  await owner.api.updateRealm({ can_access_all_users_group: members });
  const [ada, gus, gil] = [
    await chat.user('ada', { realm }),
    await chat.user('gus', { realm, role: 'guest' }),
    await chat.user('gil', { realm, role: 'guest' }),
  ];
  await chat.stream('shared', { by: ada, members: [gil] });
  for (const person of [gus, gil]) await person.takeEvents();
  await ada.api.updateSettings({ email_address_visibility: 2 });
  await ada.api.updateSettings({ email_address_visibility: 1 });
  expect(await gus.takeEvents()).toEqual([]);
  expect(await gil.takeEvents('realm_user')).toHaveLength(4);
});

test('concurrent changes end with the last one, for all users', async () => {
  const { ada, viewers } = await createFixture();
  const values = [2, 4, 1, 3] as const;
  await runInLockOrder(
    chat,
    values.map((email_address_visibility) => () => ada.api.updateSettings({ email_address_visibility })),
  );
  const { user_settings } = await ada.api.registerQueue({ fetch_event_types: ['user_settings'] });
  const last = user_settings?.email_address_visibility as Visibility;
  for (const [role, viewer] of viewers)
    expect(await seenBy(viewer, ada), role).toBe(visibilities[last].includes(role) ? ada.email : null);
});
