import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { emitUserAdded } from '../guest-visibility/index.ts';
import { systemGroupIds } from '../user-groups/index.ts';
import { findAudienceOfUser, listUsersByIds, requirePrincipals } from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
/** A new organization: the setting affects all its users. */
async function createFixture(limited: boolean) {
  const { realm, owner } = await chat.otherRealm(`house${made++}`);
  const groups = await chat.act((ctx) => systemGroupIds(ctx.db, ctx.realm.id), realm);
  const limit = (on: boolean) =>
    owner.api.updateRealm({ can_access_all_users_group: groups[on ? 'role:members' : 'role:everyone'] });
  if (limited) await limit(true);
  const person = (name: string, role: 'member' | 'guest' = 'member') => chat.user(name, { realm, role });
  return { realm, owner, limit, person };
}

const seenBy = async (person: TestUser) => (await person.api.getUsers()).members.map(({ user_id }) => user_id);

test('a guest sees all users unless the organization limits what guests see', async () => {
  const { owner, limit, person } = await createFixture(false);
  const [ada, gus] = [await person('ada'), await person('gus', 'guest')];
  expect(await seenBy(gus)).toEqual([owner.id, ada.id, gus.id]);
  await limit(true);
  expect(await seenBy(gus)).toEqual([gus.id]);
  expect(await seenBy(ada)).toEqual([owner.id, ada.id, gus.id]);
});

test('a limited guest sees users of shared streams and direct messages, and others are reported as unknown', async () => {
  const { realm, owner, person } = await createFixture(true);
  await chat.stream('lobby', { by: owner });
  const [ada, ben, cleo] = [await person('ada'), await person('ben'), await person('cleo')];
  const gus = await chat.user('gus', { realm, role: 'guest', mirrored: false });
  await expectError('BAD_REQUEST', gus.api.getUser({ user_id: ada.id }), new RegExp(`${ada.id}`));
  await chat.stream('kitchen', { by: ada, members: [gus] });
  await chat.message({ from: ben, to: [gus] });
  expect(await seenBy(gus)).toEqual([ada.id, ben.id, gus.id]);
  for (const unseen of [owner.id, cleo.id, cleo.email]) {
    await expectError('BAD_REQUEST', gus.api.getUser({ user_id: unseen }), new RegExp(`${unseen}`));
  }
  expect((await gus.api.getUser({ user_id: ada.email })).user).toMatchObject({ user_id: ada.id });
  const state = await gus.api.registerQueue({ event_types: ['realm_user'] });
  expect(state.realm_users?.map(({ user_id }) => user_id)).toEqual([ada.id, ben.id, gus.id]);
});

test('limiting the visibility removes users for guests; lifting the limit adds them again', async () => {
  const { owner, limit, person } = await createFixture(false);
  const [ada, gus] = [await person('ada'), await person('gus', 'guest')];
  await gus.takeEvents();
  await limit(true);
  const lost = (id: number) => ({
    id: expect.any(Number),
    type: 'realm_user',
    op: 'remove',
    person: { user_id: id, full_name: 'Unknown user' },
  });
  expect(await gus.takeEvents('realm_user')).toEqual([lost(owner.id), lost(ada.id)]);
  await limit(false);
  expect(await gus.takeEvents('realm_user')).toMatchObject([
    { op: 'add', person: { user_id: owner.id } },
    { op: 'add', person: { user_id: ada.id, full_name: ada.full_name } },
  ]);
  expect(await ada.takeEvents('realm_user')).toMatchObject([{ op: 'add', person: { user_id: gus.id } }]);
});

test('the error names principals that are unknown, deactivated, invisible or the Notification Bot', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const named = (principals: number[] | string[]) =>
    chat.act(async (ctx) => {
      const [me] = await requirePrincipals({ ...ctx, me: { id: ada.id, role: 400 } as never }, [ada.id]);
      if (!me) throw new Error('nobody');
      return requirePrincipals({ ...ctx, me }, principals);
    });
  expect((await named([ben.id, ada.id, ben.id])).map(({ id }) => id)).toEqual([ben.id, ada.id]);
  expect((await named([ben.email.toUpperCase()])).map(({ id }) => id)).toEqual([ben.id]);
  expect(await named([])).toEqual([]);
  for (const unknown of [[ada.id, 9_007_199_254_740_991], ['nobody@example.com']]) {
    await expect(named(unknown as never)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: new RegExp(`${unknown.at(-1)}`),
    });
  }
});

test('events about a user are for all users, or for all but the guests who cannot see the user', async () => {
  const { realm, owner, limit, person } = await createFixture(false);
  await chat.stream('lobby', { by: owner });
  const [ada, gus] = [await person('ada'), await person('gus', 'guest')];
  const audience = () => chat.act((ctx) => findAudienceOfUser(ctx, ada.id), realm);
  expect(await audience()).toEqual({ everyone: true });
  await limit(true);
  expect(await audience()).toEqual({ non_guests: true, users: [ada.id] });
  await limit(false);
  await chat.stream('kitchen', { by: ada, members: [gus] });
  await limit(true);
  expect(await audience()).toEqual({ non_guests: true, users: [ada.id, gus.id] });
});

test('a new user whose address is visible to administrators is emitted with it to them and to the user only', async () => {
  const { realm, person } = await createFixture(false);
  const admin = await chat.user('ann', { realm, role: 'admin' });
  const ada = await person('ada');
  // The table is changed without an event, so a mirror would be wrong.
  const ben = await chat.user('ben', { realm, mirrored: false });
  const own = await ben.api.registerQueue({ event_types: ['realm_user'] });
  await chat.database.db.execute(sql`update users set email_address_visibility = 3 where id = ${ben.id}`);
  for (const listener of [admin, ada]) await listener.takeEvents();
  await chat.act(async (ctx) => {
    const [row] = await listUsersByIds(ctx.db, ctx.realm.id, [ben.id]);
    if (row) await emitUserAdded(ctx, row);
  }, realm);
  const email = `user${ben.id}@${realm.host}`;
  const toExpectedEvent = (delivery_email: string | null) => [
    { op: 'add', person: { user_id: ben.id, email, delivery_email } },
  ];
  expect(await admin.takeEvents('realm_user')).toMatchObject(toExpectedEvent(ben.email));
  const { queue_id, last_event_id } = own;
  expect((await ben.api.getEvents({ queue_id, last_event_id, dont_block: true })).events).toMatchObject(
    toExpectedEvent(ben.email),
  );
  expect(await ada.takeEvents('realm_user')).toMatchObject(toExpectedEvent(null));
});

test('a limited guest receives only visible members of a group, in events and in the registration', async () => {
  const { owner, limit, person } = await createFixture(true);
  const [ada, ben, cleo] = [await person('ada'), await person('ben'), await person('cleo')];
  const gus = await person('gus', 'guest');
  await chat.stream('kitchen', { by: ada, members: [gus] });
  await gus.takeEvents();
  const groups = async () => {
    const { realm_user_groups = [] } = await gus.api.registerQueue({ event_types: ['realm_user_groups'] });
    return new Map(realm_user_groups.map(({ id, members }) => [id, members] as const));
  };
  const heard = async () =>
    (await gus.takeEvents('user_group')).map((event): [string, number[]] =>
      event.op === 'add' ? ['add', event.group.members] : [event.op, 'user_ids' in event ? event.user_ids : []],
    );

  const { group_id } = await owner.api.createUserGroup({ name: 'cooks', description: '', members: [ada.id, ben.id] });
  expect(await heard()).toEqual([['add', [ada.id]]]);
  await owner.api.updateUserGroupMembers({ user_group_id: group_id, add: [cleo.id, gus.id], delete: [ben.id] });
  expect(await heard()).toEqual([['add_members', [gus.id]]]);
  expect((await groups()).get(group_id)).toEqual([ada.id, gus.id]);
  expect(new Set([...(await groups()).values()].flat())).toEqual(new Set([ada.id, gus.id]));

  // Cleo becomes visible with her groups, and invisible with them.
  await ada.api.subscribe({ subscriptions: [{ name: 'kitchen' }], principals: [cleo.id] });
  expect((await heard()).filter(([op]) => op === 'add_members').flatMap(([, ids]) => ids)).toContain(cleo.id);
  expect((await groups()).get(group_id)).toEqual([ada.id, cleo.id, gus.id]);
  await cleo.api.unsubscribe({ subscriptions: ['kitchen'] });
  expect((await heard()).filter(([op]) => op === 'remove_members').flatMap(([, ids]) => ids)).toContain(cleo.id);
  await limit(false);
  expect((await groups()).get(group_id)).toEqual([ada.id, cleo.id, gus.id]);
});
