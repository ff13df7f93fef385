import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
const newName = () => `kitchen ${made++}`;

test('a stream is given by its name in any case, by its id, as JSON, or in a list of one', async () => {
  const [ada] = await chat.users('ada');
  const name = newName();
  const id = await chat.stream(name, { by: ada });
  const ways: (string | number | string[] | number[])[] = [name, name.toUpperCase(), ` ${name}`, [name], id, [id]];
  const sent = [];
  for (const to of ways)
    sent.push(await ada.api.sendMessage({ type: 'stream', to: to as string, topic: 'soup', content: 'hi' }));
  expect(new Set(sent.map((one) => one.id)).size).toBe(ways.length);
  const raw = await chat.fetch('/api/v1/messages', {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${ada.email}:${ada.apiKey}`)}` },
    body: new URLSearchParams({ type: 'stream', to: JSON.stringify(name), subject: 'soup', content: 'hi' }),
  });
  expect(await raw.json()).toMatchObject({ result: 'success' });
  const { messages } = await ada.api.getMessages({
    anchor: 'newest',
    num_before: 9,
    num_after: 0,
    narrow: [
      ['topic', 'soup'],
      ['stream', id],
    ],
  });
  expect(messages).toHaveLength(ways.length + 1);
});

test('an unknown stream fails with its name or id', async () => {
  const [ada] = await chat.users('ada');
  const message = { type: 'stream', topic: 'soup', content: 'hi' } as const;
  expect(await expectError('STREAM_DOES_NOT_EXIST', ada.api.sendMessage({ ...message, to: 'nowhere' }))).toMatchObject({
    stream: 'nowhere',
  });
  expect(
    await expectError('STREAM_DOES_NOT_EXIST', ada.api.sendMessage({ ...message, to: [987_654] as never })),
  ).toMatchObject({
    stream_id: 987_654,
  });
  await expectError('BAD_REQUEST', ada.api.sendMessage({ ...message, to: ['a', 'b'] as never }), /exactly one stream/);
  await expectError('BAD_REQUEST', ada.api.sendMessage({ ...message, to: [] as never }), /exactly one stream/);
});

test('a private stream that the user cannot see is reported as unknown', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const name = newName();
  const id = await chat.stream(name, { by: ada, invite_only: true });
  const message = { type: 'stream', topic: 'soup', content: '' } as const;
  expect(await expectError('STREAM_DOES_NOT_EXIST', ben.api.sendMessage({ ...message, to: name }))).toMatchObject({
    stream: name,
  });
  expect(await expectError('STREAM_DOES_NOT_EXIST', ben.api.sendMessage({ ...message, to: id }))).toMatchObject({
    stream_id: id,
  });
});

test('administrators see a private stream and cannot post to it', async () => {
  const [ada] = await chat.users('ada');
  const admin = await chat.user('iago', { role: 'admin' });
  const name = newName();
  await chat.stream(name, { by: ada, invite_only: true });
  await expectError(
    'BAD_REQUEST',
    admin.api.sendMessage({ type: 'stream', to: name, topic: 'soup', content: 'hi' }),
    new RegExp(name),
  );
});

test('users other than guests can post to a public stream without a subscription, and receive no event', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const guest = await chat.user('gus', { role: 'guest' });
  const name = newName();
  await chat.stream(name, { by: ada });
  await ben.takeEvents();
  const id = await chat.message({ from: ben, to: name });
  expect((await ada.takeEvents('message')).at(-1)?.message.id).toBe(id);
  expect(await ben.takeEvents('message')).toEqual([]);
  await expectError(
    'STREAM_DOES_NOT_EXIST',
    guest.api.sendMessage({ type: 'stream', to: name, topic: 'soup', content: 'hi' }),
  );
});

// shows: 2.12
test('a stream with posting by administrators rejects others with this reason, their bots included', async () => {
  const admin = await chat.user('iago', { role: 'admin' });
  const [ben] = await chat.users('ben');
  const name = newName();
  await chat.stream(name, { by: admin, members: [ben], stream_post_policy: 2 });
  const message = { type: 'stream', to: name, topic: 'soup', content: 'hi' } as const;
  await expectError('BAD_REQUEST', ben.api.sendMessage(message), /administrators/);
  const [helper, stranger] = [await chat.user('helper', { bot_of: admin }), await chat.user('robot', { bot_of: ben })];
  expect(await helper.api.sendMessage(message)).toEqual({ id: expect.any(Number) });
  await expectError('BAD_REQUEST', stranger.api.sendMessage(message), /administrators/);
});

test('a bot, an incoming webhook too, can post where its owner can', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const name = newName();
  await chat.stream(name, { by: ada, invite_only: true });
  const message = { type: 'stream', to: name, topic: 'soup', content: 'beep' } as const;
  const hook = await chat.user('hook', { bot_of: ada, bot_type: 2 });
  const stranger = await chat.user('robot', { bot_of: ben });
  const { id } = await hook.api.sendMessage(message);
  expect((await ada.takeEvents('message')).at(-1)?.message).toMatchObject({ id, sender_id: hook.id });
  await expectError('STREAM_DOES_NOT_EXIST', stranger.api.sendMessage(message));
});

// shows: 2.22
test('blank or too long content fails, and nothing is truncated', async () => {
  const [ada] = await chat.users('ada');
  const to = newName();
  await chat.stream(to, { by: ada });
  const send = (content: string) => ada.api.sendMessage({ type: 'stream', to, topic: 'soup', content });
  await expectError('BAD_REQUEST', send('  \n '), /content/);
  await expectError('BAD_REQUEST', send('x'.repeat(10_001)), /10000/);
  const { id } = await send(`\n\n${'🍲'.repeat(10_000)}  \n`);
  expect((await ada.api.getMessage({ message_id: id })).raw_content).toBe('🍲'.repeat(10_000));
});

test('a topic is trimmed, keeps the case of the existing topic, and fails when blank, too long or invalid', async () => {
  const [ada] = await chat.users('ada');
  const to = newName();
  await chat.stream(to, { by: ada });
  const send = (topic?: string) =>
    ada.api.sendMessage({ type: 'stream', to, content: 'hi', ...(topic !== undefined && { topic }) });
  const subjectOf = async ({ id }: { id: number }) => (await ada.api.getMessage({ message_id: id })).message.subject;
  expect(await subjectOf(await send(' Pea Soup '))).toBe('Pea Soup');
  expect(await subjectOf(await send('pea soup'))).toBe('Pea Soup');
  expect(await subjectOf(await send(`✔ ${'x'.repeat(60)}`))).toBe(`✔ ${'x'.repeat(60)}`);
  expect(await subjectOf(await send())).toBe('(no topic)');
  await expectError('BAD_REQUEST', send('  '), /topic/);
  await expectError('BAD_REQUEST', send('x'.repeat(61)), /topic.*60/);
  await expectError('BAD_REQUEST', send('pea\u0007soup'), /topic.*position 4/);
});

test('topic and its alias subject together fail', async () => {
  const [ada] = await chat.users('ada');
  const call = ada.api.sendMessage({ type: 'stream', to: 'x', topic: 'a', subject: 'b', content: 'hi' } as never);
  expect(await expectError('REQUEST_CONFUSING_VAR', call)).toMatchObject({ var_name1: 'topic', var_name2: 'subject' });
});

// shows: 9.11
test('an unknown type, and a missing recipient or content, fail with errors that name them', async () => {
  const [ada] = await chat.users('ada');
  await expectError('BAD_REQUEST', ada.api.sendMessage({ type: 'telegram', to: 'x', content: 'hi' } as never), /type/);
  expect(
    await expectError(
      'REQUEST_VARIABLE_MISSING',
      ada.api.sendMessage({ type: 'stream', topic: 'x', content: 'hi' } as never),
    ),
  ).toMatchObject({ var_name: 'to' });
  expect(
    await expectError('REQUEST_VARIABLE_MISSING', ada.api.sendMessage({ type: 'direct', to: [ada.id] } as never)),
  ).toMatchObject({ var_name: 'content' });
});

test('where topics are mandatory a message without one fails', async () => {
  const { owner } = await chat.otherRealm('strict');
  await owner.api.updateRealm({ mandatory_topics: true });
  const to = newName();
  await owner.api.subscribe({ subscriptions: [{ name: to }] });
  await expectError(
    'BAD_REQUEST',
    owner.api.sendMessage({ type: 'stream', to, topic: '(no topic)', content: 'hi' }),
    /topic/,
  );
  await expectError('BAD_REQUEST', owner.api.sendMessage({ type: 'stream', to, content: 'hi' }), /topic/);
  expect(await owner.api.sendMessage({ type: 'stream', to: to as string, topic: 'soup', content: 'hi' })).toMatchObject(
    {
      id: expect.any(Number),
    },
  );
});

test('a message that is refused takes no number of its stream, and none of another conversation', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const admin = await chat.user('admin', { role: 'admin' });
  const closed = await chat.stream(newName(), { by: admin, members: [ben], stream_post_policy: 2 });
  const hidden = await chat.stream(newName(), { by: admin, invite_only: true });
  const archived = await chat.stream(newName(), { by: admin, members: [ben] });
  await chat.message({ from: ada, to: [ben] });
  await admin.api.archiveStream({ stream_id: archived });
  const positions = () =>
    rows(chat.database.db, sql`select id, last_seq from conversations where realm_id = ${chat.realm.id} order by id`);
  const before = await positions();
  const [direct] = await rows<{ id: number }>(
    chat.database.db,
    sql`select max(c.id) as id from conversations c where realm_id = ${chat.realm.id} and not exists (
      select from streams s where s.realm_id = c.realm_id and s.id = c.id)`,
  );
  const send = (to: number, topic = 'soup') =>
    ben.api.sendMessage({ type: 'stream', to, topic, content: 'hi', read_by_sender: true });
  await expectError('BAD_REQUEST', send(closed), /administrators/);
  for (const id of [hidden, archived, direct?.id ?? 0, 4_000_000]) await expectError('STREAM_DOES_NOT_EXIST', send(id));
  await expectError('BAD_REQUEST', send(closed, 'a\0b'));
  expect(await positions()).toEqual(before);
});
