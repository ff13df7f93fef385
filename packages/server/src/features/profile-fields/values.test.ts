import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { runInLockOrder } from '../../../test/lock-order.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
const options = { e: { text: 'Elsinore', order: '1' }, d: { text: 'Dunsinane', order: '2' } };
const add = async (field_type: number, field_data?: object) =>
  (
    await chat.owner.api.createProfileField({
      name: `Field ${made++}`,
      field_type: field_type as 1,
      ...(field_data && { field_data: { ...field_data } }),
    })
  ).id;
const say = ({ api }: TestUser, id: number, value: string | number[] | null) =>
  api.updateProfileData({ data: [{ id, value }] });
const params = { include_custom_profile_fields: true } as const;
/** The profile of a user, which each operation that returns it shows alike to another user. */
async function seen(person: TestUser, by: TestUser) {
  const profile = (await by.api.getUser({ user_id: person.id, ...params })).user.profile_data;
  const among = (users: { user_id: number; profile_data?: unknown }[] = []) =>
    users.find(({ user_id }) => user_id === person.id)?.profile_data;
  expect(among((await by.api.getUsers(params)).members)).toEqual(profile);
  expect(among((await by.api.registerQueue({ fetch_event_types: ['realm_user'] })).realm_users)).toEqual(profile);
  expect((await person.api.getOwnUser()).profile_data).toEqual(profile);
  return profile;
}
const fresh = async () => [await add(1), ...(await chat.users('ada', 'ben'))] as const;
const heard = async (person: TestUser) => (await person.takeEvents('realm_user')).map(({ person }) => person);

// shows: 2.58
test('all users see the values of each type of field, with texts rendered', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const { id: dan } = await chat.user('dan');
  const url_pattern = 'https://git.example/%(username)s';
  const fields = [
    [await add(1), ' **tea** ', { value: '**tea**', rendered_value: '<p><strong>tea</strong></p>' }],
    [await add(2), 'one\n\ntwo', { value: 'one\n\ntwo', rendered_value: '<p>one</p>\n<p>two</p>' }],
    [await add(3, options), 'e', { value: 'e' }],
    [await add(4), '1602-07-26', { value: '1602-07-26' }],
    [await add(5), 'https://ada.example', { value: 'https://ada.example' }],
    [await add(6), [ben.id, dan, ben.id], { value: `[${ben.id},${dan}]` }],
    [await add(7, { subtype: 'custom', url_pattern }), 'ada', { value: 'ada' }],
    [await add(8), 'they/them', { value: 'they/them' }],
  ] as const;
  await ben.takeEvents();
  const data = fields.map(([id, value]) => ({ id, value: typeof value === 'string' ? value : [...value] }));
  await ada.api.updateProfileData({ data });
  expect(await seen(ada, ben)).toEqual(Object.fromEntries(fields.map(([id, , said]) => [id, said])));
  expect(await heard(ben)).toEqual(
    fields.map(([id, , said]) => ({ user_id: ada.id, custom_profile_field: { id, ...said } })),
  );
  expect((await ben.api.getUser({ user_id: ada.id })).user).not.toHaveProperty('profile_data');
});

test('a text is rendered without mentions and without raw HTML', async () => {
  const [id, ada, ben] = await fresh();
  await say(ada, id, `@**${ben.full_name}** <b>hi</b>`);
  const said = (await seen(ada, ben))?.[id];
  expect(said?.rendered_value).not.toMatch(/user-mention|<b>/);
});

test('a new value replaces the old one, an empty one removes it, and a request that changes nothing emits no event', async () => {
  const [id, ada, ben] = await fresh();
  const other = await add(1);
  await ben.takeEvents();
  await say(ada, id, 'tea');
  await say(ada, other, 'stays');
  await say(ada, id, 'coffee');
  await say(ada, id, ' coffee ');
  for (const nothing of ['', ' ', null, []]) {
    await say(ada, id, nothing);
    await say(ada, id, nothing);
    await say(ada, id, 'coffee');
  }
  const emitted = (await heard(ben)).flatMap((one) => ('custom_profile_field' in one ? one.custom_profile_field : []));
  const on = emitted.filter((one) => one?.id === id).map((one) => one?.value);
  expect(on).toEqual(['tea', 'coffee', null, 'coffee', null, 'coffee', null, 'coffee', null, 'coffee']);
  expect(emitted.find((one) => one?.value === null)).toEqual({ id, value: null });
  expect(await seen(ada, ben)).toMatchObject({ [id]: { value: 'coffee' }, [other]: { value: 'stays' } });
  await ada.api.deleteProfileData({ data: [id, id] });
  await ada.api.deleteProfileData({ data: [id] });
  expect(await heard(ben)).toEqual([{ user_id: ada.id, custom_profile_field: { id, value: null } }]);
  expect(Object.keys((await seen(ada, ben)) ?? {})).toEqual([String(other)]);
  await ada.api.updateProfileData({ data: [] });
});

test('one invalid value fails the whole request, with the field in the error', async () => {
  const [id, ada, ben] = await fresh();
  const castle = await add(3, options);
  const friends = await add(6);
  const deactivated = await chat.user('dan');
  await chat.owner.api.deactivateUser({ user_id: deactivated.id });
  const bot = await chat.user('bot', { bot_of: ada });
  const { owner: stranger } = await chat.otherRealm(`strange${made++}`);
  await ben.takeEvents();
  const cases: [unknown, RegExp][] = [
    [{ id: castle, value: 'Inverness' }, new RegExp(`^data: field ${castle}: .*Inverness`)],
    [{ id: castle, value: [ben.id] }, new RegExp(`^data: field ${castle}: .*text`)],
    [{ id: friends, value: `[${ben.id}]` }, new RegExp(`^data: field ${friends}: .*list`)],
    [{ id: friends, value: [ben.id, 999_999] }, /no user 999999/],
    [{ id: friends, value: [stranger.id] }, new RegExp(`no user ${stranger.id}`)],
    [{ id: friends, value: [deactivated.id] }, /deactivated/],
    [{ id: friends, value: [bot.id] }, /^data: .*bot/],
    [{ id: 999_999, value: 'x' }, /^data: .*no custom profile field 999999/],
    [{ id, value: 'again' }, new RegExp(`^data: the field ${id} is there twice`)],
    [{ id: castle }, /"data"/],
    [{ id: castle, value: 'e', colour: 'red' }, /"data"/],
    [{ id: castle, value: 5 }, /"data"/],
  ];
  for (const [one, problem] of cases) {
    const data = [{ id, value: 'fine' }, one] as never;
    await expectError('BAD_REQUEST', ada.api.updateProfileData({ data }), problem);
    await expectError(
      'BAD_REQUEST',
      chat.owner.api.updateUser({ user_id: ada.id, full_name: 'Not Ada', profile_data: data }),
      new RegExp(problem.source.replace('data', 'profile_data')),
    );
  }
  await expectError('BAD_REQUEST', ada.api.deleteProfileData({ data: [id, 999_999] }), /999999/);
  expect(await seen(ada, ben)).toEqual({});
  expect(await ben.takeEvents()).toEqual([]);
});

test('administrators can set the values of other users, and bots have no profile', async () => {
  const [id, ada, ben] = await fresh();
  const bot = await chat.user('bot', { bot_of: ada });
  await chat.owner.api.updateUser({ user_id: ada.id, profile_data: [{ id, value: 'tea' }] });
  expect(await seen(ada, ben)).toEqual({ [id]: { value: 'tea', rendered_value: '<p>tea</p>' } });
  expect((await heard(ben)).at(-1)).toMatchObject({ user_id: ada.id, custom_profile_field: { id, value: 'tea' } });
  const profile_data = [{ id, value: 'x' }];
  await expectError('BAD_REQUEST', ben.api.updateUser({ user_id: ada.id, profile_data }), /administrators/);
  await expectError('BAD_REQUEST', ada.api.updateUser({ user_id: bot.id, profile_data }), /administrators/);
  await expectError('BAD_REQUEST', chat.owner.api.updateUser({ user_id: bot.id, profile_data }), /profile_data: bots/);
  await expectError('BAD_REQUEST', bot.api.updateProfileData({ data: profile_data }), /[Bb]ots/);
  await expectError('BAD_REQUEST', bot.api.deleteProfileData({ data: [id] }), /[Bb]ots/);
  await chat.owner.api.updateUser({ user_id: ada.id, profile_data: [{ id, value: null }] });
  expect(await seen(ada, ben)).toEqual({});
});

test('a guest can set values as well, and a field of another organization is unknown', async () => {
  const gus = await chat.user('gus', { role: 'guest' });
  const [id, ada] = await fresh();
  await say(gus, id, 'tea');
  expect(await seen(gus, ada)).toMatchObject({ [id]: { value: 'tea' } });
  const { owner } = await chat.otherRealm(`far${made++}`);
  const unknown = new RegExp(`no custom profile field ${id}`);
  await expectError('BAD_REQUEST', say(owner, id, 'x'), unknown);
  await expectError('BAD_REQUEST', owner.api.deleteProfileData({ data: [id] }), unknown);
});

test('deleting a field deletes its values, and deleting an option the values that have it', async () => {
  const [id, ada, ben] = await fresh();
  const castle = await add(3, options);
  await say(ada, id, 'tea');
  await say(ada, castle, 'e');
  await say(ben, castle, 'd');
  expect(Object.keys((await seen(ada, ben)) ?? {})).toHaveLength(2);
  await chat.owner.api.updateProfileField({ field_id: castle, field_data: { d: options.d } });
  expect(await seen(ada, ben)).toMatchObject({ [id]: { value: 'tea' } });
  expect(await seen(ada, ben)).not.toHaveProperty(String(castle));
  expect(await seen(ben, ada)).toEqual({ [castle]: { value: 'd' } });
  await chat.owner.api.deleteProfileField({ field_id: id });
  expect(await seen(ada, ben)).toEqual({});
  await expectError('BAD_REQUEST', say(ada, castle, 'e'), /no option/);
});

test('a guest receives the profile of a user who becomes visible, and no event before that', async () => {
  const { realm, owner } = await chat.otherRealm(`sight${made++}`);
  const { id } = await owner.api.createProfileField({ name: 'Drink', field_type: 1 });
  const members = (await owner.api.getUserGroups()).user_groups.find(({ name }) => name === 'role:members')?.id;
  await owner.api.updateRealm({ can_access_all_users_group: members as number });
  const ada = await chat.user('ada', { realm });
  const gus = await chat.user('gus', { realm, role: 'guest' });
  await chat.stream('hall', { by: owner, members: [gus] });
  await gus.takeEvents();
  await say(ada, id, 'tea');
  expect(await gus.takeEvents()).toEqual([]);
  const friends = (await owner.api.createProfileField({ name: 'Friends', field_type: 6 })).id;
  await expectError('BAD_REQUEST', say(gus, friends, [ada.id]), new RegExp(`no user ${ada.id}`));
  await owner.api.subscribe({ subscriptions: [{ name: 'hall' }], principals: [ada.id] });
  expect(await heard(gus)).toMatchObject([{ user_id: ada.id, profile_data: { [id]: { value: 'tea' } } }]);
  await say(gus, friends, [ada.id]);
});

test('users who hide their address see their own profile in the list of users', async () => {
  const [id, ada, ben] = await fresh();
  await ada.api.updateSettings({ email_address_visibility: 4 });
  await say(ada, id, 'tea');
  expect(await seen(ada, ben)).toMatchObject({ [id]: { value: 'tea' } });
  const { members } = await ada.api.getUsers(params);
  expect(members.find(({ user_id }) => user_id === ada.id)).toMatchObject({
    delivery_email: ada.email,
    profile_data: { [id]: { value: 'tea' } },
  });
});

test('when a field is deleted while a user sets a value, the value is deleted', async () => {
  const [id, ada, ben] = await fresh();
  const outcomes = await runInLockOrder(chat, [
    () => say(ada, id, 'tea'),
    () => chat.owner.api.deleteProfileField({ field_id: id }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  expect(await seen(ada, ben)).toEqual({});
});

test('setting a value of a field that is being deleted fails', async () => {
  const [id, ada, ben] = await fresh();
  const [removed, said] = await runInLockOrder(chat, [
    () => chat.owner.api.deleteProfileField({ field_id: id }),
    () => say(ada, id, 'tea'),
  ]);
  expect(removed?.status).toBe('fulfilled');
  expect(said).toMatchObject({ status: 'rejected', reason: { status: 400, code: 'BAD_REQUEST' } });
  expect(await seen(ada, ben)).toEqual({});
});

test('choosing an option that is being deleted leaves no value with it', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const castle = await add(3, options);
  const [changed, chosen] = await runInLockOrder(chat, [
    () => chat.owner.api.updateProfileField({ field_id: castle, field_data: { d: options.d } }),
    () => say(ada, castle, 'e'),
  ]);
  expect(changed?.status).toBe('fulfilled');
  expect(chosen).toMatchObject({ status: 'rejected', reason: { code: 'BAD_REQUEST' } });
  expect(await seen(ada, ben)).toEqual({});
});

test('of two concurrent values for one field the later one stays, and both are emitted', async () => {
  const [id, ada, ben] = await fresh();
  await ben.takeEvents();
  await runInLockOrder(chat, [() => say(ada, id, 'tea'), () => say(ada, id, 'coffee')]);
  expect((await heard(ben)).map((one) => 'custom_profile_field' in one && one.custom_profile_field?.value)).toEqual([
    'tea',
    'coffee',
  ]);
  expect(await seen(ada, ben)).toMatchObject({ [id]: { value: 'coffee' } });
});

test('the number of statements does not depend on the number of values', async () => {
  const [ada] = await chat.users('ada');
  const ids = await Promise.all(Array.from({ length: 6 }, () => add(1)));
  const data = (value: string, some: number[]) => ({ data: some.map((id) => ({ id, value })) });
  const one = await chat.statements(() => ada.api.updateProfileData(data('a', ids.slice(0, 1))));
  const six = await chat.statements(() => ada.api.updateProfileData(data('b', ids)));
  expect(six).toBe(one);
});
