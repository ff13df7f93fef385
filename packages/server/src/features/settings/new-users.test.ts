import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { runInLockOrder } from '../../../test/lock-order.ts';
import { settingsOf } from '../../../test/settings.ts';
import { defaultUserSettings } from '../user-settings/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
/** An organization with an administrator and a member who receive events. */
async function createFixture() {
  const { realm, owner } = await chat.otherRealm(`house${made++}`);
  const [iago, ben] = [await chat.user('iago', { realm, role: 'admin' }), await chat.user('ben', { realm })];
  for (const person of [iago, ben]) await person.takeEvents();
  return { realm, owner, iago, ben };
}
type DefaultsParams = NonNullable<Parameters<TestUser['api']['updateUserSettingsDefaults']>[0]>;
const set = ({ api }: TestUser, params: DefaultsParams) => api.updateUserSettingsDefaults(params);
const defaultsFor = async ({ api }: TestUser) =>
  (await api.registerQueue({ fetch_event_types: ['realm_user_settings_defaults'] })).realm_user_settings_defaults;
const toExpectedEvent = (property: string, value: unknown) => ({
  id: expect.any(Number),
  type: 'realm_user_settings_defaults',
  op: 'update',
  property,
  value,
});

test('a registration has the defaults for new users: the default settings, until administrators change them', async () => {
  const { ben } = await createFixture();
  expect(await defaultsFor(ben)).toEqual(defaultUserSettings);
});

test('a default that administrators set is emitted to all users once, and applies to later users only', async () => {
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

test('time zone and visibility of the address apply in the event of a new user', async () => {
  const { realm, iago, ben } = await createFixture();
  await set(iago, { timezone: 'Europe/Rome', email_address_visibility: 3 });
  await ben.takeEvents();
  const ada = await chat.user('ada', { realm });
  expect(await ben.takeEvents('realm_user')).toMatchObject([
    { op: 'add', person: { timezone: 'Europe/Rome', delivery_email: null, email: `user${ada.id}@${realm.host}` } },
  ]);
  expect(await settingsOf(ada)).toMatchObject({ timezone: 'Europe/Rome', email_address_visibility: 3 });
});

test('a new user with presence disabled by default is away for the others', async () => {
  const { realm, iago, ben } = await createFixture();
  await set(iago, { presence_enabled: false });
  await ben.takeEvents();
  const ada = await chat.user('ada', { realm });
  expect(await ben.takeEvents('user_status')).toMatchObject([{ user_id: ada.id, away: true }]);
});

test("the language of a new user is the organization's, unless a default for new users is set", async () => {
  const { realm, owner, iago } = await createFixture();
  const languageOf = async () => (await settingsOf(await chat.user('ada', { realm })))?.default_language;
  await owner.api.updateRealm({ default_language: 'fr' });
  expect(await languageOf()).toBe('fr');
  await set(iago, { default_language: 'en' });
  expect(await languageOf()).toBe('en');
  await set(iago, { default_language: 'de' });
  expect(await languageOf()).toBe('de');
});

test('bots have no defaults', async () => {
  const { realm, iago, ben } = await createFixture();
  await set(iago, { email_address_visibility: 4, presence_enabled: false });
  const bot = await chat.user('bot', { realm, bot_of: ben, mirrored: false });
  expect((await ben.api.getUser({ user_id: bot.id })).user.delivery_email).toBe(bot.email);
});

describe('only administrators can set defaults', () => {
  test.each(['moderator', 'member', 'guest'] as const)('not a %s', async (role) => {
    const person = await chat.user('mo', { role });
    await expectError('UNAUTHORIZED_PRINCIPAL', set(person, { enter_sends: true }), /administrator/);
    await expectError('UNAUTHORIZED_PRINCIPAL', set(person, { enter_sends: 7 } as never), /administrator/);
  });
});

test('an empty request succeeds; parameters that are no such setting are reported as ignored', async () => {
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
])('%s: %s fails with an error that names it, and the rest of the request is not done', async (name, value) => {
  const { iago } = await createFixture();
  await expectError('BAD_REQUEST', set(iago, { left_side_userlist: true, [name]: value } as never), new RegExp(name));
  expect(await iago.takeEvents()).toEqual([]);
  expect(await defaultsFor(iago)).toEqual(defaultUserSettings);
});

test('users of another organization receive no event and start with their own defaults', async () => {
  const [one, other] = [await createFixture(), await createFixture()];
  await set(one.iago, { enter_sends: true });
  expect(await other.ben.takeEvents()).toEqual([]);
  expect(await settingsOf(await chat.user('ada', { realm: other.realm }))).toMatchObject({ enter_sends: false });
});

test('two concurrent changes are both kept', async () => {
  const iago = await chat.user('iago', { role: 'admin' });
  const changes: DefaultsParams[] = [{ enter_sends: true }, { color_scheme: 3 }, { color_scheme: 2 }];
  await runInLockOrder(
    chat,
    changes.map((one) => () => set(iago, one)),
  );
  const last = (await iago.takeEvents('realm_user_settings_defaults')).findLast(
    (event) => event.property === 'color_scheme',
  );
  expect(await defaultsFor(iago)).toMatchObject({ enter_sends: true, color_scheme: last?.value });
  await set(iago, { enter_sends: false, color_scheme: 1 });
});
