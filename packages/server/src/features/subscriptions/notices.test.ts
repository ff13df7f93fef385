import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ web_public_streams_enabled: true });
  await chat.owner.api.updateRealm({ enable_spectator_access: true });
  await chat.stream('lobby', { by: chat.owner });
});
afterAll(() => chat.close());

let made = 0;
const fresh = (name: string) => `${name} ${made++}`;
const named = (...names: string[]) => names.map((name) => ({ name }));
const silently = (person: TestUser) => `@_**${person.full_name}|${person.id}**`;

/** The messages of the Notification Bot to a user, as Markdown. */
async function notes(person: TestUser) {
  const { messages } = await person.api.getMessages({
    anchor: 'newest',
    num_before: 50,
    num_after: 0,
    apply_markdown: false,
  });
  return messages.filter((message) => message.sender_full_name === 'Notification Bot');
}

// shows: 2.6
test.each([
  ['public', {}, /^\*\*Public\*\* stream/],
  ['private', { invite_only: true }, /^\*\*Private\*\* stream/],
  ['web-public', { is_web_public: true }, /^\*\*Web-public\*\* stream/],
] as const)(
  'the first message of a %s stream has its privacy, its creator and its description',
  async (_kind, settings, kind) => {
    const ben = await chat.user('ben');
    const { owner } = chat;
    const name = fresh('soup');
    await owner.api.subscribe({
      subscriptions: [{ name, description: 'For *soup*.' }],
      principals: [owner.id, ben.id],
      ...settings,
    });
    const [note] = await notes(ben);
    const stream = (await ben.api.getStreams({})).streams.find((one) => one.name === name);
    expect(note).toMatchObject({
      id: stream?.first_message_id,
      subject: 'stream events',
      display_recipient: name,
      type: 'stream',
    });
    expect(note?.content).toMatch(kind);
    expect(note?.content).toContain(silently(owner));
    expect(note?.content).toContain('``` quote\nFor *soup*.\n```');
  },
);

test('notices are read for the caller, unread for the others, and mention no user', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await ada.api.subscribe({
    subscriptions: [{ name: fresh('soup'), description: '@**all** @**stream**' }],
    principals: [ada.id, ben.id],
  });
  expect((await notes(ada)).map(({ flags }) => flags)).toEqual([['read']]);
  expect((await notes(ben)).map(({ flags }) => flags)).toEqual([[]]);
  expect((await ada.takeEvents('message')).map(({ flags }) => flags)).toEqual([['read']]);
  expect((await ben.takeEvents('message')).map(({ flags }) => flags)).toEqual([[]]);
});

test('the first message is the same in its event and in GET /messages', async () => {
  const ada = await chat.user('ada');
  await ada.api.subscribe({ subscriptions: [{ name: fresh('soup'), description: 'See https://example.com' }] });
  const [event] = await ada.takeEvents('message');
  const { messages } = await ada.api.getMessages({
    anchor: 'newest',
    num_before: 1,
    num_after: 0,
    client_gravatar: false,
  });
  expect(messages).toEqual([{ ...event?.message, flags: ['read'] }]);
});

test('a stream created for other users has its first message, unread for them', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await ada.api.subscribe({ subscriptions: named(fresh('soup')), principals: [ben.id] });
  expect((await notes(ben)).map(({ flags }) => flags)).toEqual([[]]);
  expect(await notes(ada)).toEqual([]);
});

// shows: 3.10, 4.1.7
test('new streams are announced together in the stream that the organization chose, private ones too', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const name = fresh('announcements');
  const notifications_stream_id = await chat.stream(name, { by: chat.owner, members: [ada, ben] });
  const [one, two] = [fresh('one'), fresh('two')];
  await ada.api.subscribe({ subscriptions: named(one), announce: true });
  expect(await notes(ben)).toHaveLength(1);
  await chat.owner.api.updateRealm({ notifications_stream_id });
  await ada.api.subscribe({ subscriptions: named(one), announce: true });
  await ada.api.subscribe({ subscriptions: named(fresh('unannounced')) });
  expect(await notes(ben)).toHaveLength(1);
  await ada.api.subscribe({ subscriptions: named(two, fresh('three')), invite_only: true, announce: true });
  const [, note, ...more] = await notes(ben);
  expect(more).toEqual([]);
  expect(note).toMatchObject({ display_recipient: name, subject: 'new streams', flags: [] });
  for (const text of [silently(ada), `#**${two}**`]) expect(note?.content).toContain(text);
  expect((await notes(ada)).at(-1)).toMatchObject({ display_recipient: name, flags: ['read'] });
  await chat.owner.api.updateRealm({ notifications_stream_id: -1 });
});

test('a user whom another user subscribes to existing streams receives one direct message about it', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const robo = await chat.user('robo', { bot_of: ben });
  const [one, two, created] = [fresh('one'), fresh('two'), fresh('new')];
  await chat.stream(one, { by: chat.owner, members: [cleo] });
  await chat.stream(two, { by: chat.owner });
  const users = [ada, ben, cleo, robo];
  await ada.api.subscribe({ subscriptions: named(one, two, created), principals: users.map(({ id }) => id) });
  const letters = async (person: TestUser) =>
    (await notes(person)).filter(({ type }) => type === 'private').map(({ content }) => content);
  expect(await letters(ben)).toEqual([
    `${silently(ada)} subscribed you to these streams:\n\n* #**${one}**\n* #**${two}**`,
  ]);
  expect(await letters(cleo)).toEqual([`${silently(ada)} subscribed you to the stream #**${two}**.`]);
  expect(await letters(ada)).toEqual([]);
  expect(await letters(robo)).toEqual([]);
});
