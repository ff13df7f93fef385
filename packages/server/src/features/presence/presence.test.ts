import { applyEvent, type State } from '@parley/client';
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  chat.clock.stop();
});
afterAll(() => chat.close());

type Status = 'active' | 'idle';
const is = ({ api }: TestUser, status: Status) => api.updatePresence({ status, ping_only: true });
const seconds = () => Math.floor(chat.clock().getTime() / 1000);
const website = (status: Status, timestamp: number) => ({ client: 'website', status, timestamp, pushable: false });
const shown = (status: Status, timestamp: number) => ({
  aggregated: { client: 'website', status, timestamp },
  website: website(status, timestamp),
});
const toExpectedEvent = ({ id, email }: TestUser, status: Status, timestamp = seconds()) => ({
  id: expect.any(Number),
  type: 'presence',
  user_id: id,
  email,
  server_timestamp: chat.clock().getTime() / 1000,
  presence: { website: website(status, timestamp) },
});
const stateOf = ({ api }: TestUser, slim_presence = false) =>
  api.registerQueue({ fetch_event_types: ['presence'], slim_presence });

describe('the presence of a user', () => {
  test('is emitted to all users, and in later registrations', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const gus = await chat.user('gus', { role: 'guest' });
    expect(await is(ada, 'active')).toEqual({});
    for (const person of [ada, ben, gus]) {
      expect(await person.takeEvents('presence')).toEqual([toExpectedEvent(ada, 'active')]);
      const { presences, server_timestamp } = await stateOf(person);
      expect(presences?.[ada.email]).toEqual(shown('active', seconds()));
      expect(presences).not.toHaveProperty([ben.email]);
      expect(server_timestamp).toBe(chat.clock().getTime() / 1000);
    }
  });

  test('is returned by email, by id in the slim format, or not at all for ping_only', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const then = seconds();
    await is(ada, 'active');
    chat.clock.advance({ seconds: 90 });
    await is(ada, 'idle');
    const by_email = await ben.api.updatePresence({ status: 'idle', new_user_input: true });
    expect(by_email.server_timestamp).toBe(chat.clock().getTime() / 1000);
    expect(by_email.presences).toMatchObject({
      [ada.email]: shown('idle', seconds()),
      [ben.email]: shown('idle', seconds()),
    });
    const by_id = await ben.api.updatePresence({ status: 'active', slim_presence: true });
    expect(by_id.presences?.[ada.id]).toEqual({ active_timestamp: then, idle_timestamp: seconds() });
    expect(by_id.presences?.[ben.id]).toEqual({ active_timestamp: seconds(), idle_timestamp: seconds() });
    expect(by_id.presences).not.toHaveProperty([ada.email]);
    expect(await ben.api.updatePresence({ status: 'active', ping_only: true, slim_presence: true })).toEqual({});
  });

  test('can be fetched of one user, by id or email, and of all users', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await is(ada, 'idle');
    for (const user_id of [ada.id, ada.email]) {
      expect(await ben.api.getUserPresence({ user_id })).toEqual({ presence: shown('idle', seconds()) });
    }
    const { presences, server_timestamp } = await ben.api.getPresences();
    expect(presences[ada.email]).toEqual(shown('idle', seconds()));
    expect(server_timestamp).toBe(chat.clock().getTime() / 1000);
    await expectError(
      'BAD_REQUEST',
      ada.api.getUserPresence({ user_id: ben.id }),
      new RegExp(`user ${ben.id} is not known`),
    );
    await expectError('BAD_REQUEST', ada.api.getUserPresence({ user_id: 'nobody@example.com' }), /no user nobody@/);
  });

  // shows: 1.12
  test('has the API email address as its key, and the new one when that changes', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await is(ada, 'active');
    await ada.api.updateSettings({ email_address_visibility: 4 });
    const hidden = `user${ada.id}@${chat.realm.host}`;
    expect((await stateOf(ben)).presences).toHaveProperty([hidden]);
    expect((await stateOf(ben)).presences).not.toHaveProperty([ada.email]);
    chat.clock.advance({ minutes: 1 });
    await is(ada, 'active');
    expect(await ben.takeEvents('presence')).toMatchObject([{ email: ada.email }, { email: hidden }]);
    await ada.api.updateSettings({ email_address_visibility: 1, presence_enabled: false });
  });
});

describe('pings', () => {
  test('within a minute write no row and emit no event while nothing changes, and then one of each', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const written = async () =>
      (
        await rows<{ xmin: string }>(
          chat.database.db,
          sql`select xmin::text from user_presence where user_id = ${ada.id}`,
        )
      )[0];
    for (const status of ['active', 'idle'] as const) {
      chat.clock.advance({ minutes: 5 });
      await is(ada, status);
      const before = await written();
      expect(await ben.takeEvents('presence')).toEqual([toExpectedEvent(ada, status)]);
      for (let n = 0; n < 5; n++) {
        chat.clock.advance({ seconds: 10 });
        expect(await chat.statements(() => is(ada, status))).toBeLessThanOrEqual(4);
      }
      expect(await written()).toEqual(before);
      expect(await ben.takeEvents('presence')).toEqual([]);
      chat.clock.advance({ seconds: 10 });
      await is(ada, status);
      expect(await ben.takeEvents('presence')).toEqual([toExpectedEvent(ada, status)]);
    }
  });

  test('from an active client are emitted at once, and an idle client does not override an active one', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await is(ada, 'idle');
    chat.clock.advance({ seconds: 1 });
    await is(ada, 'active');
    const active = toExpectedEvent(ada, 'active');
    chat.clock.advance({ seconds: 60 });
    await is(ada, 'idle');
    const heard = await ben.takeEvents('presence');
    expect(heard.map(({ presence }) => presence.website.status)).toEqual(['idle', 'active']);
    expect(heard[1]?.presence).toEqual(active.presence);
    chat.clock.advance({ seconds: 10 });
    await is(ada, 'idle');
    expect(await ben.takeEvents('presence')).toEqual([toExpectedEvent(ada, 'idle')]);
  });

  test('need a valid status', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await expectError('REQUEST_VARIABLE_MISSING', ada.api.updatePresence({} as never), /status/);
    for (const status of ['asleep', '', 'ACTIVE']) {
      await expectError('BAD_REQUEST', ada.api.updatePresence({ status: status as never }), /"status"/);
    }
    expect(await ben.takeEvents('presence')).toEqual([]);
  });

  test('of bots fail, and so does fetching the presence of a bot', async () => {
    const ada = await chat.user('ada');
    const bo = await chat.user('bo', { bot_of: ada });
    await expectError('BAD_REQUEST', is(bo, 'active'), /bots/i);
    await expectError('BAD_REQUEST', ada.api.getUserPresence({ user_id: bo.id }), /bot/);
    expect((await bo.api.getPresences()).presences).not.toHaveProperty([bo.email]);
  });
});

describe('a user who disables presence', () => {
  // shows: 4.13.51
  test('is offline at once, emits no event by pings, and is active when presence is enabled again', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await is(ada, 'active');
    await ben.takeEvents();
    const offline = seconds() - 205;
    await ada.api.updateSettings({ presence_enabled: false });
    expect(await ben.takeEvents('presence')).toEqual([toExpectedEvent(ada, 'idle', offline)]);
    chat.clock.advance({ minutes: 5 });
    for (const status of ['active', 'idle'] as const) await is(ada, status);
    expect((await ben.api.getUserPresence({ user_id: ada.id })).presence).toEqual(shown('idle', offline));
    expect(await ben.takeEvents('presence')).toEqual([]);
    await ada.api.updateSettings({ presence_enabled: true });
    expect(await ben.takeEvents('presence')).toEqual([toExpectedEvent(ada, 'active')]);
    await ada.api.updateSettings({ presence_enabled: true });
    expect(await ben.takeEvents('presence')).toEqual([]);
  });

  test('by being away is offline, and not active later than the last ping', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const then = seconds();
    await ada.takeEvents();
    await is(ada, 'active');
    chat.clock.advance({ minutes: 9 });
    await ada.api.updateStatus({ away: true });
    expect((await ada.takeEvents()).map(({ type }) => type)).toEqual([
      'presence',
      'user_settings',
      'presence',
      'user_status',
    ]);
    expect((await ben.api.getUserPresence({ user_id: ada.id })).presence).toEqual(shown('idle', then));
  });
});

describe('a deactivated user', () => {
  test('has no presence, nor after reactivation until the next ping', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await is(ada, 'active');
    await chat.owner.api.deactivateUser({ user_id: ada.id });
    expect((await stateOf(ben)).presences).not.toHaveProperty([ada.email]);
    await expectError('BAD_REQUEST', ben.api.getUserPresence({ user_id: ada.id }), /not known/);
    await chat.owner.api.reactivateUser({ user_id: ada.id });
    expect((await ben.api.getPresences()).presences).not.toHaveProperty([ada.email]);
    await is(ada, 'active');
    expect((await ben.api.getPresences()).presences).toHaveProperty([ada.email]);
  });
});

test('presence of another organization is neither delivered nor returned', async () => {
  const ada = await chat.user('ada');
  const { owner } = await chat.otherRealm('elsewhere');
  await is(owner, 'active');
  expect(await ada.takeEvents('presence')).toEqual([]);
  for (const user_id of [owner.id, owner.email]) {
    await expectError('BAD_REQUEST', ada.api.getUserPresence({ user_id }), /There is no user/);
  }
  expect((await ada.api.getPresences()).presences).not.toHaveProperty([owner.email]);
  expect((await stateOf(ada, true)).presences).not.toHaveProperty(String(owner.id));
});

test('a slim queue receives ids without addresses, and its state follows from the events as well', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const { queue_id, last_event_id, ...first } = await stateOf(ben, true);
  await is(ada, 'idle');
  await is(ada, 'active');
  chat.clock.advance({ seconds: 75 });
  await is(ada, 'idle');
  await ada.api.updateSettings({ presence_enabled: false });
  const slim = await stateOf(ben, true);
  const { events } = await ben.api.getEvents({ queue_id, last_event_id, dont_block: true });
  let state: State = first;
  for (const event of events) {
    if (event.type === 'presence') expect(event).not.toHaveProperty('email');
    state = applyEvent(state, event);
  }
  expect(events.filter(({ type }) => type === 'presence')).toHaveLength(4);
  expect(state.presences).toEqual(slim.presences);
  expect(state.server_timestamp).toBe(slim.server_timestamp);
});
