import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const toExpectedEvent = (property: string, value: unknown) => ({
  id: expect.any(Number),
  type: 'user_settings',
  op: 'update',
  property,
  value,
});
const newsOf = (people: readonly TestUser[]) => Promise.all(people.map((person) => person.takeEvents()));

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
      toExpectedEvent('presence_enabled', false),
      toExpectedEvent('presence_enabled', true),
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
    expect(await ada.takeEvents()).toEqual([toExpectedEvent('enter_sends', true)]);
    expect((await ada.api.getOwnUser()).full_name).toBe(ada.full_name);
    await iago.api.updateSettings({ full_name: 'Iago the Good' });
    expect((await iago.api.getOwnUser()).full_name).toBe('Iago the Good');
  });
});
