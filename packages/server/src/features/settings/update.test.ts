import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { runInLockOrder } from '../../../test/lock-order.ts';
import { settingsOf, toSettingsEvent } from '../../../test/settings.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

type SettingsParams = NonNullable<Parameters<TestUser['api']['updateSettings']>[0]>;
const newsOf = (users: readonly TestUser[]) => Promise.all(users.map((person) => person.takeEvents()));

// shows: 4.13.1
test('an empty request, or one with the present values, succeeds without an event', async () => {
  const [ada] = await chat.users('ada');
  await ada.takeEvents();
  expect(await ada.api.updateSettings()).toEqual({});
  expect(await ada.api.updateSettings({ enter_sends: false, timezone: '' })).toEqual({});
  expect(await ada.takeEvents()).toEqual([]);
});

// shows: 4.13.53
test('parameters that are no setting are reported as ignored, and the settings beside them change', async () => {
  const [ada] = await chat.users('ada');
  const answer = await ada.api.updateSettings({ enter_sends: true, colour: 'red', avatar: 'x' } as never);
  expect(answer).toEqual({ ignored_parameters_unsupported: ['avatar', 'colour'] });
  expect(await settingsOf(ada)).toMatchObject({ enter_sends: true });
});

// shows: 4.13.54, 9.22
test('the two aliases of the operation do the same', async () => {
  const [ada] = await chat.users('ada');
  await ada.takeEvents();
  await ada.api.updateDisplaySettings({ enable_sounds: false });
  await ada.api.updateNotificationSettings({ color_scheme: 3 });
  expect(await ada.takeEvents()).toEqual([toSettingsEvent('enable_sounds', false), toSettingsEvent('color_scheme', 3)]);
});

test('bots have no settings', async () => {
  const ada = await chat.user('ada');
  const bot = await chat.user('bot', { bot_of: ada });
  await expectError('BAD_REQUEST', bot.api.updateSettings({ enter_sends: true }), /[Bb]ot/);
  await expectError('BAD_REQUEST', bot.api.updateSettings(), /[Bb]ot/);
});

test('guests have settings like other users', async () => {
  const gus = await chat.user('gus', { role: 'guest' });
  await gus.api.updateSettings({ enter_sends: true });
  expect(await settingsOf(gus)).toMatchObject({ enter_sends: true });
});

describe('other users receive', () => {
  test('a new time zone, with the API address of the user', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await newsOf([ada, ben]);
    await ada.api.updateSettings({ timezone: 'Europe/Rome' });
    const person = { user_id: ada.id, timezone: 'Europe/Rome', email: ada.email };
    expect(await ben.takeEvents()).toEqual([{ id: expect.any(Number), type: 'realm_user', op: 'update', person }]);
    expect(await ada.takeEvents('realm_user')).toMatchObject([{ person }]);
  });

  // shows: 4.13.51
  test('presence that is disabled and enabled, as the status away', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await newsOf([ada, ben]);
    await ada.api.updateSettings({ presence_enabled: false });
    await ada.api.updateSettings({ presence_enabled: false });
    await ada.api.updateSettings({ presence_enabled: true });
    const status = (away: boolean) => ({ id: expect.any(Number), type: 'user_status', user_id: ada.id, away });
    expect(await ben.takeEvents('user_status', 'user_settings')).toEqual([status(true), status(false)]);
    expect(await ada.takeEvents('user_settings')).toEqual([
      toSettingsEvent('presence_enabled', false),
      toSettingsEvent('presence_enabled', true),
    ]);
    const presences = await ben.takeEvents('presence');
    expect(presences.map(({ presence }) => presence.website.status)).toEqual(['idle', 'active']);
  });

  // shows: 4.13.2
  test('a new name, without the spaces around it', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await newsOf([ada, ben]);
    await ada.api.updateSettings({ full_name: '  Ada Lovelace ' });
    const person = { user_id: ada.id, full_name: 'Ada Lovelace' };
    for (const one of [ada, ben])
      expect(await one.takeEvents()).toEqual([{ id: expect.any(Number), type: 'realm_user', op: 'update', person }]);
    expect((await ada.api.getOwnUser()).full_name).toBe('Ada Lovelace');
    await ada.api.updateSettings({ full_name: 'Ada Lovelace' });
    expect(await ben.takeEvents()).toEqual([]);
  });

  test('nothing about a user whom they cannot see', async () => {
    const { realm, owner } = await chat.otherRealm('limited');
    const { user_groups } = await owner.api.getUserGroups();
    const members = user_groups.find(({ name }) => name === 'role:members')?.id ?? 0;
    await owner.api.updateRealm({ can_access_all_users_group: members });
    const [ada, gus] = [await chat.user('ada', { realm }), await chat.user('gus', { realm, role: 'guest' })];
    await newsOf([ada, gus]);
    await ada.api.updateSettings({
      full_name: 'Ada Hidden',
      timezone: 'UTC',
      presence_enabled: false,
      email_address_visibility: 4,
    });
    expect(await gus.takeEvents()).toEqual([]);
  });
});

describe('where the organization forbids name changes', () => {
  test('a new name of a member is ignored without an error, and that of an administrator is set', async () => {
    const { realm, owner } = await chat.otherRealm('fixed');
    await owner.api.updateRealm({ name_changes_disabled: true });
    const [ada, iago] = [await chat.user('ada', { realm }), await chat.user('iago', { realm, role: 'admin' })];
    await newsOf([ada, iago]);
    for (const full_name of ['Ada Lovelace', '*']) await ada.api.updateSettings({ full_name, enter_sends: true });
    expect(await ada.takeEvents()).toEqual([toSettingsEvent('enter_sends', true)]);
    expect((await ada.api.getOwnUser()).full_name).toBe(ada.full_name);
    await iago.api.updateSettings({ full_name: 'Iago the Good' });
    expect((await iago.api.getOwnUser()).full_name).toBe('Iago the Good');
  });
});

describe('two concurrent requests', () => {
  test('that change different settings are both kept', async () => {
    const [ada] = await chat.users('ada');
    const changes: SettingsParams[] = [
      { enter_sends: true },
      { color_scheme: 2 },
      { timezone: 'UTC' },
      { full_name: 'Ada Byron' },
    ];
    await runInLockOrder(
      chat,
      changes.map((one) => () => ada.api.updateSettings(one)),
    );
    expect(await settingsOf(ada)).toMatchObject({ enter_sends: true, color_scheme: 2, timezone: 'UTC' });
    expect((await ada.api.getOwnUser()).full_name).toBe('Ada Byron');
  });

  test('that change the same setting emit their events in the order of the commits', async () => {
    const [ada] = await chat.users('ada');
    await ada.takeEvents();
    const schemes = [2, 3, 2] as const;
    await runInLockOrder(
      chat,
      schemes.map((color_scheme) => () => ada.api.updateSettings({ color_scheme })),
    );
    const last = (await ada.takeEvents('user_settings')).at(-1);
    expect((await settingsOf(ada))?.color_scheme).toBe(last?.value);
  });
});
