// Concurrent changes of accounts: each sees the others as they were before or as they are after it.
import { ParleyError } from '@parley/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { runInLockOrder } from '../../../test/lock-order.ts';
import { startSecondProcess } from '../../../test/second-process.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const codesOf = (ends: readonly PromiseSettledResult<unknown>[]) =>
  ends.map((end) => {
    if (end.status === 'fulfilled') return 'done';
    return end.reason instanceof ParleyError ? end.reason.code : end.reason;
  });
const silent = (name: string, options: Parameters<Chat['user']>[1] = {}) =>
  chat.user(name, { ...options, mirrored: false });

test('of two owners who concurrently revoke the role of each other, one succeeds, and an owner is left', async () => {
  const { realm, owner } = await chat.otherRealm('duel');
  const olga = await silent('olga', { role: 'owner', realm });
  const unmake = (by: TestUser, { id }: TestUser) => by.api.updateUser({ user_id: id, role: 400 });
  const ends = await Promise.allSettled([unmake(owner, olga), unmake(olga, owner)]);
  expect(codesOf(ends).sort()).toEqual(['BAD_REQUEST', 'done']);
  const { members } = await owner.api.getUsers();
  expect(members.filter((one) => one.is_owner)).toHaveLength(1);
});

test('of two owners who concurrently deactivate their accounts, one succeeds, and the other is the last owner', async () => {
  const { realm, owner } = await chat.otherRealm('exodus');
  const olga = await silent('olga', { role: 'owner', realm });
  const ends = await Promise.allSettled([owner.api.deactivateOwnUser({}), olga.api.deactivateOwnUser({})]);
  expect(codesOf(ends).sort()).toEqual(['CANNOT_DEACTIVATE_LAST_USER', 'done']);
});

test('of two administrators who concurrently deactivate each other, one is left', async () => {
  for (let round = 0; round < 5; round++) {
    const [amy, ann] = [await silent('amy', { role: 'admin' }), await silent('ann', { role: 'admin' })];
    const end = (by: TestUser, { id }: TestUser) => by.api.deactivateUser({ user_id: id });
    const ends = await Promise.allSettled([end(amy, ann), end(ann, amy)]);
    expect(codesOf(ends).sort()).toEqual(['USER_DEACTIVATED', 'done']);
  }
});

test('a request of an administrator whose role is revoked concurrently fails', async () => {
  const [amy, ben] = [await silent('amy', { role: 'admin' }), await silent('ben')];
  const ends = await runInLockOrder(chat, [
    () => chat.owner.api.updateUser({ user_id: amy.id, role: 400 }),
    () => amy.api.deactivateUser({ user_id: ben.id }),
  ]);
  expect(codesOf(ends)).toEqual(['done', 'UNAUTHORIZED_PRINCIPAL']);
});

test('of two concurrent requests for a new key one succeeds, and its key is valid', async () => {
  for (let round = 0; round < 5; round++) {
    const ada = await silent('ada');
    const ends = await Promise.allSettled([ada.api.regenerateApiKey({}), ada.api.regenerateApiKey({})]);
    expect(codesOf(ends).sort()).toEqual(['INVALID_API_KEY', 'done']);
    const [key] = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.api_key] : []));
    const again = chat.apiOf(chat.realm, { email: ada.email, apiKey: key ?? '' });
    expect(await again.getOwnUser()).toMatchObject({ user_id: ada.id });
  }
});

test('a message sent while its author is deactivated is stored and delivered, or the request fails', async () => {
  const ben = await chat.user('ben');
  for (let round = 0; round < 5; round++) {
    const ada = await silent('ada');
    await chat.stream(`meeting ${round}`, { by: ben, members: [ada] });
    await ben.takeEvents();
    const sending = chat.message({ from: ada, to: `meeting ${round}` });
    const [sent, ended] = await Promise.allSettled([sending, chat.owner.api.deactivateUser({ user_id: ada.id })]);
    expect(ended.status).toBe('fulfilled');
    const heard = (await ben.takeEvents('message')).map(({ message }) => message.id);
    expect(heard).toEqual(sent.status === 'fulfilled' ? [sent.value] : []);
    await expectError('USER_DEACTIVATED', chat.message({ from: ada, to: `meeting ${round}` }));
  }
});

test('a queue that is registered while its owner changes role has the new role, or ends', async () => {
  for (let round = 0; round < 5; round++) {
    const ada = await silent('ada');
    const [queue] = await Promise.all([
      ada.api.registerQueue({}),
      chat.owner.api.updateUser({ user_id: ada.id, role: 600 }),
    ]);
    const { queue_id, last_event_id } = queue;
    const ends = await Promise.allSettled([ada.api.getEvents({ queue_id, last_event_id, dont_block: true })]);
    // The queue ended if it was registered with the old role, and goes on if with the new one.
    expect(codesOf(ends)).toEqual([queue.is_guest ? 'done' : 'BAD_EVENT_QUEUE_ID']);
  }
});

describe('at another process, where the database has several', () => {
  let second: Awaited<ReturnType<typeof startSecondProcess>> | undefined;
  beforeAll(async () => {
    if (chat.database.url !== undefined) second = await startSecondProcess(chat);
    await second?.app.polls.listen();
  });
  afterAll(() => second?.close());

  test('the poll of a deactivated user ends, and the key is rejected', async () => {
    const ada = await silent('ada');
    const there = second?.apiOf(ada) ?? ada.api;
    const { queue_id, last_event_id } = await there.registerQueue({});
    const poll = there.getEvents({ queue_id, last_event_id });
    await expect.poll(() => (second ?? chat).app.polls.waiting()).toBe(1);
    await chat.owner.api.deactivateUser({ user_id: ada.id });
    expect(await poll).toEqual({ events: [] });
    await expectError('USER_DEACTIVATED', there.getOwnUser());
  });

  test('a key that was regenerated at this process is rejected', async () => {
    const ada = await silent('ada');
    await ada.api.regenerateApiKey({});
    await expectError('INVALID_API_KEY', (second?.apiOf(ada) ?? ada.api).getOwnUser());
  });
});
