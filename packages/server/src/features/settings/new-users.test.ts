import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { runInLockOrder } from '../../../test/lock-order.ts';
import { defaultUserSettings } from '../user-settings/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
/** An organization of its own, with an administrator and a member who listen. */
async function createFixture() {
  const { realm, owner } = await chat.otherRealm(`house${made++}`);
  const [iago, ben] = [await chat.user('iago', { realm, role: 'admin' }), await chat.user('ben', { realm })];
  for (const person of [iago, ben]) await person.takeEvents();
  return { realm, owner, iago, ben };
}
type DefaultsParams = NonNullable<Parameters<TestUser['api']['updateUserSettingsDefaults']>[0]>;
const set = ({ api }: TestUser, given: DefaultsParams) => api.updateUserSettingsDefaults(given);
const settingsOf = async ({ api }: TestUser) =>
  (await api.registerQueue({ fetch_event_types: ['user_settings'] })).user_settings;
const defaultsFor = async ({ api }: TestUser) =>
  (await api.registerQueue({ fetch_event_types: ['realm_user_settings_defaults'] })).realm_user_settings_defaults;
const toExpectedEvent = (property: string, value: unknown) => ({
  id: expect.any(Number),
  type: 'realm_user_settings_defaults',
  op: 'update',
  property,
  value,
});

test('registering says what new people start with: everybody’s settings, until administrators say otherwise', async () => {
  const { ben } = await createFixture();
  expect(await defaultsFor(ben)).toEqual(defaultUserSettings);
});

test('what administrators set is told to everybody, once, and given to whoever joins, but to nobody before', async () => {
  const { realm, iago, ben } = await createFixture();
  expect(await set(iago, { enter_sends: true, color_scheme: 2, dense_mode: true })).toEqual({});
  const events = [toExpectedEvent('enter_sends', true), toExpectedEvent('color_scheme', 2)];
  for (const person of [iago, ben]) expect(await person.takeEvents()).toEqual(events);
  await set(iago, { enter_sends: true });
  expect(await ben.takeEvents()).toEqual([]);
  const changed = { ...defaultUserSettings, enter_sends: true, color_scheme: 2 };
  expect(await defaultsFor(ben)).toEqual(changed);
  expect(await settingsOf(await chat.user('ada', { realm }))).toMatchObject(changed);
  expect(await settingsOf(ben)).toMatchObject(defaultUserSettings);
});

test('time zone and visibility of the address are there when others hear of a new person', async () => {
  const { realm, iago, ben } = await createFixture();
  await set(iago, { timezone: 'Europe/Rome', email_address_visibility: 3 });
  await ben.takeEvents();
  const ada = await chat.user('ada', { realm });
  expect(await ben.takeEvents('realm_user')).toMatchObject([
    { op: 'add', person: { timezone: 'Europe/Rome', delivery_email: null, email: `user${ada.id}@${realm.host}` } },
  ]);
  expect(await settingsOf(ada)).toMatchObject({ timezone: 'Europe/Rome', email_address_visibility: 3 });
});

test('whoever joins and is not to be shown as there is away for the others', async () => {
  const { realm, iago, ben } = await createFixture();
  await set(iago, { presence_enabled: false });
  await ben.takeEvents();
  const ada = await chat.user('ada', { realm });
  expect(await ben.takeEvents('user_status')).toMatchObject([{ user_id: ada.id, away: true }]);
});

test('a new person’s language is the organization’s, unless it is set for new people', async () => {
  const { realm, owner, iago } = await createFixture();
  const languageOf = async () => (await settingsOf(await chat.user('ada', { realm })))?.default_language;
  await owner.api.updateRealm({ default_language: 'fr' });
  expect(await languageOf()).toBe('fr');
  await set(iago, { default_language: 'en' });
  expect(await languageOf()).toBe('en');
  await set(iago, { default_language: 'de' });
  expect(await languageOf()).toBe('de');
});

test('bots have none', async () => {
  const { realm, iago, ben } = await createFixture();
  await set(iago, { email_address_visibility: 4, presence_enabled: false });
  const bot = await chat.user('bot', { realm, bot_of: ben, mirrored: false });
  expect((await ben.api.getUser({ user_id: bot.id })).user.delivery_email).toBe(bot.email);
});

describe('only administrators set them', () => {
  test.each(['moderator', 'member', 'guest'] as const)('not a %s', async (role) => {
    const person = await chat.user('mo', { role });
    await expectError('UNAUTHORIZED_PRINCIPAL', set(person, { enter_sends: true }), /administrator/);
    await expectError('UNAUTHORIZED_PRINCIPAL', set(person, { enter_sends: 7 } as never), /administrator/);
  });
});

test('nothing given is a success; what is no setting of everybody’s is listed', async () => {
  const { iago } = await createFixture();
  expect(await set(iago, {})).toEqual({});
  expect(await set(iago, { full_name: 'Everybody', email: 'x' } as never)).toEqual({
    ignored_parameters_unsupported: ['email', 'full_name'],
  });
});

test.each([
  ['timezone', 'Mars'],
  ['default_language', 'klingon'],
  ['color_scheme', 9],
  ['enter_sends', 'yes'],
])('%s: %s is refused by name, and nothing else of the request happens', async (name, value) => {
  const { iago } = await createFixture();
  await expectError('BAD_REQUEST', set(iago, { left_side_userlist: true, [name]: value } as never), new RegExp(name));
  expect(await iago.takeEvents()).toEqual([]);
  expect(await defaultsFor(iago)).toEqual(defaultUserSettings);
});

test('another organization’s people hear nothing and start with their own', async () => {
  const [one, other] = [await createFixture(), await createFixture()];
  await set(one.iago, { enter_sends: true });
  expect(await other.ben.takeEvents()).toEqual([]);
  expect(await settingsOf(await chat.user('ada', { realm: other.realm }))).toMatchObject({ enter_sends: false });
});

test('two changes at once are both kept', async () => {
  const iago = await chat.user('iago', { role: 'admin' });
  const wanted: DefaultsParams[] = [{ enter_sends: true }, { color_scheme: 3 }, { color_scheme: 2 }];
  await runInLockOrder(
    chat,
    wanted.map((one) => () => set(iago, one)),
  );
  const last = (await iago.takeEvents('realm_user_settings_defaults')).findLast(
    (event) => event.property === 'color_scheme',
  );
  expect(await defaultsFor(iago)).toMatchObject({ enter_sends: true, color_scheme: last?.value });
  await set(iago, { enter_sends: false, color_scheme: 1 });
});
