import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
type PageParams = Parameters<TestUser['api']['getMessages']>[0];
const ids = async (person: TestUser, params: Partial<PageParams> & { anchor: PageParams['anchor'] }) => {
  const { messages, ...page } = await person.api.getMessages({ num_before: 0, num_after: 0, ...params });
  return { ...page, ids: messages.map(({ id }) => id) };
};

/** Five messages that Ben wrote to Ada, oldest first. */
async function five(): Promise<{ ada: TestUser; ben: TestUser; all: [number, number, number, number, number] }> {
  const [ada, ben] = await chat.users('ada', 'ben');
  const all: number[] = [];
  for (const content of ['one', 'two', 'three', 'four', 'five'])
    all.push(await chat.message({ from: ben, to: [ada], content }));
  return { ada, ben, all: all as [number, number, number, number, number] };
}

test('an anchor returns the messages around it in ascending order, and whether the ends were found', async () => {
  const { ada, all } = await five();
  const [one, two, three, four, five_] = all;
  const middle = { found_anchor: true, found_oldest: false, found_newest: false, history_limited: false };
  expect(await ids(ada, { anchor: three, num_before: 1, num_after: 1 })).toEqual({
    ...middle,
    anchor: three,
    ids: [two, three, four],
  });
  expect(await ids(ada, { anchor: three, num_before: 2, num_after: 2 })).toMatchObject({
    ids: all,
    found_oldest: true,
    found_newest: true,
  });
  expect(await ids(ada, { anchor: three, num_before: 2 })).toMatchObject({
    ids: [one, two, three],
    found_oldest: true,
    found_newest: false,
  });
  expect(await ids(ada, { anchor: three })).toMatchObject({ ids: [three], found_anchor: true, found_oldest: false });
  expect(await ids(ada, { anchor: five_, num_after: 9 })).toMatchObject({
    ids: [five_],
    found_newest: true,
    found_oldest: false,
  });
});

test('an anchor does not have to be a message in the narrow, and can be larger than any id', async () => {
  const { ada, ben, all } = await five();
  const [, two, three, four] = all;
  const ownMessage = await chat.message({ from: ben, to: [ben] });
  await chat.message({ from: ben, to: [ada] });
  const narrow: PageParams['narrow'] = [{ operator: 'id', operand: three, negated: true }];
  expect(await ids(ada, { anchor: three, num_before: 1, num_after: 1, narrow })).toMatchObject({
    ids: [two, four],
    found_anchor: false,
  });
  expect(await ids(ada, { anchor: ownMessage, num_before: 1, num_after: 9 })).toMatchObject({
    ids: [all[4], ownMessage + 1],
    found_anchor: false,
    found_newest: true,
  });
  const beyond = await ids(ada, { anchor: Number.MAX_SAFE_INTEGER, num_before: 1 });
  expect(beyond).toMatchObject({
    ids: [ownMessage + 1],
    anchor: Number.MAX_SAFE_INTEGER,
    found_anchor: false,
    found_newest: true,
    found_oldest: false,
  });
});

test('the anchor can be excluded only at an end of the window', async () => {
  const { ada, all } = await five();
  const [, two, three, four] = all;
  expect(await ids(ada, { anchor: three, num_before: 1, include_anchor: false })).toMatchObject({
    ids: [two],
    found_anchor: false,
    found_newest: false,
  });
  expect(await ids(ada, { anchor: three, num_after: 1, include_anchor: false })).toMatchObject({
    ids: [four],
    found_oldest: false,
  });
  await expectError(
    'BAD_REQUEST',
    ids(ada, { anchor: three, num_before: 1, num_after: 1, include_anchor: false }),
    /include_anchor/,
  );
});

test('oldest and newest are anchors at the ends', async () => {
  const { ada, all } = await five();
  expect(await ids(ada, { anchor: 'oldest', num_after: 2 })).toMatchObject({
    ids: all.slice(0, 2),
    found_oldest: true,
    found_newest: false,
  });
  expect(await ids(ada, { anchor: 'newest', num_before: 2 })).toMatchObject({
    ids: all.slice(3),
    found_oldest: false,
    found_newest: true,
  });
  expect(await ids(ada, { anchor: 'newest', num_before: 5 })).toMatchObject({
    ids: all,
    found_oldest: true,
    found_newest: true,
  });
});

test('first_unread is the oldest unread message of the narrow, or the newest end without one', async () => {
  const { ada, ben, all } = await five();
  const [one, two, three] = all;
  await ada.api.updateMessageFlags({ messages: [one, two], op: 'add', flag: 'read' });
  expect(await ids(ada, { anchor: 'first_unread', num_before: 1, num_after: 1 })).toMatchObject({
    anchor: three,
    found_anchor: true,
    ids: [two, three, all[3]],
  });
  const elsewhere = await chat.message({ from: ben, to: [ada, chat.owner] });
  const narrow: PageParams['narrow'] = [['dm', [ben.id, chat.owner.id]]];
  expect(await ids(ada, { anchor: 'first_unread', num_after: 1, narrow })).toMatchObject({
    anchor: elsewhere,
    ids: [elsewhere],
  });
  await ada.api.markAllAsRead();
  expect(await ids(ada, { anchor: 'first_unread', num_before: 1 })).toMatchObject({
    ids: [elsewhere],
    found_anchor: false,
    found_newest: true,
  });
});

test('num_before and num_after are integers of at least 0, together at most 5000', async () => {
  const [ada] = await chat.users('ada');
  const params = { anchor: 'newest', num_before: 0, num_after: 0 } as const;
  expect(
    await expectError('REQUEST_VARIABLE_INVALID', ada.api.getMessages({ ...params, num_before: 5001 })),
  ).toMatchObject({
    var_name: 'num_before',
    bad_value: 5001,
  });
  await expectError(
    'REQUEST_VARIABLE_INVALID',
    ada.api.getMessages({ ...params, num_before: 2500, num_after: 2501 }),
    /5000/,
  );
  expect(
    await expectError('REQUEST_VARIABLE_INVALID', ada.api.getMessages({ ...params, num_after: -1 })),
  ).toMatchObject({
    var_name: 'num_after',
    bad_value: -1,
  });
  await expectError('REQUEST_VARIABLE_MISSING', ada.api.getMessages({ anchor: 'newest' } as never));
  await expectError('BAD_REQUEST', ada.api.getMessages({ ...params, anchor: 'middle' } as never), /anchor/);
  expect(await ids(ada, { anchor: 'newest', num_before: 5000 })).toMatchObject({
    ids: [],
    found_oldest: true,
    found_newest: true,
  });
});

// shows: 2.21, 2.24
test('a message has exactly the documented keys, and flags', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const name = `larder ${made++}`;
  const stream_id = await chat.stream(name, { by: ada, members: [ben] });
  const { id } = await ada.api.sendMessage({
    type: 'stream',
    to: name,
    topic: 'soup',
    content: '**hot**',
    client: 'tests',
  });
  const params = { anchor: id, num_before: 0, num_after: 0 };
  const message = {
    id,
    sender_id: ada.id,
    sender_full_name: ada.full_name,
    sender_email: ada.email,
    sender_realm_str: chat.realm.subdomain,
    content: '<p><strong>hot</strong></p>',
    content_type: 'text/html',
    timestamp: expect.any(Number),
    client: 'tests',
    subject: 'soup',
    topic_links: [],
    type: 'stream',
    stream_id,
    display_recipient: name,
    recipient_id: stream_id,
    avatar_url: null,
    is_me_message: false,
    reactions: [],
    submessages: [],
    flags: [],
  };
  expect((await ben.api.getMessages(params)).messages).toEqual([message]);
  const plain = await ben.api.getMessages({ ...params, apply_markdown: false, client_gravatar: false });
  expect(plain.messages).toEqual([
    { ...message, content: '**hot**', content_type: 'text/x-markdown', avatar_url: `/avatar/${ada.id}` },
  ]);
  const shown = { ...message, avatar_url: `/avatar/${ada.id}` };
  expect(await ben.api.getMessage({ message_id: id })).toEqual({ message: shown, raw_content: '**hot**' });
  const raw = await ben.api.getMessage({ message_id: id, apply_markdown: false });
  expect(raw).toEqual({
    message: { ...shown, content: '**hot**', content_type: 'text/x-markdown' },
    raw_content: '**hot**',
  });
  const direct = await chat.message({ from: ada, to: [ben] });
  const { message: dm } = await ben.api.getMessage({ message_id: direct });
  expect(Object.keys(dm).sort()).toEqual(
    Object.keys(message)
      .filter((key) => key !== 'stream_id')
      .sort(),
  );
  expect(dm).toMatchObject({
    type: 'private',
    subject: '',
    display_recipient: [{ id: ada.id, is_mirror_dummy: false }, { id: ben.id }],
  });
});

test('a page costs the same number of statements for any number of messages', async () => {
  const { ada } = await five();
  const count = (num_before: number) =>
    chat.statements(() => ada.api.getMessages({ anchor: 'newest', num_before, num_after: 0 }));
  expect(await count(5)).toBe(await count(1));
});
