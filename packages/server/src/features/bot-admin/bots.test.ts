import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
let iago: TestUser;
beforeAll(async () => {
  chat = await startChat();
  iago = await chat.user('iago', { role: 'admin', mirrored: false });
});
afterAll(() => chat.close());

let made = 0;
const createParams = (more: object = {}) => ({ full_name: 'Echo Bot', short_name: `echo${made++}`, ...more });
const create = (by: TestUser, more: object = {}) => by.api.createBot(createParams(more));
const listed = async (by: TestUser) => (await by.api.getBots()).bots;
const as = (email: string, apiKey: string) => chat.apiOf(chat.realm, { email, apiKey });
const toExpectedEvent = (op: string, bot: object) => ({ id: expect.any(Number), type: 'realm_bot', op, bot });

describe('creating a bot', () => {
  // shows: 5.2
  test('returns an account that authenticates with its key, acts as a member and has its creator as owner', async () => {
    const ada = await chat.user('ada');
    const short_name = `echo${made++}`;
    const { user_id, api_key } = await ada.api.createBot({ full_name: ' Echo Bot ', short_name });
    const email = `${short_name}-bot@${chat.realm.host}`;
    expect(await as(email, api_key).getOwnUser()).toMatchObject({
      user_id,
      email,
      full_name: 'Echo Bot',
      role: 400,
      is_bot: true,
      bot_type: 1,
      bot_owner_id: ada.id,
    });
    expect(await listed(ada)).toEqual([
      {
        user_id,
        email,
        full_name: 'Echo Bot',
        bot_type: 1,
        owner_id: ada.id,
        avatar_url: `/avatar/${user_id}`,
        api_key,
      },
    ]);
  });

  test('emits the account to all users, the bot to its owner and administrators, and the key to no user', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const amy = await chat.user('amy', { role: 'admin' });
    for (const person of [ada, ben, amy]) await person.takeEvents();
    const { user_id } = await create(ada);
    for (const person of [ada, amy]) {
      const [event] = await person.takeEvents('realm_bot');
      expect(event).toMatchObject(toExpectedEvent('add', { user_id, owner_id: ada.id }));
      expect(event?.bot).not.toHaveProperty('api_key');
    }
    const heard = await ben.takeEvents();
    expect(heard.map(({ type }) => type)).not.toContain('realm_bot');
    expect(heard[0]).toMatchObject({ type: 'realm_user', op: 'add', person: { user_id, is_bot: true } });
  });

  test.each([1, 2, 3, 4] as const)('type %i is stored', async (bot_type) => {
    const ada = await chat.user('ada');
    const { user_id } = await create(ada, { bot_type });
    expect((await listed(ada)).find((bot) => bot.user_id === user_id)).toMatchObject({ bot_type });
  });

  test('the key of an incoming webhook can be used for sending messages and nothing else', async () => {
    const ada = await chat.user('ada');
    await chat.stream('hooks', { by: ada });
    const short_name = `hook${made++}`;
    const { api_key } = await ada.api.createBot(createParams({ short_name, bot_type: 2 }));
    const hook = as(`${short_name}-bot@${chat.realm.host}`, api_key);
    await hook.sendMessage({ type: 'stream', to: 'hooks', topic: 'build', content: 'done' });
    for (const call of [() => hook.getOwnUser(), () => hook.registerQueue({}), () => hook.regenerateApiKey({})])
      await expectError('UNAUTHORIZED', call());
  });

  test('invalid names, invalid types and addresses in use fail', async () => {
    const ada = await chat.user('ada');
    for (const short_name of ['', 'a b', '.a', 'a@b', 'é', 'x'.repeat(61)])
      await expectError('BAD_REQUEST', create(ada, { short_name }), /short_name/);
    await expectError('BAD_REQUEST', create(ada, { full_name: 'E' }), /full_name/);
    await expectError('BAD_REQUEST', create(ada, { bot_type: 5 }), /bot_type/);
    await expectError('BAD_REQUEST', create(ada, { short_name: 'notification' }), /^short_name: .* in use/);
    const params = createParams();
    await ada.api.createBot(params);
    await expectError(
      'BAD_REQUEST',
      ada.api.createBot({ ...params, short_name: params.short_name.toUpperCase() }),
      /in use/,
    );
  });

  test('guests and bots cannot create one', async () => {
    const gus = await chat.user('gus', { role: 'guest' });
    const bot = await chat.user('bot', { bot_of: iago });
    await expectError('BAD_REQUEST', create(gus), /Guests/);
    await expectError('BAD_REQUEST', create(bot), /Bots/);
    await expectError('BAD_REQUEST', bot.api.getBots(), /Bots/);
  });

  test('bot_creation_policy decides who creates which type', async () => {
    const ada = await chat.user('ada', { mirrored: false });
    for (const [bot_creation_policy, generic, other] of [
      [2, false, true],
      [3, false, false],
      [1, true, true],
    ] as const) {
      await chat.owner.api.updateRealm({ bot_creation_policy });
      for (const [bot_type, allowed] of [
        [1, generic],
        [2, other],
      ] as const) {
        await create(iago, { bot_type });
        if (allowed) await create(ada, { bot_type });
        else await expectError('BAD_REQUEST', create(ada, { bot_type }));
      }
    }
  });

  test('of two concurrent requests to create a bot with one address, one succeeds', async () => {
    const params = createParams();
    const ends = await Promise.allSettled([chat.owner.api.createBot(params), iago.api.createBot(params)]);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('a user who is deactivated concurrently leaves no bot behind', async () => {
    for (let round = 0; round < 5; round++) {
      const ada = await chat.user('ada', { mirrored: false });
      await Promise.allSettled([create(ada), chat.owner.api.deactivateUser({ user_id: ada.id })]);
      expect((await listed(chat.owner)).filter((bot) => bot.owner_id === ada.id)).toEqual([]);
    }
  });
});

describe('the list of bots', () => {
  test("has the caller's own bots with their keys; administrators receive all bots without keys", async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const [own, other] = [await create(ada), await create(ben)];
    expect((await listed(ada)).map((bot) => [bot.user_id, bot.api_key])).toEqual([[own.user_id, own.api_key]]);
    const all = await listed(iago);
    for (const { user_id } of [own, other]) {
      expect(all.find((bot) => bot.user_id === user_id)).not.toHaveProperty('api_key');
    }
    expect(all).toHaveLength(
      (await chat.owner.api.getUsers()).members.filter((one) => one.is_bot && one.is_active).length,
    );
  });
});

describe("a user's bot", () => {
  test('is renamed, and its owner and administrators receive the event', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { user_id } = await create(ada);
    for (const person of [ada, ben]) await person.takeEvents();
    await ada.api.updateBot({ bot_id: user_id, full_name: 'Reecho' });
    expect(await ada.takeEvents('realm_bot')).toEqual([toExpectedEvent('update', { user_id, full_name: 'Reecho' })]);
    expect(await ben.takeEvents()).toEqual([expect.objectContaining({ person: { user_id, full_name: 'Reecho' } })]);
    await ada.api.updateBot({ bot_id: user_id });
    expect(await ada.takeEvents()).toMatchObject([{ type: 'realm_user' }]);
  });

  test('is given to another user, who is its owner from then on', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const amy = await chat.user('amy', { role: 'admin' });
    const { user_id } = await create(ada);
    for (const person of [ada, ben, amy]) await person.takeEvents();
    await ada.api.updateBot({ bot_id: user_id, full_name: 'Given Bot', bot_owner_id: ben.id });
    expect((await ada.takeEvents('realm_bot')).at(-1)).toEqual(toExpectedEvent('delete', { user_id }));
    expect(await ben.takeEvents('realm_bot')).toMatchObject([
      { op: 'add', bot: { user_id, owner_id: ben.id, full_name: 'Given Bot' } },
    ]);
    expect((await amy.takeEvents('realm_bot')).map(({ op }) => op)).toEqual(['update', 'delete', 'add']);
    expect((await ada.takeEvents('realm_user')).at(-1)).toMatchObject({ person: { user_id, bot_owner_id: ben.id } });
    await expectError('BAD_REQUEST', ada.api.updateBot({ bot_id: user_id, full_name: 'Mine' }));
  });

  test('cannot be given to a bot, a guest, a deactivated user or a user who does not exist', async () => {
    const ada = await chat.user('ada', { mirrored: false });
    const { user_id: bot_id } = await create(ada);
    const [gus, dan] = [await chat.user('gus', { role: 'guest' }), await chat.user('dan')];
    await iago.api.deactivateUser({ user_id: dan.id });
    const other = await chat.otherRealm('takers');
    for (const bot_owner_id of [bot_id, gus.id, dan.id, other.owner.id, 987_654_321])
      await expectError('BAD_REQUEST', ada.api.updateBot({ bot_id, bot_owner_id }), new RegExp(String(bot_owner_id)));
  });

  test('is deactivated and reactivated, and its owner and administrators receive the events', async () => {
    const ada = await chat.user('ada');
    const { user_id } = await create(ada);
    await ada.takeEvents();
    await ada.api.deactivateBot({ bot_id: user_id });
    expect(await ada.takeEvents('realm_bot')).toEqual([toExpectedEvent('delete', { user_id })]);
    expect(await listed(ada)).toEqual([]);
    await iago.api.reactivateUser({ user_id });
    expect(await ada.takeEvents('realm_bot')).toMatchObject([{ op: 'add', bot: { user_id, owner_id: ada.id } }]);
  });

  test('gets a new key, and the old one ends at once', async () => {
    const ada = await chat.user('ada', { mirrored: false });
    const params = createParams();
    const { user_id, api_key } = await ada.api.createBot(params);
    const fresh = await ada.api.regenerateBotApiKey({ bot_id: user_id });
    const email = `${params.short_name}-bot@${chat.realm.host}`;
    await expectError('INVALID_API_KEY', as(email, api_key).getOwnUser());
    expect(await as(email, fresh.api_key).getOwnUser()).toMatchObject({ user_id });
    expect((await listed(ada))[0]).toMatchObject(fresh);
  });
});

test('a bot is deactivated with its owner, and the administrator who reactivates it becomes its owner', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  const ben = await chat.user('ben');
  const { user_id } = await create(ada);
  await iago.api.deactivateUser({ user_id: ada.id });
  await ben.takeEvents();
  await iago.api.reactivateUser({ user_id });
  expect(await ben.takeEvents()).toMatchObject([
    { person: { user_id, is_active: true } },
    { person: { user_id, bot_owner_id: iago.id } },
  ]);
  expect((await listed(iago)).find((bot) => bot.user_id === user_id)).toMatchObject({ owner_id: iago.id });
});

test('only its owner and administrators can change a bot, and bot operations fail for human users', async () => {
  const [ada, ben] = [await chat.user('ada', { mirrored: false }), await chat.user('ben', { mirrored: false })];
  const mo = await chat.user('mo', { role: 'moderator', mirrored: false });
  const other = await chat.otherRealm('strangers');
  const { user_id } = await create(ada);
  const all = (by: TestUser, bot_id: number) => [
    () => by.api.updateBot({ bot_id, full_name: 'Mine' }),
    () => by.api.deactivateBot({ bot_id }),
    () => by.api.regenerateBotApiKey({ bot_id }),
  ];
  for (const by of [ben, mo]) for (const call of all(by, user_id)) await expectError('BAD_REQUEST', call(), /owner/);
  for (const call of all(ada, ben.id)) await expectError('BAD_REQUEST', call(), /no bot/);
  for (const call of all(other.owner, user_id)) await expectError('BAD_REQUEST', call(), /There is no user/);
  for (const call of all(iago, user_id)) await call();
});

test('the key of a bot with the role of an owner is for owners and for the owner of the bot', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  const { user_id: bot_id } = await create(ada);
  await chat.owner.api.updateUser({ user_id: bot_id, role: 100 });
  await expectError('BAD_REQUEST', iago.api.regenerateBotApiKey({ bot_id }));
  await expectError('BAD_REQUEST', iago.api.updateBot({ bot_id, bot_owner_id: iago.id }));
  await chat.owner.api.regenerateBotApiKey({ bot_id });
  await ada.api.deactivateBot({ bot_id });
});
