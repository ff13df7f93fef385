import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { picture } from '../../../test/pictures.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const statusesIn = async ({ api }: TestUser) =>
  (await api.registerQueue({ fetch_event_types: ['user_status'] })).user_status ?? {};
const toExpectedEvent = (user_id: number, said: object) => ({
  id: expect.any(Number),
  type: 'user_status',
  user_id,
  ...said,
});
const homeEmoji = { emoji_name: 'house', emoji_code: '1f3e0', reaction_type: 'unicode_emoji' };

test('a status is emitted to all users, and in later registrations', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const gus = await chat.user('gus', { role: 'guest' });
  const said = { status_text: 'Working from home', ...homeEmoji };
  expect(await ada.api.updateStatus({ status_text: 'Working from home', emoji_name: 'house' })).toEqual({});
  for (const person of [ada, ben, gus]) {
    expect(await person.takeEvents('user_status', 'user_settings')).toEqual([toExpectedEvent(ada.id, said)]);
    const statuses = await statusesIn(person);
    expect(statuses[ada.id]).toEqual(said);
    expect(statuses).not.toHaveProperty(String(ben.id));
  }
});

// shows: 4.10.1, 4.10.2
test('only the given parts change, and only these are emitted', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const now = async () => (await statusesIn(ben))[ada.id];
  await ada.api.updateStatus({ status_text: 'Cooking' });
  expect(await now()).toEqual({ status_text: 'Cooking' });
  await ada.api.updateStatus({ emoji_name: 'house' });
  expect(await now()).toEqual({ status_text: 'Cooking', ...homeEmoji });
  await ada.api.updateStatus({ status_text: 'Eating' });
  expect(await now()).toEqual({ status_text: 'Eating', ...homeEmoji });
  await ada.api.updateStatus({ away: true });
  expect(await now()).toEqual({ status_text: 'Eating', ...homeEmoji, away: true });
  const spoken = [{ status_text: 'Cooking' }, homeEmoji, { status_text: 'Eating' }, { away: true }];
  expect(await ben.takeEvents('user_status')).toEqual(spoken.map((said) => toExpectedEvent(ada.id, said)));
});

// shows: 2.42
test('an empty text clears the text, an empty emoji the emoji, and a user without both is not listed', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const now = async () => (await statusesIn(ben))[ada.id];
  await ada.api.updateStatus({ status_text: 'Cooking', emoji_name: 'house' });
  await ben.takeEvents();
  await ada.api.updateStatus({ emoji_name: '', emoji_code: 'whatever', reaction_type: 'realm_emoji' });
  expect(await now()).toEqual({ status_text: 'Cooking' });
  await ada.api.updateStatus({ emoji_name: 'house', status_text: ' \n ' });
  expect(await now()).toEqual(homeEmoji);
  await ada.api.updateStatus({ emoji_name: '' });
  expect(await now()).toBeUndefined();
  const none = { emoji_name: '', emoji_code: '', reaction_type: 'unicode_emoji' };
  const spoken = [none, { ...homeEmoji, status_text: '' }, none];
  expect(await ben.takeEvents('user_status')).toEqual(spoken.map((said) => toExpectedEvent(ada.id, said)));
  const left = await rows(chat.database.db, sql`select from user_status where user_id = ${ada.id}`);
  expect(left).toEqual([]);
});

test('the same status again succeeds and is emitted again', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  for (const status_text of ['Cooking', 'Cooking', '', '']) await ada.api.updateStatus({ status_text });
  expect((await ben.takeEvents('user_status')).map((event) => event.status_text)).toEqual([
    'Cooking',
    'Cooking',
    '',
    '',
  ]);
});

// shows: 2.41, 4.10.4, 8.1
test('a text has at most 60 characters, without the spaces around it', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const longest = '𝒳'.repeat(60);
  await ada.api.updateStatus({ status_text: `  ${longest}\n ` });
  expect((await statusesIn(ben))[ada.id]).toEqual({ status_text: longest });
  await expectError('BAD_REQUEST', ada.api.updateStatus({ status_text: 'x'.repeat(61) }), /status_text.*60/);
  await expectError(
    'BAD_REQUEST',
    ada.api.updateStatus({ status_text: `${longest} x`, away: true }),
    /status_text.*60/,
  );
  expect(await ben.takeEvents('user_status')).toHaveLength(1);
  expect((await statusesIn(ben))[ada.id]).toEqual({ status_text: longest });
});

// shows: 4.10.3, 4.10.5, 7.7
test('a request without changes, or a code without a name, fails', async () => {
  const [ada] = await chat.users('ada');
  await expectError('BAD_REQUEST', ada.api.updateStatus(), /status_text, emoji_name or away/);
  await expectError('BAD_REQUEST', ada.api.updateStatus({ emoji_code: '1f3e0' }), /emoji_name/);
  await expectError('BAD_REQUEST', ada.api.updateStatus({ status_text: 'x', emoji_code: '1f3e0' }), /emoji_name/);
  await expectError('BAD_REQUEST', ada.api.updateStatus({ away: true, reaction_type: 'unicode_emoji' }), /emoji_name/);
  const wrong = { emoji_name: 'house', reaction_type: 'smiley' as never };
  await expectError('BAD_REQUEST', ada.api.updateStatus(wrong), /reaction_type/);
  expect(await ada.takeEvents()).toEqual([]);
});

// shows: 2.40, 4.10.6, 7.7
test('an emoji must exist: its name, its code and its type belong together', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const file = await picture();
  await ben.api.uploadCustomEmoji({ name: 'soup_of_the_day', file });
  await ben.api.uploadCustomEmoji({ name: 'soup_of_old', file });
  const emoji = Object.values((await ben.api.getCustomEmoji()).emoji);
  const [today = '', old = ''] = ['soup_of_the_day', 'soup_of_old'].map(
    (name) => emoji.find((one) => one.name === name)?.id,
  );
  await ben.api.deactivateCustomEmoji({ name: 'soup_of_old' });
  await ada.takeEvents();
  const wrong = [
    { emoji_name: 'gruel' },
    { emoji_name: 'soup_of_old' },
    { emoji_name: 'soup_of_old', emoji_code: old, reaction_type: 'realm_emoji' },
    { emoji_name: 'soup_of_the_day', emoji_code: old, reaction_type: 'realm_emoji' },
    { emoji_name: 'soup_of_the_day', reaction_type: 'unicode_emoji' },
    { emoji_name: 'house', emoji_code: '1f419' },
    { emoji_name: 'house', emoji_code: 'house' },
    { emoji_name: 'house', reaction_type: 'realm_emoji' },
    { emoji_name: 'house', emoji_code: '' },
    { emoji_name: 'parley', reaction_type: 'unicode_emoji' },
  ] as const;
  for (const query of wrong)
    await expectError('BAD_REQUEST', ada.api.updateStatus({ status_text: 'x', ...query }), /emoji/);
  expect(await ada.takeEvents()).toEqual([]);
  const right = [
    [{ emoji_name: 'soup_of_the_day' }, { emoji_code: today, reaction_type: 'realm_emoji' }],
    [{ emoji_name: 'parley', emoji_code: 'parley' }, { reaction_type: 'service_extra_emoji' }],
    [{ emoji_name: 'thumbs_up', reaction_type: 'unicode_emoji' }, { emoji_code: '1f44d' }],
    [{ emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji' }, {}],
  ] as const;
  for (const [query, more] of right) {
    await ada.api.updateStatus(query);
    expect((await statusesIn(ben))[ada.id]).toEqual({ ...query, ...more });
  }
});

// shows: 4.10.6
test('an emoji of another organization is unknown', async () => {
  const [ada] = await chat.users('ada');
  const other = await chat.otherRealm('elsewhere');
  await other.owner.api.uploadCustomEmoji({ name: 'borscht', file: await picture() });
  const [id = ''] = Object.keys((await other.owner.api.getCustomEmoji()).emoji);
  await expectError('BAD_REQUEST', ada.api.updateStatus({ emoji_name: 'borscht' }), /borscht/);
  const foreign = { emoji_name: 'borscht', emoji_code: id, reaction_type: 'realm_emoji' } as const;
  await expectError('BAD_REQUEST', ada.api.updateStatus(foreign), /borscht/);
  await other.owner.api.updateStatus(foreign);
  expect(Object.values(await statusesIn(ada))).not.toContainEqual(foreign);
  expect(await ada.takeEvents('user_status')).toEqual([]);
});

// shows: 2.43, 9.16
test('being away is the opposite of presence_enabled: the setting is emitted first, and only if it changes', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const presence = async () =>
    (await ada.api.registerQueue({ fetch_event_types: ['user_settings'] })).user_settings?.presence_enabled;
  const setting = (value: boolean) => ({
    id: expect.any(Number),
    type: 'user_settings',
    op: 'update',
    property: 'presence_enabled',
    value,
  });
  const seen = expect.objectContaining({ type: 'presence', user_id: ada.id });
  for (const person of [ada, ben]) await person.takeEvents();
  await ada.api.updateStatus({ away: true, status_text: 'Gone' });
  expect(await ada.takeEvents()).toEqual([
    setting(false),
    seen,
    toExpectedEvent(ada.id, { away: true, status_text: 'Gone' }),
  ]);
  expect(await ben.takeEvents()).toEqual([seen, toExpectedEvent(ada.id, { away: true, status_text: 'Gone' })]);
  expect(await presence()).toBe(false);
  expect((await statusesIn(ben))[ada.id]).toEqual({ away: true, status_text: 'Gone' });
  await ada.api.updateStatus({ away: true });
  expect(await ada.takeEvents()).toEqual([toExpectedEvent(ada.id, { away: true })]);
  await ada.api.updateStatus({ away: false });
  expect(await ada.takeEvents()).toEqual([setting(true), seen, toExpectedEvent(ada.id, { away: false })]);
  expect(await presence()).toBe(true);
  expect((await statusesIn(ben))[ada.id]).toEqual({ status_text: 'Gone' });
});

test('bots have no status', async () => {
  const [ada] = await chat.users('ada');
  const bo = await chat.user('bo', { bot_of: ada });
  for (const params of [{ status_text: 'Beep' }, {}]) {
    await expectError('BAD_REQUEST', bo.api.updateStatus(params), /bots/i);
  }
  expect(await statusesIn(ada)).not.toHaveProperty(String(bo.id));
});

test('parts that are set concurrently are all kept, and the last event has the final status', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const names = ['house', 'car', 'eyes', 'tada'];
  await Promise.all(
    names.flatMap((emoji_name, n) => [
      ada.api.updateStatus({ emoji_name }),
      ada.api.updateStatus({ status_text: `at ${n}` }),
      ada.api.updateStatus({ away: n % 2 === 0 }),
      ada.api.updateStatus({ status_text: '', emoji_name: '' }),
    ]),
  );
  const heard = await ben.takeEvents('user_status');
  expect(heard).toHaveLength(16);
  const { away, status_text, emoji_name } = Object.assign({}, ...heard);
  expect({ away: false, status_text: '', emoji_name: '', ...(await statusesIn(ben))[ada.id] }).toMatchObject({
    away,
    status_text,
    emoji_name,
  });
});
