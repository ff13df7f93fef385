import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const names = async (who: TestUser) => (await who.api.getSubscriptions({})).subscriptions.map(({ name }) => name);

test('one request subscribes to some streams and unsubscribes from others', async () => {
  const [ada] = await chat.users('ada');
  await chat.stream('old', { by: ada });
  await chat.stream('known', { by: chat.owner });
  const answer = await ada.api.updateSubscriptions({
    add: [{ name: 'known' }, { name: 'brand new', description: 'Fresh.' }],
    delete: ['old', 'known'],
  });
  expect(answer).toMatchObject({
    subscribed: { [ada.email]: ['known', 'brand new'] },
    already_subscribed: {},
    removed: ['old', 'known'],
    not_removed: [],
  });
  expect(await names(ada)).toEqual(['brand new']);
});

test('without add and delete it fails', async () => {
  const [ada] = await chat.users('ada');
  await expectError('BAD_REQUEST', ada.api.updateSubscriptions({}), /add/);
  await expectError('BAD_REQUEST', ada.api.updateSubscriptions({ add: [], delete: [] }));
});

test('guests can unsubscribe with it, but not subscribe', async () => {
  const [ada] = await chat.users('ada');
  const gus = await chat.user('gus', { role: 'guest' });
  await chat.stream('garden', { by: ada, members: [gus] });
  await expectError('BAD_REQUEST', gus.api.updateSubscriptions({ add: [{ name: 'garden' }] }), /^add: guests/);
  await expectError(
    'BAD_REQUEST',
    gus.api.updateSubscriptions({ add: [{ name: 'x' }], delete: ['garden'] }),
    /^add: guests/,
  );
  expect(await names(gus)).toEqual(['garden']);
  expect(await gus.api.updateSubscriptions({ delete: ['garden'] })).toMatchObject({ removed: ['garden'] });
  expect(await names(gus)).toEqual([]);
});

test('when one part fails, nothing of the other is done', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await chat.stream('mine', { by: ada });
  await chat.stream('closed', { by: ben, invite_only: true });
  await ada.takeEvents();
  await expectError(
    'STREAM_DOES_NOT_EXIST',
    ada.api.updateSubscriptions({ add: [{ name: 'half' }], delete: ['nowhere'] }),
  );
  await expectError('BAD_REQUEST', ada.api.updateSubscriptions({ add: [{ name: 'closed' }], delete: ['mine'] }));
  expect(await names(ada)).toEqual(['mine']);
  expect(await ada.takeEvents()).toEqual([]);
});

test('two users who swap two streams concurrently do not deadlock', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await chat.stream('one', { by: ada });
  await chat.stream('two', { by: ben });
  const swap = (who: TestUser, from: string, to: string) =>
    who.api.updateSubscriptions({ add: [{ name: to }], delete: [from] });
  for (let round = 0; round < 10; round++) {
    const [left, right] = round % 2 === 0 ? (['one', 'two'] as const) : (['two', 'one'] as const);
    await Promise.all([swap(ada, left, right), swap(ben, right, left)]);
  }
  expect([await names(ada), await names(ben)]).toEqual([['one'], ['two']]);
});

test('all users can ask whether a user is subscribed to a stream that they can see', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await chat.stream('asked', { by: ada });
  const isIn = async (user_id: number) => (await ben.api.getSubscriptionStatus({ user_id, stream_id })).is_subscribed;
  expect([await isIn(ada.id), await isIn(ben.id)]).toEqual([true, false]);
  await ada.api.unsubscribe({ subscriptions: ['asked'] });
  expect(await isIn(ada.id)).toBe(false);
});

test('subscriptions to a stream that the caller cannot see, and of unknown users, are reported as unknown', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const secret = await chat.stream('private talk', { by: ada, invite_only: true });
  const open = await chat.stream('public talk', { by: ada });
  const hidden = await expectError(
    'BAD_REQUEST',
    ben.api.getSubscriptionStatus({ user_id: ada.id, stream_id: secret }),
  );
  const missing = await expectError(
    'BAD_REQUEST',
    ben.api.getSubscriptionStatus({ user_id: ada.id, stream_id: 999999 }),
  );
  expect(hidden.msg.replace(String(secret), '')).toBe(missing.msg.replace('999999', ''));
  await expectError('BAD_REQUEST', ben.api.getSubscriptionStatus({ user_id: 999999, stream_id: open }));
  const { owner } = await chat.otherRealm('elsewhere');
  await expectError('BAD_REQUEST', owner.api.getSubscriptionStatus({ user_id: ada.id, stream_id: open }));
});
