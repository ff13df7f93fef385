import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
let ada: TestUser;
let soup: number;
let tea: number;
beforeAll(async () => {
  chat = await startChat();
  const ben = await chat.user('ben');
  ada = await chat.user('ada', { mirrored: false });
  soup = await chat.stream('soup', { by: ben, members: [ada] });
  tea = await chat.stream('tea', { by: ben });
});
afterAll(() => chat.close());

const subscriptionsOf = async ({ api }: TestUser) => (await api.getSubscriptions()).subscriptions;
const change = (person: TestUser, ...subscription_data: unknown[]) =>
  person.api.updateSubscriptionProperties({ subscription_data: subscription_data as never });

/** Asserts that a request fails with an error that names the parameter, and changes and emits nothing. */
async function allOrNothing(wrong: object, msg: RegExp): Promise<void> {
  const queue = await ada.api.registerQueue({ event_types: ['subscription'] });
  const before = await subscriptionsOf(ada);
  const right = { stream_id: soup, property: 'pin_to_top', value: true };
  await expectError('BAD_REQUEST', change(ada, right, wrong, right), msg);
  expect(await subscriptionsOf(ada)).toEqual(before);
  expect((await ada.api.getEvents({ ...queue, dont_block: true })).events).toEqual([]);
}

// shows: 4.9.2
test('an item without its stream, and a stream by name, fail', async () => {
  const item = { property: 'pin_to_top', value: true };
  for (const wrong of [item, { ...item, stream_id: 'soup' }, { ...item, stream_id: [soup] }])
    await allOrNothing(wrong, /stream_id/);
});

// shows: 4.9.2 [no value], 4.9.2 [no property], 4.9.3 [an unknown property], 4.9.5 [a color for a boolean]
// shows: 4.9.5 [a word for a boolean]
test.each([
  ['an unknown property', { property: 'flavor', value: true }, /property/],
  ['a property that is not personal', { property: 'name', value: 'tea' }, /property/],
  ['a color for a boolean', { property: 'is_muted', value: '#fff' }, /is_muted/],
  ['a number for a boolean', { property: 'pin_to_top', value: 1 }, /value/],
  ['a word for a boolean', { property: 'in_home_view', value: 'true' }, /in_home_view/],
  ['a boolean for a color', { property: 'color', value: true }, /color/],
  ['a number for a color', { property: 'color', value: 123 }, /value/],
  ['null', { property: 'push_notifications', value: null }, /value/],
  ['a list', { property: 'push_notifications', value: [true] }, /value/],
  ['no value', { property: 'push_notifications' }, /value/],
  ['no property', { value: true }, /property/],
  ['an unexpected key', { property: 'is_muted', value: true, why: 'noise' }, /subscription_data/],
])('a list with %s in it changes nothing', (_case, wrong, msg) => allOrNothing({ stream_id: soup, ...wrong }, msg));

// shows: 2.19, 4.9.4
test.each(['', '#', '#12', '#1234567', 'fff', '#ggg', '#fff ', ' #fff', '#ffffff\n', 'red', '# fff', '＃fff'])(
  '%j is an invalid color',
  async (value) => {
    await allOrNothing({ stream_id: soup, property: 'color', value }, /color/);
    const single = ada.api.updateSubscriptionProperty({ stream_id: soup, property: 'color', value });
    await expectError('BAD_REQUEST', single, /color/);
  },
);

// shows: 4.9.1
test('the error names a value that is no list of items', async () => {
  for (const wrong of [{}, true, 7, 'is_muted', [[]], [7], [null], ['is_muted'], [{ stream_id: '1' }]]) {
    const call = ada.api.updateSubscriptionProperties({ subscription_data: wrong as never });
    await expectError('BAD_REQUEST', call, /subscription_data/);
  }
});

test('a value that does not match the property fails in the single form, too', async () => {
  const single = (property: unknown, value: unknown) =>
    ada.api.updateSubscriptionProperty({ stream_id: soup, property: property as never, value: value as never });
  await expectError('BAD_REQUEST', single('flavor', true), /property/);
  await expectError('BAD_REQUEST', single('is_muted', '#fff'), /is_muted/);
  await expectError('BAD_REQUEST', single('color', false), /color/);
  for (const value of [1, 'True', 'yes', 'null'])
    await expectError('BAD_REQUEST', single('is_muted', value), /is_muted/);
});

test('the value of the single form can be a plain string of a form, or JSON', async () => {
  const patch = async (type: string, body: string) => {
    const Authorization = `Basic ${Buffer.from(`${ada.email}:${ada.apiKey}`).toString('base64')}`;
    const headers = { Authorization, 'Content-Type': type };
    const answer = await chat.fetch(`/api/v1/users/me/subscriptions/${soup}`, { method: 'PATCH', headers, body });
    return ((await answer.json()) as { result: string }).result;
  };
  const form = (property: string, value: string) =>
    patch('application/x-www-form-urlencoded', new URLSearchParams({ property, value }).toString());
  const json = (property: string, value: unknown) => patch('application/json', JSON.stringify({ property, value }));
  const color = async () => (await subscriptionsOf(ada)).find(({ stream_id }) => stream_id === soup)?.color;
  expect(await form('color', '#111')).toBe('success');
  expect(await color()).toBe('#111');
  expect(await form('color', '"#222"')).toBe('success');
  expect(await color()).toBe('#222');
  expect(await json('color', '#333')).toBe('success');
  expect(await color()).toBe('#333');
  for (const value of ['true', 'false']) expect(await form('is_muted', value)).toBe('success');
  for (const value of ['"true"', 'True', '1', 'null', '']) expect(await form('is_muted', value)).toBe('error');
  for (const value of ['true', 1, null]) expect(await json('is_muted', value)).toBe('error');
});

test('settings need a subscription, and a stream that the user cannot see is reported as unknown', async () => {
  const [zoe, dan] = await chat.users('zoe', 'dan');
  const [amy, gus] = [await chat.user('amy', { role: 'admin' }), await chat.user('gus', { role: 'guest' })];
  const other = await chat.otherRealm('other');
  await chat.stream('lobby', { by: other.owner });
  const theirs = (await other.owner.api.getStreams()).streams[0]?.stream_id ?? 0;
  const secret = await chat.stream('secret', { by: zoe, members: [dan], invite_only: true });
  const closed = await chat.stream('closed', { by: zoe, members: [dan] });
  await chat.owner.api.archiveStream({ stream_id: closed });
  await dan.api.unsubscribe({ subscriptions: ['secret'] });
  const muting = (person: TestUser, stream_id: number) =>
    change(person, { stream_id, property: 'is_muted', value: true });
  const unknown = await expectError('BAD_REQUEST', muting(ada, 987_654), /987654/);
  const hidden: [TestUser, number][] = [
    [ada, secret],
    [dan, secret],
    [zoe, closed],
    [ada, theirs],
    [gus, soup],
    [other.owner, soup],
    [ada, Number.MAX_SAFE_INTEGER],
  ];
  for (const [person, stream_id] of hidden) {
    const msg = unknown.msg.replace('987654', String(stream_id));
    expect(await expectError('BAD_REQUEST', muting(person, stream_id))).toEqual({ ...unknown, msg });
    const single = person.api.updateSubscriptionProperty({ stream_id, property: 'is_muted', value: true });
    expect(await expectError('BAD_REQUEST', single)).toEqual({ ...unknown, msg });
    if (person === ada)
      await allOrNothing({ stream_id, property: 'is_muted', value: true }, new RegExp(`${stream_id}`));
  }
  const seen: [TestUser, number][] = [
    [ada, tea],
    [amy, secret],
  ];
  for (const [person, stream_id] of seen) {
    await expectError('BAD_REQUEST', muting(person, stream_id), new RegExp(`not subscribed.*${stream_id}`));
  }
});
