// Changes of accounts that meet: each finds the others as they were before it or as they are after it.
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

test('two owners who unmake each other at once: one does, and an owner is left', async () => {
  const { realm, owner } = await chat.otherRealm('duel');
  const olga = await silent('olga', { role: 'owner', realm });
  const unmake = (by: TestUser, { id }: TestUser) => by.api.updateUser({ user_id: id, role: 400 });
  const ends = await Promise.allSettled([unmake(owner, olga), unmake(olga, owner)]);
  expect(codesOf(ends).sort()).toEqual(['BAD_REQUEST', 'done']);
  const { members } = await owner.api.getUsers();
  expect(members.filter((one) => one.is_owner)).toHaveLength(1);
});

test('two owners who leave at once: one does, and the other is the last', async () => {
  const { realm, owner } = await chat.otherRealm('exodus');
  const olga = await silent('olga', { role: 'owner', realm });
  const ends = await Promise.allSettled([owner.api.deactivateOwnUser({}), olga.api.deactivateOwnUser({})]);
  expect(codesOf(ends).sort()).toEqual(['CANNOT_DEACTIVATE_LAST_USER', 'done']);
});

test('two administrators who end each other’s accounts at once: one of them is left', async () => {
  for (let round = 0; round < 5; round++) {
    const [amy, ann] = [await silent('amy', { role: 'admin' }), await silent('ann', { role: 'admin' })];
    const end = (by: TestUser, { id }: TestUser) => by.api.deactivateUser({ user_id: id });
    const ends = await Promise.allSettled([end(amy, ann), end(ann, amy)]);
    expect(codesOf(ends).sort()).toEqual(['USER_DEACTIVATED', 'done']);
  }
});

test('an administrator who is unmade at the same moment does nothing more', async () => {
  const [amy, ben] = [await silent('amy', { role: 'admin' }), await silent('ben')];
  const ends = await runInLockOrder(chat, [
    () => chat.owner.api.updateUser({ user_id: amy.id, role: 400 }),
    () => amy.api.deactivateUser({ user_id: ben.id }),
  ]);
  expect(codesOf(ends)).toEqual(['done', 'UNAUTHORIZED_PRINCIPAL']);
});

test('of two requests for a new key one gets it, and it works', async () => {
  for (let round = 0; round < 5; round++) {
    const ada = await silent('ada');
    const ends = await Promise.allSettled([ada.api.regenerateApiKey({}), ada.api.regenerateApiKey({})]);
    expect(codesOf(ends).sort()).toEqual(['INVALID_API_KEY', 'done']);
    const [key] = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.api_key] : []));
    const again = chat.apiOf(chat.realm, { email: ada.email, apiKey: key ?? '' });
    expect(await again.getOwnUser()).toMatchObject({ user_id: ada.id });
  }
});

test('a message that is being sent while its author is deactivated is there and told, or it never was', async () => {
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

test('a queue that is being registered while its owner changes role is not left behind', async () => {
  for (let round = 0; round < 5; round++) {
    const ada = await silent('ada');
    const [queue] = await Promise.all([
      ada.api.registerQueue({}),
      chat.owner.api.updateUser({ user_id: ada.id, role: 600 }),
    ]);
    const { queue_id, last_event_id } = queue;
    const ends = await Promise.allSettled([ada.api.getEvents({ queue_id, last_event_id, dont_block: true })]);
    // Either it had gone with the old role, or it began with the new one.
    expect(codesOf(ends)).toEqual([queue.is_guest ? 'done' : 'BAD_EVENT_QUEUE_ID']);
  }
});

describe('in another process, where the database has several', () => {
  let second: Awaited<ReturnType<typeof startSecondProcess>> | undefined;
  beforeAll(async () => {
    if (chat.database.url !== undefined) second = await startSecondProcess(chat);
    await second?.app.polls.listen();
  });
  afterAll(() => second?.close());

  test('a deactivated person’s poll ends, and the key is refused', async () => {
    const ada = await silent('ada');
    const there = second?.apiOf(ada) ?? ada.api;
    const { queue_id, last_event_id } = await there.registerQueue({});
    const poll = there.getEvents({ queue_id, last_event_id });
    await expect.poll(() => (second ?? chat).app.polls.waiting()).toBe(1);
    await chat.owner.api.deactivateUser({ user_id: ada.id });
    expect(await poll).toEqual({ events: [] });
    await expectError('USER_DEACTIVATED', there.getOwnUser());
  });

  test('a key that was regenerated here is refused', async () => {
    const ada = await silent('ada');
    await ada.api.regenerateApiKey({});
    await expectError('INVALID_API_KEY', (second?.apiOf(ada) ?? ada.api).getOwnUser());
  });
});
