import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

type Change = Parameters<TestUser['api']['updateSubscriptionProperties']>[0]['subscription_data'][number];
let made = 0;
const fresh = (name: string) => `${name} ${made++}`;

/** Ada in two streams of Ben's, with no pending events. */
async function createFixture() {
  const [ada, ben] = await chat.users('ada', 'ben');
  const soup = await chat.stream(fresh('soup'), { by: ben, members: [ada] });
  const tea = await chat.stream(fresh('tea'), { by: ben, members: [ada] });
  for (const person of [ada, ben]) await person.takeEvents();
  const change = (...subscription_data: Change[]) => ada.api.updateSubscriptionProperties({ subscription_data });
  return { ada, ben, soup, tea, change };
}

const own = async ({ api }: TestUser, stream_id: number) =>
  (await api.getSubscriptions()).subscriptions.find((one) => one.stream_id === stream_id);
const toExpectedEvent = (stream_id: number, property: string, value: unknown) => ({
  id: expect.any(Number),
  type: 'subscription',
  op: 'update',
  stream_id,
  property,
  value,
});

// shows: 2.19, 4.9.3, 6.2
test.each([
  ['color', '#c2726A'],
  ['color', '#fff'],
  ['pin_to_top', true],
  ['desktop_notifications', true],
  ['audible_notifications', false],
  ['push_notifications', true],
  ['email_notifications', false],
  ['wildcard_mentions_notify', false],
] as const)("%s can be %j: it is emitted, stays, and is the user's own", async (property, value) => {
  const { ada, ben, soup, tea, change } = await createFixture();
  const before = [await own(ada, soup), await own(ada, tea), await own(ben, soup)];
  expect(await change({ stream_id: soup, property, value })).toEqual({});
  expect(await ada.takeEvents()).toEqual([toExpectedEvent(soup, property, value)]);
  expect(await ben.takeEvents()).toEqual([]);
  expect([await own(ada, soup), await own(ada, tea), await own(ben, soup)]).toEqual([
    { ...before[0], [property]: value },
    before[1],
    before[2],
  ]);
});

test('the notification properties are null by default, and cannot be set to null', async () => {
  const { ada, soup, change } = await createFixture();
  const properties = [
    'desktop_notifications',
    'audible_notifications',
    'push_notifications',
    'email_notifications',
    'wildcard_mentions_notify',
  ] as const;
  for (const property of properties) {
    expect((await own(ada, soup))?.[property]).toBeNull();
    await expectError('BAD_REQUEST', change({ stream_id: soup, property, value: null as never }), /subscription_data/);
    await change({ stream_id: soup, property, value: false });
    expect((await own(ada, soup))?.[property]).toBe(false);
  }
});

// shows: 2.20, 4.9.6, 6.3, 9.17
test('muting emits both its names, in_home_view first, whichever is changed and whatever it was before', async () => {
  const { ada, soup, change } = await createFixture();
  const both = (is_muted: boolean) => [
    toExpectedEvent(soup, 'in_home_view', !is_muted),
    toExpectedEvent(soup, 'is_muted', is_muted),
  ];
  for (const [property, value, is_muted] of [
    ['is_muted', true, true],
    ['is_muted', true, true],
    ['in_home_view', false, true],
    ['in_home_view', true, false],
    ['is_muted', false, false],
  ] as const) {
    await change({ stream_id: soup, property, value });
    expect(await ada.takeEvents()).toEqual(both(is_muted));
    expect(await own(ada, soup)).toMatchObject({ is_muted, in_home_view: !is_muted });
  }
});

test('items are carried out in order: the last of two for one property counts, and each is emitted', async () => {
  const { ada, soup, tea, change } = await createFixture();
  await change(
    { stream_id: tea, property: 'color', value: '#111' },
    { stream_id: soup, property: 'is_muted', value: true },
    { stream_id: tea, property: 'color', value: '#222' },
    { stream_id: tea, property: 'pin_to_top', value: true },
    { stream_id: soup, property: 'in_home_view', value: true },
    { stream_id: tea, property: 'color', value: '#222' },
  );
  expect(
    (await ada.takeEvents('subscription')).map((event) => 'value' in event && [event.property, event.value]),
  ).toEqual([
    ['color', '#111'],
    ['in_home_view', false],
    ['is_muted', true],
    ['color', '#222'],
    ['pin_to_top', true],
    ['in_home_view', true],
    ['is_muted', false],
    ['color', '#222'],
  ]);
  expect(await own(ada, soup)).toMatchObject({ is_muted: false, in_home_view: true, pin_to_top: false });
  expect(await own(ada, tea)).toMatchObject({ color: '#222', pin_to_top: true, is_muted: false });
});

// shows: 4.9.7
test('an empty list succeeds and emits no event', async () => {
  const { ada, change } = await createFixture();
  expect(await change()).toEqual({});
  expect(await ada.takeEvents()).toEqual([]);
});

test('one property of one stream has an operation of its own', async () => {
  const { ada, soup } = await createFixture();
  expect(await ada.api.updateSubscriptionProperty({ stream_id: soup, property: 'is_muted', value: true })).toEqual({});
  await ada.api.updateSubscriptionProperty({ stream_id: soup, property: 'color', value: '#abcdef' });
  expect(await ada.takeEvents()).toEqual([
    toExpectedEvent(soup, 'in_home_view', false),
    toExpectedEvent(soup, 'is_muted', true),
    toExpectedEvent(soup, 'color', '#abcdef'),
  ]);
  expect(await own(ada, soup)).toMatchObject({ is_muted: true, color: '#abcdef' });
});

test('guests and bots have settings for streams as well', async () => {
  const { ben, soup } = await createFixture();
  const [gus, bo] = [await chat.user('gus', { role: 'guest' }), await chat.user('bo', { bot_of: ben })];
  const name = (await own(ben, soup))?.name ?? '';
  await ben.api.subscribe({ subscriptions: [{ name }], principals: [gus.id, bo.id] });
  for (const person of [gus, bo]) {
    await person.api.updateSubscriptionProperty({ stream_id: soup, property: 'pin_to_top', value: true });
    expect(await own(person, soup)).toMatchObject({ pin_to_top: true });
  }
});

test('settings for a stream are kept after leaving it', async () => {
  const { ada, soup, change } = await createFixture();
  const name = (await own(ada, soup))?.name ?? '';
  await change(
    { stream_id: soup, property: 'is_muted', value: true },
    { stream_id: soup, property: 'email_notifications', value: true },
    { stream_id: soup, property: 'color', value: '#123456' },
  );
  const before = await own(ada, soup);
  await ada.api.unsubscribe({ subscriptions: [name] });
  await ada.api.subscribe({ subscriptions: [{ name, color: '#fff' }] });
  expect(await own(ada, soup)).toEqual(before);
});
