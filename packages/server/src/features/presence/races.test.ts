import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { runInLockOrder } from '../../../test/lock-order.ts';
import { startSecondProcess } from '../../../test/second-process.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  chat.clock.stop();
});
afterAll(() => chat.close());

const is = ({ api }: TestUser, status: 'active' | 'idle') => api.updatePresence({ status, ping_only: true });
const statusesHeard = async (person: TestUser) =>
  (await person.takeEvents('presence')).map(({ presence }) => presence.website.status);

test('of concurrent pings one emits an event', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const outcomes = await runInLockOrder(
    chat,
    [0, 1, 2, 3].map(() => () => is(ada, 'active')),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'));
  expect(await statusesHeard(ben)).toEqual(['active']);
  chat.clock.advance({ minutes: 2 });
  await Promise.all([is(ada, 'idle'), is(ada, 'idle'), is(ada, 'idle')]);
  expect(await statusesHeard(ben)).toEqual(['idle']);
});

test('a ping concurrent with disabling presence changes nothing after it', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await runInLockOrder(chat, [() => ada.api.updateSettings({ presence_enabled: false }), () => is(ada, 'active')]);
  expect(await statusesHeard(ben)).toEqual(['idle']);
  await ada.api.updateSettings({ presence_enabled: true });
  chat.clock.advance({ minutes: 2 });
  await runInLockOrder(chat, [() => is(ada, 'active'), () => ada.api.updateSettings({ presence_enabled: false })]);
  expect(await statusesHeard(ben)).toEqual(['active', 'active', 'idle']);
  expect((await ben.api.getUserPresence({ user_id: ada.id })).presence.website.status).toBe('idle');
});

test('a ping concurrent with the deactivation of the account leaves no presence', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [ended, pinged] = await runInLockOrder(chat, [
    () => chat.owner.api.deactivateUser({ user_id: ada.id }),
    () => expectError('USER_DEACTIVATED', is(ada, 'active')),
  ]);
  expect([ended?.status, pinged?.status]).toEqual(['fulfilled', 'fulfilled']);
  expect(await statusesHeard(ben)).toEqual([]);
  expect(await rows(chat.database.db, sql`select from user_presence where user_id = ${ada.id}`)).toEqual([]);
});

describe.runIf(onPostgres)('with two processes', () => {
  test('each delivers the pings of the other once, and both return the same presence', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const other = await startSecondProcess(chat);
    try {
      const there = other.apiOf(ada);
      await Promise.all([is(ada, 'active'), there.updatePresence({ status: 'active' }), is(ada, 'active')]);
      expect(await statusesHeard(ben)).toEqual(['active']);
      chat.clock.advance({ minutes: 3 });
      const { queue_id, last_event_id } = await other.apiOf(ben).registerQueue({ event_types: ['presence'] });
      const waiting = other.apiOf(ben).getEvents({ queue_id, last_event_id });
      await is(ada, 'idle');
      expect((await waiting).events).toMatchObject([{ user_id: ada.id, email: ada.email }]);
      expect(await there.getPresences()).toEqual(await ben.api.getPresences());
    } finally {
      await other.close();
    }
  });
});
