import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { changeUserSettings } from '../user-settings/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({ enable_read_receipts: true });
});
afterAll(() => chat.close());

const readersOf = async (who: TestUser, message_id: number) => (await who.api.getReadReceipts({ message_id })).user_ids;
const read = (who: TestUser, id: number, op: 'add' | 'remove' = 'add') =>
  who.api.updateMessageFlags({ messages: [id], op, flag: 'read' });

test('users who have read a message are listed without its sender, and not after marking it as unread', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  await chat.stream('news', { by: ada, members: [ben, cleo] });
  const id = await chat.message({ from: ada, to: 'news' });
  expect(await readersOf(ada, id)).toEqual([]);
  await read(cleo, id);
  await read(ben, id);
  expect(await readersOf(ada, id)).toEqual([ben.id, cleo.id]);
  await read(cleo, id, 'remove');
  expect(await readersOf(ben, id)).toEqual([ben.id]);
});

test('readers of a direct message are listed, too', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const id = await chat.message({ from: ada, to: [ben] });
  await read(ben, id);
  expect(await readersOf(ada, id)).toEqual([ben.id]);
});

test('users who do not send read receipts, and deactivated users, are not listed', async () => {
  const [ada, shy] = await chat.users('ada', 'shy');
  await chat.stream('shyness', { by: ada, members: [shy] });
  const id = await chat.message({ from: ada, to: 'shyness' });
  await read(shy, id);
  expect(await readersOf(ada, id)).toEqual([shy.id]);
  await chat.act((ctx) =>
    changeUserSettings(ctx, { realm_id: ctx.realm.id, id: shy.id }, { send_read_receipts: false }),
  );
  expect(await readersOf(ada, id)).toEqual([]);
});

test('users who subscribed later and never received the message are not listed, though it is not unread for them', async () => {
  const [ada, late] = await chat.users('ada', 'late');
  await chat.stream('history', { by: ada });
  const id = await chat.message({ from: ada, to: 'history' });
  await late.api.subscribe({ subscriptions: [{ name: 'history' }] });
  expect(await readersOf(ada, id)).toEqual([]);
});

test('a guest receives only users they can see', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const guest = await chat.user('guest', { role: 'guest' });
  await chat.stream('lounge', { by: ada, members: [guest, ben] });
  const id = await chat.message({ from: ada, to: 'lounge' });
  await read(ben, id);
  await ben.api.unsubscribe({ subscriptions: ['lounge'] });
  expect(await readersOf(guest, id)).toEqual([ben.id]);
  const { user_groups } = await chat.owner.api.getUserGroups();
  const members = user_groups.find(({ name }) => name === 'role:members')?.id ?? 0;
  await chat.owner.api.updateRealm({ can_access_all_users_group: members });
  expect(await readersOf(guest, id)).toEqual([]);
  expect(await readersOf(ada, id)).toEqual([ben.id]);
});

test('receipts of a message that the user cannot read fail as for an unknown message', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const id = await chat.message({ from: ada, to: [ada] });
  const hidden = await expectError('BAD_REQUEST', ben.api.getReadReceipts({ message_id: id }));
  const missing = await expectError('BAD_REQUEST', ben.api.getReadReceipts({ message_id: 999999 }));
  expect(hidden.msg.replace(String(id), '')).toBe(missing.msg.replace('999999', ''));
});

test('in an organization without enable_read_receipts the request fails', async () => {
  const { owner } = await chat.otherRealm('discreet');
  const { id } = await owner.api.sendMessage({ type: 'direct', to: [owner.id], content: 'Note to self.' });
  await expectError('BAD_REQUEST', owner.api.getReadReceipts({ message_id: id }), /disabled/);
});
