import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
let iago: TestUser;
beforeAll(async () => {
  chat = await startChat();
  iago = await chat.user('iago', { role: 'admin', mirrored: false });
});
afterAll(() => chat.close());

const update = (person: object) => ({ id: expect.any(Number), type: 'realm_user', op: 'update', person });
const shown = async (user_id: number) => (await chat.owner.api.getUser({ user_id })).user;
const rank = (by: TestUser, { id }: TestUser, role: 100 | 200 | 300 | 400 | 600) =>
  by.api.updateUser({ user_id: id, role });

describe('changing the name and the role of a user', () => {
  // shows: 2.54
  test('administrators change them, and all users receive an event for each change', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await ben.takeEvents();
    await iago.api.updateUser({ user_id: ada.id, full_name: '  Ada Lovelace ', role: 300 });
    expect(await ben.takeEvents('realm_user')).toEqual([
      update({ user_id: ada.id, full_name: 'Ada Lovelace' }),
      update({ user_id: ada.id, role: 300 }),
    ]);
    expect(await shown(ada.id)).toMatchObject({ full_name: 'Ada Lovelace', role: 300 });
  });

  test('a value that does not change emits no event, and an empty request succeeds', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await ben.takeEvents();
    await iago.api.updateUser({ user_id: ada.id, full_name: ada.full_name, role: 400 });
    await iago.api.updateUser({ user_id: ada.id });
    expect(await ben.takeEvents()).toEqual([]);
  });

  test('other users cannot change them, but the owner of a bot can rename it', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const mo = await chat.user('mo', { role: 'moderator' });
    const bot = await chat.user('bot', { bot_of: ada });
    const rename = (by: TestUser, user_id: number) => by.api.updateUser({ user_id, full_name: 'Somebody Else' });
    for (const by of [ben, mo, bot]) await expectError('BAD_REQUEST', rename(by, ada.id), /administrators/);
    await expectError('BAD_REQUEST', rename(ada, ada.id));
    await expectError('BAD_REQUEST', rename(ben, bot.id));
    await expectError('BAD_REQUEST', ada.api.updateUser({ user_id: bot.id, full_name: 'Echo', role: 300 }));
    await rename(ada, bot.id);
    expect(await shown(bot.id)).toMatchObject({ full_name: 'Somebody Else', role: 400 });
    expect(await shown(ada.id)).toMatchObject({ full_name: ada.full_name });
  });

  // shows: 4.13.2
  test('an invalid name or an unknown role fails the request, and the other value does not change either', async () => {
    const [ada] = await chat.users('ada');
    for (const full_name of ['', 'A', 'Ada|7', 'Ada @ home', 'x'.repeat(101)])
      await expectError('BAD_REQUEST', iago.api.updateUser({ user_id: ada.id, full_name, role: 300 }), /full_name/);
    await expectError(
      'BAD_REQUEST',
      iago.api.updateUser({ user_id: ada.id, full_name: 'Ada Lovelace', role: 500 as never }),
      /role/,
    );
    expect(await shown(ada.id)).toMatchObject({ full_name: ada.full_name, role: 400 });
  });

  test('users who do not exist, users of another organization and the Notification Bot cannot be changed', async () => {
    const other = await chat.otherRealm('changing');
    const { cross_realm_bots = [] } = await chat.owner.api.registerQueue({ fetch_event_types: ['realm_user'] });
    for (const user_id of [987_654_321, other.owner.id, cross_realm_bots[0]?.user_id ?? 0]) {
      const unknown = new RegExp(`There is no user ${user_id}`);
      await expectError('BAD_REQUEST', iago.api.updateUser({ user_id, full_name: 'Somebody Else' }), unknown);
      await expectError('BAD_REQUEST', iago.api.deactivateUser({ user_id }), unknown);
      await expectError('BAD_REQUEST', iago.api.reactivateUser({ user_id }), unknown);
    }
  });

  test('only owners can grant or revoke the role of owner, to themselves and to others', async () => {
    const [ada] = await chat.users('ada');
    const olga = await chat.user('olga', { role: 'owner', mirrored: false });
    await expectError('UNAUTHORIZED_PRINCIPAL', rank(iago, ada, 100), /owner/);
    await expectError('UNAUTHORIZED_PRINCIPAL', rank(iago, iago, 100), /owner/);
    await expectError('UNAUTHORIZED_PRINCIPAL', rank(iago, olga, 400), /owner/);
    await rank(olga, ada, 100);
    await rank(olga, ada, 200);
    await rank(olga, olga, 400);
    expect(await shown(olga.id)).toMatchObject({ role: 400 });
  });

  test('the last owner keeps the role; bots and deactivated owners do not count as owners', async () => {
    const { realm, owner } = await chat.otherRealm('alone');
    const deactivated = await chat.user('gone', { role: 'owner', realm, mirrored: false });
    await owner.api.deactivateUser({ user_id: deactivated.id });
    await chat.user('bot', { role: 'owner', bot_of: owner, realm, mirrored: false });
    await expectError('BAD_REQUEST', rank(owner, owner, 200), /last owner/);
    await expectError('BAD_REQUEST', owner.api.deactivateUser({ user_id: owner.id }), /last owner/);
    const errorResponse = await expectError('CANNOT_DEACTIVATE_LAST_USER', owner.api.deactivateOwnUser({}));
    expect(errorResponse).toMatchObject({ is_last_owner: true, entity: 'organization owner' });
    await owner.api.reactivateUser({ user_id: deactivated.id });
    await owner.api.deactivateOwnUser({});
    await expectError('USER_DEACTIVATED', owner.api.getOwnUser());
    await expectError('CANNOT_DEACTIVATE_LAST_USER', deactivated.api.deactivateOwnUser({}));
  });

  test('the system groups of the user follow the role, with the waiting period of full members', async () => {
    const { realm, owner } = await chat.otherRealm('groups');
    await owner.api.updateRealm({ waiting_period_threshold: 10 });
    const ada = await chat.user('ada', { realm });
    const groups = async () => {
      const { user_groups } = await owner.api.getUserGroups();
      return user_groups.filter(({ members }) => members.includes(ada.id)).map(({ name }) => name);
    };
    const seen = [await groups()];
    for (const role of [300, 600, 200, 100, 400] as const) {
      await owner.api.updateUser({ user_id: ada.id, role });
      seen.push(await groups());
    }
    expect(seen).toEqual([
      ['role:members'],
      ['role:moderators'],
      ['role:everyone'],
      ['role:administrators'],
      ['role:owners'],
      ['role:members'],
    ]);
  });

  test('a new role that changes what a user can see ends the queues of the user; other changes do not', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await ada.takeEvents();
    await rank(iago, ada, 300);
    expect(await ada.takeEvents('realm_user')).toEqual([update({ user_id: ada.id, role: 300 })]);
    for (const role of [600, 400, 200, 400] as const) {
      const { queue_id, last_event_id } = await ben.api.registerQueue({});
      await rank(iago, ben, role);
      await expectError('BAD_EVENT_QUEUE_ID', ben.api.getEvents({ queue_id, last_event_id, dont_block: true }));
    }
  });
});

describe('deactivating an account', () => {
  // shows: 2.53
  test('ends its API key, its queues and the bots that it owns, and all users receive events', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const [one, two] = [await chat.user('one', { bot_of: ada }), await chat.user('two', { bot_of: ada })];
    const spare = await chat.user('spare', { bot_of: ben });
    await ben.takeEvents();
    await iago.api.deactivateUser({ user_id: ada.id, deactivation_notification_comment: 'Good night.' });
    expect(await ben.takeEvents('realm_user')).toEqual(
      [ada, one, two].map(({ id }) => update({ user_id: id, is_active: false })),
    );
    for (const person of [ada, one, two]) {
      await expectError('USER_DEACTIVATED', person.api.getOwnUser());
      expect(await shown(person.id)).toMatchObject({ is_active: false });
    }
    expect(await spare.api.getOwnUser()).toMatchObject({ is_active: true });
  });

  test('takes the same number of statements for any number of bots', async () => {
    const [ada, ben] = [await chat.user('ada', { mirrored: false }), await chat.user('ben', { mirrored: false })];
    for (let n = 0; n < 5; n++) await chat.user('bot', { bot_of: ben, mirrored: false });
    const few = await chat.statements(() => iago.api.deactivateUser({ user_id: ada.id }));
    const many = await chat.statements(() => iago.api.deactivateUser({ user_id: ben.id }));
    expect(many).toBe(few);
  });

  test('is done by administrators, for owners by owners, and only once', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const mo = await chat.user('mo', { role: 'moderator', mirrored: false });
    const olga = await chat.user('olga', { role: 'owner', mirrored: false });
    await expectError('UNAUTHORIZED_PRINCIPAL', mo.api.deactivateUser({ user_id: ada.id }), /administrator/);
    await expectError('UNAUTHORIZED_PRINCIPAL', iago.api.deactivateUser({ user_id: olga.id }), /owner/);
    await chat.owner.api.deactivateUser({ user_id: olga.id });
    await expectError('UNAUTHORIZED_PRINCIPAL', iago.api.reactivateUser({ user_id: olga.id }), /owner/);
    await iago.api.deactivateUser({ user_id: ada.id });
    await ben.takeEvents();
    await iago.api.deactivateUser({ user_id: ada.id });
    expect(await ben.takeEvents()).toEqual([]);
  });

  test('deactivates only the bot when the account is a bot', async () => {
    const [ada] = await chat.users('ada');
    const bot = await chat.user('bot', { bot_of: ada });
    await iago.api.deactivateUser({ user_id: bot.id });
    await expectError('USER_DEACTIVATED', bot.api.getOwnUser());
    expect(await ada.api.getOwnUser()).toMatchObject({ is_active: true });
  });

  test('ends a waiting poll, and the next poll fails', async () => {
    const ada = await chat.user('ada', { mirrored: false });
    const { queue_id, last_event_id } = await ada.api.registerQueue({});
    const poll = ada.api.getEvents({ queue_id, last_event_id });
    await expect.poll(() => chat.app.polls.waiting()).toBe(1);
    await iago.api.deactivateUser({ user_id: ada.id });
    expect(await poll).toEqual({ events: [] });
    await expectError('USER_DEACTIVATED', ada.api.getEvents({ queue_id, last_event_id }));
  });

  test('keeps the messages and the subscriptions of the user', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const stream_id = await chat.stream('ended', { by: ada, members: [ben] });
    const message_id = await chat.message({ from: ada, to: 'ended' });
    await iago.api.deactivateUser({ user_id: ada.id });
    expect((await ben.api.getMessage({ message_id })).message).toMatchObject({ sender_id: ada.id });
    await iago.api.reactivateUser({ user_id: ada.id });
    expect((await ada.api.getSubscriptions({})).subscriptions.map((one) => one.stream_id)).toContain(stream_id);
  });

  test('can be done by the user alone for their own account', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const bot = await chat.user('bot', { bot_of: ada });
    await ben.takeEvents();
    await ada.api.deactivateOwnUser({});
    for (const person of [ada, bot]) await expectError('USER_DEACTIVATED', person.api.getOwnUser());
    expect(await ben.takeEvents('realm_user')).toHaveLength(2);
  });
});

describe('reactivating an account', () => {
  test('restores the role, the groups and the API key, and all users receive an event', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await iago.api.deactivateUser({ user_id: ada.id });
    await ben.takeEvents();
    await iago.api.reactivateUser({ user_id: ada.id });
    expect(await ben.takeEvents('realm_user')).toEqual([update({ user_id: ada.id, is_active: true })]);
    expect(await ada.api.getOwnUser()).toMatchObject({ role: 400, is_active: true });
    await iago.api.reactivateUser({ user_id: ada.id });
    expect(await ben.takeEvents()).toEqual([]);
  });

  test('is done by administrators', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await iago.api.deactivateUser({ user_id: ada.id });
    await expectError('UNAUTHORIZED_PRINCIPAL', ben.api.reactivateUser({ user_id: ada.id }), /administrator/);
  });
});

describe('guests who see only some users', () => {
  test('receive events about these users, and no events about others', async () => {
    const { realm, owner } = await chat.otherRealm('sight');
    const { user_groups } = await owner.api.getUserGroups();
    const members = user_groups.find(({ name }) => name === 'role:members')?.id ?? 0;
    await owner.api.updateRealm({ can_access_all_users_group: members });
    const [ada, ben, gus] = [
      await chat.user('ada', { realm }),
      await chat.user('ben', { realm }),
      await chat.user('gus', { realm, role: 'guest' }),
    ];
    await chat.stream('shared', { by: owner, members: [ada, gus] });
    await gus.takeEvents();
    for (const { id } of [ada, ben]) {
      await owner.api.updateUser({ user_id: id, full_name: `Somebody ${id}` });
      await owner.api.updateUser({ user_id: id, role: 300 });
      await owner.api.deactivateUser({ user_id: id });
      await owner.api.reactivateUser({ user_id: id });
    }
    expect(await gus.takeEvents('realm_user')).toEqual([
      update({ user_id: ada.id, full_name: `Somebody ${ada.id}` }),
      update({ user_id: ada.id, role: 300 }),
      update({ user_id: ada.id, is_active: false }),
      update({ user_id: ada.id, is_active: true }),
    ]);
    const unseen = await expectError('BAD_REQUEST', gus.api.updateUser({ user_id: ben.id, full_name: 'Benno' }));
    const unknown = await expectError('BAD_REQUEST', gus.api.updateUser({ user_id: 987_654_321, full_name: 'Benno' }));
    expect(unseen.msg.replace(String(ben.id), 'ID')).toBe(unknown.msg.replace('987654321', 'ID'));
  });
});

describe('regenerating the API key', () => {
  test('returns a new key and ends the old one at once; queues go on', async () => {
    const ada = await chat.user('ada', { mirrored: false });
    const { queue_id, last_event_id } = await ada.api.registerQueue({});
    const { api_key } = await ada.api.regenerateApiKey({});
    expect(api_key).toMatch(/^[0-9A-Za-z]{32}$/);
    await expectError('INVALID_API_KEY', ada.api.getOwnUser());
    const again = chat.apiOf(chat.realm, { email: ada.email, apiKey: api_key });
    expect(await again.getEvents({ queue_id, last_event_id, dont_block: true })).toEqual({ events: [] });
  });

  test('can be done by a bot for its own key', async () => {
    const bot = await chat.user('bot', { bot_of: chat.owner, mirrored: false });
    const { api_key } = await bot.api.regenerateApiKey({});
    const again = chat.apiOf(chat.realm, { email: bot.email, apiKey: api_key });
    expect(await again.getOwnUser()).toMatchObject({ user_id: bot.id });
  });
});
