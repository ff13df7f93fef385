import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ web_public_streams_enabled: true });
  await chat.owner.api.updateRealm({ enable_spectator_access: true });
  await chat.stream('lobby', { by: chat.owner });
});
afterAll(() => chat.close());

let made = 0;
const fresh = (name: string) => `${name} ${made++}`;
const admin = () => chat.user('amy', { role: 'admin' });
const streamAs = async (person: TestUser, stream_id: number) => (await person.api.getStream({ stream_id })).stream;
const updates = async (person: TestUser) =>
  (await person.takeEvents('stream')).map(({ id: _, type: __, ...event }) => event) as Record<string, unknown>[];
/** The messages of the Notification Bot in a stream after its creation. */
async function notices(person: TestUser, stream_id: number) {
  const narrow = [
    ['stream', stream_id],
    ['topic', 'stream events'],
  ] as const;
  const { messages } = await person.api.getMessages({
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
    narrow,
    apply_markdown: false,
  });
  return messages.slice(1);
}

test('a stream can be changed by administrators, and by no others', async () => {
  const [ada, amy] = [await chat.user('ada'), await admin()];
  const moe = await chat.user('moe', { role: 'moderator' });
  const name = fresh('soup');
  const stream_id = await chat.stream(name, { by: ada, members: [moe] });
  for (const person of [ada, moe]) {
    await expectError(
      'UNAUTHORIZED_PRINCIPAL',
      person.api.updateStream({ stream_id, new_name: fresh('tea') }),
      /admin/,
    );
  }
  expect(await amy.api.updateStream({ stream_id, description: 'Hot\nand *salty*.' })).toEqual({});
  expect(await streamAs(ada, stream_id)).toMatchObject({
    name,
    description: 'Hot and *salty*.',
    rendered_description: '<p>Hot and <em>salty</em>.</p>',
  });
});

test('a request without changes, or with the present values, succeeds and emits no event', async () => {
  const [ada, amy] = [await chat.user('ada'), await admin()];
  const stream_id = await chat.stream(fresh('soup'), { by: ada, stream_post_policy: 2 });
  const before = await streamAs(ada, stream_id);
  await ada.takeEvents();
  await amy.api.updateStream({ stream_id });
  await amy.api.updateStream({
    stream_id,
    description: '',
    is_private: false,
    is_web_public: false,
    history_public_to_subscribers: false,
    is_default_stream: false,
    stream_post_policy: 2,
    is_announcement_only: true,
    can_remove_subscribers_group: before.can_remove_subscribers_group,
  });
  expect(await ada.takeEvents()).toEqual([]);
  expect(await streamAs(ada, stream_id)).toEqual(before);
});

// shows: 2.7, 2.11
test('all users who see a stream receive each change, with its keys', async () => {
  const [ada, amy] = [await chat.user('ada'), await admin()];
  const [soup, tea] = [fresh('soup'), fresh('tea')];
  const stream_id = await chat.stream(soup, { by: ada });
  const group = (await ada.api.getUserGroups({})).user_groups.find(({ name }) => name === 'role:moderators')?.id ?? 0;
  await updates(ada);
  await chat.owner.api.updateStream({
    stream_id,
    can_remove_subscribers_group: group,
    message_retention_days: 30,
    stream_post_policy: 3,
    description: 'Green *tea*.',
    new_name: tea,
  });
  const change = (property: string, value: unknown, more = {}) => ({
    op: 'update',
    stream_id,
    name: tea,
    property,
    value,
    ...more,
  });
  const expected = [
    change('name', tea, { name: soup }),
    change('description', 'Green *tea*.', { rendered_description: '<p>Green <em>tea</em>.</p>' }),
    change('stream_post_policy', 3),
    change('is_announcement_only', false),
    change('message_retention_days', 30),
    change('can_remove_subscribers_group', group),
  ];
  expect(await updates(ada)).toEqual(expected);
  expect((await updates(amy)).slice(-expected.length)).toEqual(expected);
  await amy.api.updateStream({ stream_id, is_announcement_only: true });
  expect(await updates(ada)).toEqual([change('stream_post_policy', 2), change('is_announcement_only', true)]);
  await amy.api.updateStream({ stream_id, is_announcement_only: false });
  expect(await updates(ada)).toEqual([change('stream_post_policy', 1), change('is_announcement_only', false)]);
  await chat.owner.api.updateStream({ stream_id, message_retention_days: 'unlimited' });
  await chat.owner.api.updateStream({ stream_id, message_retention_days: 'realm_default' });
  expect(await updates(ada)).toEqual([change('message_retention_days', -1), change('message_retention_days', null)]);
});

test('users who do not see a stream do not receive its changes', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const gus = await chat.user('gus', { role: 'guest' });
  const ids = [
    await chat.stream(fresh('secret'), { by: ada, invite_only: true }),
    await chat.stream(fresh('open'), { by: ada }),
  ];
  await ben.takeEvents();
  for (const stream_id of ids) await chat.owner.api.updateStream({ stream_id, description: 'Hot.' });
  expect(await updates(ben)).toMatchObject([{ stream_id: ids[1] }]);
  expect(await gus.takeEvents()).toEqual([]);
  expect(await updates(ada)).toHaveLength(2 + 2);
});

test('a renamed stream is found by its new name, and its old one can be used again', async () => {
  const amy = await admin();
  const [soup, tea] = [fresh('soup'), fresh('tea')];
  const stream_id = await chat.stream(soup, { by: amy });
  await amy.api.updateStream({ stream_id, new_name: tea });
  await chat.message({ from: amy, to: tea });
  await expectError(
    'STREAM_DOES_NOT_EXIST',
    amy.api.sendMessage({ type: 'stream', to: soup, topic: 'a', content: 'b' }),
  );
  expect(await chat.stream(soup, { by: amy })).not.toBe(stream_id);
});

test('the Notification Bot writes the change, its actor, the old and new value; the actor has the notice as read', async () => {
  const [ada, amy] = [await chat.user('ada'), await admin()];
  const [soup, tea] = [fresh('soup'), fresh('tea')];
  const stream_id = await chat.stream(soup, { by: ada, members: [amy] });
  await amy.api.updateStream({ stream_id, new_name: tea });
  await amy.api.updateStream({ stream_id, description: '``` @**all**', stream_post_policy: 2, is_private: true });
  const [renamed, changed] = await notices(ada, stream_id);
  const by = `@_**${amy.full_name}|${amy.id}**`;
  expect(renamed).toMatchObject({
    sender_full_name: 'Notification Bot',
    content: `${by} changed the name of this stream from \`${soup}\` to \`${tea}\`.`,
    flags: [],
  });
  for (const part of [by, '**Public**', '**Private, protected history**', '**everyone**', '**administrators only**']) {
    expect(changed?.content).toContain(part);
  }
  expect(changed?.content).toContain('``` quote\n\\``` @_**all**\n```');
  // The notice mentions no user, whatever the description says.
  expect(changed?.flags).toEqual([]);
  expect((await notices(amy, stream_id)).map(({ flags }) => flags)).toEqual([['read'], ['read']]);
});

test('a name that looks like a mention mentions no user', async () => {
  const [ada, amy] = [await chat.user('ada'), await admin()];
  const stream_id = await chat.stream(fresh('soup'), { by: ada });
  await amy.api.updateStream({ stream_id, new_name: `${fresh('x')}** @**all` });
  expect((await notices(ada, stream_id)).map(({ flags }) => flags)).toEqual([[]]);
});

// shows: 2.9
test('a default stream is emitted to all users but guests, who receive only streams that they see', async () => {
  const [ada, amy] = [await chat.user('ada'), await admin()];
  const [gus, gil] = [await chat.user('gus', { role: 'guest' }), await chat.user('gil', { role: 'guest' })];
  const name = fresh('soup');
  const stream_id = await chat.stream(name, { by: ada, members: [gus] });
  for (const person of [ada, gus, gil]) await person.takeEvents();
  await amy.api.updateStream({ stream_id, is_default_stream: true });
  expect(await ada.takeEvents()).toMatchObject([{ type: 'default_streams', default_streams: [{ stream_id, name }] }]);
  expect((await gus.takeEvents()).map(({ id: _, ...event }) => event)).toEqual([
    { type: 'stream', op: 'update', stream_id, name, property: 'is_default', value: true },
  ]);
  expect(await gil.takeEvents()).toEqual([]);
  const eve = await chat.user('eve');
  expect((await eve.api.getSubscriptions({})).subscriptions).toMatchObject([{ stream_id, is_default: true }]);
  await expectError('BAD_REQUEST', amy.api.updateStream({ stream_id, is_private: true }), /default stream/);
  await amy.api.updateStream({ stream_id, description: 'Hot.' });
  await amy.api.updateStream({ stream_id, is_default_stream: false });
  expect((await ada.takeEvents('default_streams')).at(-1)).toMatchObject({ default_streams: [] });
});
