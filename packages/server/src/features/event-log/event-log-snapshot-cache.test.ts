// Values that many registrations share are computed once, and equal what each caller would have computed alone.

import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { startSecondProcess } from '../../../test/second-process.ts';
import type { Ctx } from '../../core/context.ts';
import { transact } from '../../core/transaction.ts';
import { changeRole, deactivateUser } from '../user-admin/index.ts';
import { systemGroupIds } from '../user-groups/index.ts';
import { changeUserSettings } from '../user-settings/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());

const ADMINISTRATORS = 3;
const MODERATOR = 300;
const options = { client_gravatar: false } as const;

const stateOf = (person: TestUser) => person.api.registerQueue(options);
const addressesTo = async (person: TestUser) =>
  new Map((await stateOf(person)).realm_users?.map(({ user_id, delivery_email }) => [user_id, delivery_email]));

/** Runs in a repeatable-read transaction, as registrations do. */
const inOneMoment = <T>(work: (ctx: Ctx) => Promise<T>, realm = chat.realm) =>
  transact(chat.app, { realm, me: undefined, client: 'ParleyTest' }, work, true);

/** Changes how all users see a user. */
const promote = (person: TestUser) => chat.act((ctx) => changeRole(ctx, person.id, MODERATOR));

let shares = 0;
/** A cached value, and how often it was computed. */
function counted() {
  const share = { name: `test ${shares++}`, invalidatedBy: ['realm_user'] } as const;
  let made = 0;
  return {
    made: () => made,
    take: (ctx: Ctx) =>
      chat.app.server.snapshotCache.getOrCompute(ctx, share, async () => ({ bytes: 1000, number: ++made })),
  };
}

test('a value that a hundred concurrent requests need is computed once', async () => {
  const { made, take } = counted();
  const taken = await Promise.all(Array.from({ length: 100 }, () => inOneMoment(take)));
  expect(made()).toBe(1);
  expect(new Set(taken.map(({ number }) => number))).toEqual(new Set([1]));
});

test('a registration after another takes fewer statements, for any user', async () => {
  const { realm, owner } = await chat.otherRealm('crowded');
  const ben = await chat.user('ben', { realm, mirrored: false });
  const cleo = await chat.user('cleo', { realm, mirrored: false });
  await chat.stream('lobby', { by: owner });
  await chat.message({ from: owner, to: 'lobby' });
  const first = await chat.statements(() => stateOf(cleo));
  const then = await chat.statements(() => stateOf(ben));
  expect(then).toBeLessThan(first);
  const together = await chat.statements(() => Promise.all(Array.from({ length: 30 }, () => stateOf(ben))));
  expect(together).toBe(30 * then);
});

test('an event invalidates the value only if it has one of the types of invalidatedBy', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await chat.stream('kitchen', { by: ada, members: [ben] });
  const { made, take } = counted();
  await inOneMoment(take);
  await chat.message({ from: ada, to: 'kitchen' });
  await inOneMoment(take);
  expect(made()).toBe(1);
  await promote(ada);
  await inOneMoment(take);
  expect(made()).toBe(2);
});

test('when events were deleted in between, the value is computed again: their types are unknown', async () => {
  const [ada] = await chat.users('ada');
  const { made, take } = counted();
  await inOneMoment(take);
  await ada.api.updateStatus({ status_text: 'out' });
  await ada.takeEvents();
  await chat.database.db.execute(
    sql`delete from events where id = (select max(id) from events where realm_id = ${chat.realm.id})`,
  );
  await inOneMoment(take);
  expect(made()).toBe(2);
});

test('a computation that fails does not fail other requests', async () => {
  const share = { name: `test ${shares++}`, invalidatedBy: ['realm_user'] } as const;
  let tries = 0;
  const make = async () => {
    if (tries++ === 0) throw new Error('out of luck');
    return { bytes: 1 };
  };
  const taken = await Promise.allSettled(
    Array.from({ length: 5 }, () => inOneMoment((ctx) => chat.app.server.snapshotCache.getOrCompute(ctx, share, make))),
  );
  expect(taken.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(tries).toBe(2);
});

test('outside a repeatable-read transaction nothing is cached', async () => {
  const { take } = counted();
  await expect(chat.act((ctx) => take(ctx as Ctx))).rejects.toThrow('one moment');
});

test('a second registration has every change since the first', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await chat.stream('garden', { by: ada });
  await stateOf(ben);
  await promote(ada);
  const [cleo] = await chat.users('cleo');
  await chat.stream('cellar', { by: ada });
  await ada.api.createUserGroup({ name: 'cooks', description: '', members: [ada.id] });
  const { realm_users = [], streams = [], never_subscribed = [], realm_user_groups = [] } = await stateOf(ben);
  expect(realm_users.find(({ user_id }) => user_id === ada.id)?.role).toBe(MODERATOR);
  expect(realm_users.map(({ user_id }) => user_id)).toContain(cleo.id);
  for (const list of [streams, never_subscribed]) expect(list.map(({ name }) => name)).toContain('cellar');
  expect(realm_user_groups.map(({ name }) => name)).toContain('cooks');
  await chat.owner.api.updateRealm({ description: 'As ever' });
  expect((await stateOf(ben)).realm_description).toBe('As ever');
});

// shows: 2.6
test('a registration after the first message of a stream has its id, though no stream was changed', async () => {
  const { owner } = await chat.otherRealm('quiet');
  const stream_id = await chat.stream('attic', { by: owner });
  await chat.database.db.execute(sql`update streams set first_message_id = null where id = ${stream_id}`);
  await chat.stream('hall', { by: owner });
  const firsts = async () => {
    const { streams = [], subscriptions = [] } = await stateOf(owner);
    return [...streams, ...subscriptions]
      .filter((one) => one.stream_id === stream_id)
      .map((one) => one.first_message_id);
  };
  expect(await firsts()).toEqual([null, null]);
  const id = await chat.message({ from: owner, to: 'attic' });
  expect(await firsts()).toEqual([id, id]);
});

test('a hidden address is returned to users who can see it and its owner, whoever registered before them', async () => {
  const { realm, owner } = await chat.otherRealm('shy');
  const person = (name: string, role: 'member' | 'guest' = 'member') =>
    chat.user(name, { realm, role, mirrored: false });
  const [ada, ben, gus] = [await person('ada'), await person('ben'), await person('gus', 'guest')];
  await stateOf(ben);
  await chat.act(
    (ctx) => changeUserSettings(ctx, { realm_id: realm.id, id: ada.id }, { email_address_visibility: ADMINISTRATORS }),
    realm,
  );
  expect((await addressesTo(owner)).get(ada.id)).toBe(ada.email);
  expect((await addressesTo(ben)).get(ada.id)).toBeNull();
  expect((await addressesTo(gus)).get(ada.id)).toBeNull();
  expect((await addressesTo(ada)).get(ada.id)).toBe(ada.email);
  expect((await addressesTo(ben)).get(ada.id)).toBeNull();
  const { members } = await ben.api.getUsers();
  expect(members.find(({ user_id }) => user_id === ada.id)?.delivery_email).toBeNull();
});

test('a deactivated user is in other lists for all users', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const idsIn = (list: readonly { user_id: number }[] = []) => list.map(({ user_id }) => user_id);
  expect(idsIn((await stateOf(ben)).realm_users)).toContain(ada.id);
  await chat.act((ctx) => deactivateUser(ctx, ada.id));
  const { realm_users, realm_non_active_users } = await stateOf(ben);
  expect(idsIn(realm_users)).not.toContain(ada.id);
  expect(idsIn(realm_non_active_users)).toContain(ada.id);
});

test('a guest with limited visibility sees no more after other users have registered', async () => {
  const { realm, owner } = await chat.otherRealm('limited');
  const groups = await chat.act((ctx) => systemGroupIds(ctx.db, ctx.realm.id), realm);
  await owner.api.updateRealm({ can_access_all_users_group: groups['role:members'] });
  const ada = await chat.user('ada', { realm });
  const gus = await chat.user('gus', { realm, role: 'guest' });
  const gil = await chat.user('gil', { realm, role: 'guest' });
  await chat.stream('lobby', { by: ada, members: [gus] });
  const secret = await chat.stream('board', { by: owner, invite_only: true });
  await stateOf(owner);
  await stateOf(ada);
  const { realm_users = [], streams = [], never_subscribed = [], realm_default_streams } = await stateOf(gus);
  expect(realm_users.map(({ user_id }) => user_id).sort()).toEqual([ada.id, gus.id].sort());
  expect(streams.map(({ name }) => name)).toEqual(['lobby']);
  expect([never_subscribed, realm_default_streams]).toEqual([[], []]);
  expect((await stateOf(gil)).realm_users?.map(({ user_id }) => user_id)).toEqual([gil.id]);
  expect((await stateOf(ada)).streams?.map(({ stream_id }) => stream_id)).not.toContain(secret);
});

test('organizations do not share values, even with logs of equal length', async () => {
  const [one, two] = [await chat.otherRealm('one'), await chat.otherRealm('two')];
  const [first, second] = [await stateOf(one.owner), await stateOf(two.owner)];
  const ids = ({ realm_users = [] }: typeof first) => realm_users.map(({ user_id }) => user_id);
  expect(ids(first)).toEqual([one.owner.id]);
  expect(ids(second)).toEqual([two.owner.id]);
  const groups = ({ realm_user_groups = [] }: typeof first) => realm_user_groups.map(({ id }) => id);
  expect(groups(first).filter((id) => groups(second).includes(id))).toEqual([]);
});

test('a response that does not match the document fails each time, though its lists are cached', async () => {
  const { realm, owner } = await chat.otherRealm('broken');
  const ada = await chat.user('ada', { realm, mirrored: false });
  await chat.database.db.execute(sql`update users set role = 401 where id = ${ada.id}`);
  await expectError('INTERNAL_SERVER_ERROR', owner.api.getUsers());
  await expectError('INTERNAL_SERVER_ERROR', owner.api.getUsers());
});

describe.runIf(onPostgres)('with several connections', () => {
  test('a transaction with an earlier snapshot computes its own value, and does not replace the later one', async () => {
    const [ada] = await chat.users('ada');
    const { made, take } = counted();
    const early = await inOneMoment(async (ctx) => {
      await ctx.db.execute(sql`select 1`);
      await promote(ada);
      const late = await inOneMoment(take);
      return [late.number, (await take(ctx)).number];
    });
    expect(early).toEqual([1, 2]);
    expect((await inOneMoment(take)).number).toBe(1);
    expect(made()).toBe(2);
  });

  test('a change at another process is in the next registration here', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const other = await startSecondProcess(chat);
    const roleOf = async (person: TestUser, api: TestUser['api']) =>
      (await api.registerQueue(options)).realm_users?.find(({ user_id }) => user_id === person.id)?.role;
    await roleOf(ada, ben.api);
    await roleOf(ada, other.apiOf(ben));
    const system = { realm: chat.realm, me: undefined, client: 'ParleyTest' };
    await transact(other.app, system, (ctx) => changeRole(ctx, ada.id, MODERATOR));
    expect(await roleOf(ada, ben.api)).toBe(MODERATOR);
    await promote(ben);
    expect(await roleOf(ben, other.apiOf(ben))).toBe(MODERATOR);
    await other.close();
  });
});
