import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
const newName = () => `pantry ${made++}`;
const party = ({ id, email, full_name }: TestUser) => ({ id, email, full_name });

// shows: 2.21
test('a stream message emits an event to all subscribers, with exactly these keys', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const name = newName();
  const stream_id = await chat.stream(name, { by: ada, members: [ben] });
  await ben.takeEvents();
  const { id } = await ada.api.sendMessage({
    type: 'stream',
    to: name,
    topic: 'Soup',
    content: '**hot** ',
    client: 'website',
  });
  const [event] = await ben.takeEvents('message');
  expect(event).toEqual({
    id: expect.any(Number),
    type: 'message',
    flags: [],
    message: {
      id,
      sender_id: ada.id,
      sender_full_name: ada.full_name,
      sender_email: ada.email,
      sender_realm_str: chat.realm.subdomain,
      content: '<p><strong>hot</strong></p>',
      content_type: 'text/html',
      timestamp: expect.any(Number),
      client: 'website',
      subject: 'Soup',
      topic_links: [],
      type: 'stream',
      stream_id,
      display_recipient: name,
      recipient_id: stream_id,
      avatar_url: `/avatar/${ada.id}`,
      is_me_message: false,
      reactions: [],
      submessages: [],
    },
  });
  expect(Math.abs((event?.message.timestamp ?? 0) - chat.clock().getTime() / 1000)).toBeLessThan(10);
  expect(await cleo.takeEvents('message')).toEqual([]);
});

test('a direct message emits an event to its participants, with exactly these keys', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const { id } = await ada.api.sendMessage({ type: 'direct', to: [ben.id], content: '/me waves', client: 'tests' });
  expect(await ben.takeEvents('message')).toEqual([
    {
      id: expect.any(Number),
      type: 'message',
      flags: [],
      message: {
        id,
        sender_id: ada.id,
        sender_full_name: ada.full_name,
        sender_email: ada.email,
        sender_realm_str: chat.realm.subdomain,
        content: '<p>/me waves</p>',
        content_type: 'text/html',
        timestamp: expect.any(Number),
        client: 'tests',
        subject: '',
        topic_links: [],
        type: 'private',
        display_recipient: [ada, ben].map((person) => ({ ...party(person), is_mirror_dummy: false })),
        recipient_id: expect.any(Number),
        avatar_url: `/avatar/${ada.id}`,
        is_me_message: true,
        reactions: [],
        submessages: [],
      },
    },
  ]);
  expect(await ada.takeEvents('message')).toMatchObject([{ message: { id } }]);
  expect(await cleo.takeEvents('message')).toEqual([]);
});

// shows: 2.25, 2.26
test("the sender's own message is read when sent by a client for humans, and unread otherwise, unless read_by_sender is given", async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const name = newName();
  await chat.stream(name, { by: ada, members: [ben] });
  await ada.takeEvents();
  const ways = [
    { client: 'Website' },
    { client: 'robot' },
    { client: 'robot', read_by_sender: true },
    { client: 'website', read_by_sender: false },
  ];
  for (const way of ways) await ada.api.sendMessage({ type: 'stream', to: name, topic: 'soup', content: 'hi', ...way });
  const flags = [['read'], [], ['read'], []];
  expect((await ada.takeEvents('message')).map((event) => event.flags)).toEqual(flags);
  const { messages } = await ada.api.getMessages({ anchor: 'newest', num_before: 4, num_after: 0 });
  expect(messages.map((message) => message.flags)).toEqual(flags);
  for (const way of ways) await ada.api.sendMessage({ type: 'direct', to: [ben.id], content: 'hi', ...way });
  expect((await ada.takeEvents('message')).map((event) => event.flags)).toEqual(flags);
});

test('the name of the client is the parameter, else the User-Agent, else Unspecified', async () => {
  const [ada] = await chat.users('ada');
  const send = async (headers: Record<string, string>) => {
    const body = new URLSearchParams({ type: 'direct', to: `[${ada.id}]`, content: 'hi' });
    await chat.fetch('/api/v1/messages', {
      method: 'POST',
      body,
      headers: { Authorization: `Basic ${btoa(`${ada.email}:${ada.apiKey}`)}`, ...headers },
    });
    return (await ada.takeEvents('message')).map(({ message, flags }) => [message.client, ...flags]);
  };
  expect(await send({ 'User-Agent': 'ParleyMobile/27 (Android)' })).toEqual([['ParleyMobile', 'read']]);
  expect(await send({ 'User-Agent': 'something' })).toEqual([['Unspecified']]);
});

test('local_id is returned in the queue that sent it, and in no other', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const name = newName();
  await chat.stream(name, { by: ada, members: [ben] });
  await Promise.all([ada.takeEvents(), ben.takeEvents()]);
  const queue = await ada.api.registerQueue({ event_types: ['message'] });
  const theirs = await ben.api.registerQueue({ event_types: ['message'] });
  const send = (extra: object) =>
    ada.api.sendMessage({ type: 'stream', to: name, topic: 'soup', content: 'hi', local_id: '7.01', ...extra });
  await send({ queue_id: queue.queue_id, read_by_sender: true });
  await send({ queue_id: theirs.queue_id });
  const heard = async (person: TestUser, { queue_id, last_event_id }: { queue_id: string; last_event_id: number }) =>
    (await person.api.getEvents({ queue_id, last_event_id, dont_block: true })).events;
  const [first, second] = await heard(ada, queue);
  expect(first).toMatchObject({ local_message_id: '7.01', flags: ['read'] });
  expect(second).not.toHaveProperty('local_message_id');
  for (const event of [...(await heard(ben, theirs)), ...(await ada.takeEvents('message'))])
    expect(event).not.toHaveProperty('local_message_id');
});

test('a queue without apply_markdown receives the Markdown, and one with client_gravatar no default avatar', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const queue = await ben.api.registerQueue({ event_types: ['message'], apply_markdown: false, client_gravatar: true });
  await chat.message({ from: ada, to: [ben], content: '**hi**' });
  const { events } = await ben.api.getEvents({ ...queue, dont_block: true });
  expect(events).toMatchObject([{ message: { content: '**hi**', content_type: 'text/x-markdown', avatar_url: null } }]);
});

test('a queue of all public streams receives each message there once, whoever was mentioned, and none of private streams', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const [name, secret] = [newName(), newName()];
  await chat.stream(name, { by: ada, members: [ben] });
  await chat.stream(secret, { by: ada, invite_only: true });
  const queues = await Promise.all(
    [ada, ben, cleo].map(async (person) => ({
      person,
      ...(await person.api.registerQueue({ event_types: ['message'], all_public_streams: true })),
    })),
  );
  await ada.api.sendMessage({
    type: 'stream',
    to: name,
    topic: 'soup',
    content: `hi @**${ben.full_name}**`,
    read_by_sender: true,
  });
  await chat.message({ from: ada, to: secret });
  const heard = await Promise.all(
    queues.map(async ({ person, queue_id, last_event_id }) => {
      const { events } = await person.api.getEvents({ queue_id, last_event_id, dont_block: true });
      return events
        .filter((event) => event.type === 'message' && event.message.display_recipient === name)
        .map((event) => (event.type === 'message' ? event.flags : []));
    }),
  );
  expect(heard.slice(0, 2)).toEqual([[['read']], [['mentioned']]]);
  expect(heard[2]).toHaveLength(1);
  const { events } = await cleo.api.getEvents({
    queue_id: queues[2]?.queue_id ?? '',
    last_event_id: queues[2]?.last_event_id ?? 0,
    dont_block: true,
  });
  expect(events).toHaveLength(1);
});
