// Concurrent requests: each sees the groups as they were before another one or as they are after it.
import { ParleyError } from '@parley/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const ROUNDS = 8;
let made = 0;
const fresh = (name: string) => `${name} ${made++}`;
const create = async ({ api }: TestUser, name = fresh('cooks'), more: object = {}) =>
  (await api.createUserGroup({ name, description: '', ...more })).group_id;
const moderators = async () =>
  [await chat.user('mo', { role: 'moderator' }), await chat.user('mia', { role: 'moderator' })] as const;

/** The results of calls: undefined for success, else the status. */
const outcomes = (calls: Promise<unknown>[]) =>
  Promise.all(
    calls.map((call) =>
      call.then(
        () => undefined,
        (error: unknown) => (error instanceof ParleyError ? error.status : error),
      ),
    ),
  );
const shown = async ({ api }: TestUser, id: number) =>
  (await api.getUserGroups()).user_groups.find((group) => group.id === id);

test('of two requests that create a group with one name, one succeeds and the other fails', async () => {
  const [mo, mia] = await moderators();
  for (let round = 0; round < ROUNDS; round++) {
    const name = fresh('wanted');
    expect((await outcomes([create(mo, name), create(mia, name)])).sort()).toEqual([400, undefined]);
  }
});

test('of two groups renamed to one name, and one created with it, one has the name', async () => {
  const [mo, mia] = await moderators();
  for (let round = 0; round < ROUNDS; round++) {
    const name = fresh('wanted');
    const [one, two] = [await create(mo), await create(mo)];
    const ended = await outcomes([
      mo.api.updateUserGroup({ user_group_id: one, name }),
      mia.api.updateUserGroup({ user_group_id: two, name }),
      create(chat.owner, name),
    ]);
    expect(ended.sort()).toEqual([400, 400, undefined]);
  }
});

test('concurrent requests cannot create a cycle of groups', async () => {
  const [mo, mia] = await moderators();
  const put = ({ api }: TestUser, user_group_id: number, id: number) =>
    api.updateUserGroupSubgroups({ user_group_id, add: [id] });
  for (let round = 0; round < ROUNDS; round++) {
    const [a, b, c, d] = [await create(mo), await create(mo), await create(mo), await create(mo)];
    await put(mo, a, b);
    await put(mo, c, d);
    // Each alone is valid; neither names the group that closes the cycle.
    const ended = await outcomes([put(mo, b, c), put(mia, d, a)]);
    expect(ended.sort()).toEqual([400, undefined]);
  }
});

test('of two requests that add one user, one succeeds and the other fails; removing concurrently is consistent', async () => {
  const [mo, mia] = await moderators();
  const ada = await chat.user('ada');
  for (let round = 0; round < ROUNDS; round++) {
    const user_group_id = await create(mo);
    const add = ({ api }: TestUser) => api.updateUserGroupMembers({ user_group_id, add: [ada.id] });
    expect((await outcomes([add(mo), add(mia)])).sort()).toEqual([400, undefined]);
    const remove = ({ api }: TestUser) => api.updateUserGroupMembers({ user_group_id, delete: [ada.id] });
    const [removed, added] = await outcomes([remove(mo), add(mia)]);
    expect(removed).toBeUndefined();
    expect((await shown(mo, user_group_id))?.members).toEqual(added === undefined ? [ada.id] : []);
  }
});

test('a group deleted while other groups begin to refer to it is deleted or stays, without dangling references', async () => {
  const [mo, mia] = await moderators();
  for (let round = 0; round < ROUNDS; round++) {
    const [doomed, other] = [await create(mo), await create(mo)];
    const ended = await outcomes([
      mo.api.deleteUserGroup({ user_group_id: doomed }),
      mia.api.updateUserGroup({ user_group_id: other, can_mention_group: doomed }),
      create(chat.owner, fresh('bakers'), { can_mention_group: doomed }),
      mo.api.updateUserGroupSubgroups({ user_group_id: other, add: [doomed] }),
      mia.api.updateUserGroupMembers({ user_group_id: doomed, add: [mo.id] }),
      mia.api.updateUserGroup({ user_group_id: doomed, name: fresh('bakers') }),
    ]);
    expect(ended.filter((status) => status !== undefined && status !== 400)).toEqual([]);
    const [deleted, mentioned, made_so] = ended;
    expect(deleted === undefined && (mentioned === undefined || made_so === undefined)).toBe(false);
    const { user_groups } = await mo.api.getUserGroups();
    const ids = new Set(user_groups.map(({ id }) => id));
    const named = user_groups.flatMap((group) => [group.can_mention_group, ...group.direct_subgroup_ids]);
    expect(named.filter((id) => !ids.has(id))).toEqual([]);
  }
});

test('two groups that concurrently begin to refer to each other do not deadlock', async () => {
  const [mo, mia] = await moderators();
  for (let round = 0; round < ROUNDS; round++) {
    const [a, b] = [await create(mo), await create(mo)];
    const ended = await outcomes([
      mo.api.updateUserGroup({ user_group_id: a, can_mention_group: b }),
      mia.api.updateUserGroup({ user_group_id: b, can_mention_group: a }),
    ]);
    expect(ended).toEqual([undefined, undefined]);
  }
});

test('notices about groups and messages to the same users do not deadlock', async () => {
  const [mo, mia] = await moderators();
  const [ada, ben] = await chat.users('ada', 'ben');
  for (let round = 0; round < ROUNDS; round++) {
    const [a, b] = [await create(mo), await create(mo)];
    const ids = [ada.id, ben.id];
    const ended = await outcomes([
      mo.api.updateUserGroupMembers({ user_group_id: a, add: ids }),
      mia.api.updateUserGroupMembers({ user_group_id: b, add: ids.toReversed() }),
      chat.message({ from: ada, to: [ben] }),
      mo.api.subscribe({ subscriptions: [{ name: fresh('room') }], principals: ids }),
    ]);
    expect(ended).toEqual([undefined, undefined, undefined, undefined]);
  }
});
