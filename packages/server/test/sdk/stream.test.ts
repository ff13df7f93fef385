// `client.events()` over a stream: every event once, with one request, for any failure of the network.
import { type Client, createClient } from '@parley/client';
import { createStreamingFetch } from '@parley/client/stream';
import { sql } from '@parley/db/sql';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../chat.ts';
import { collectEvents } from './collect-events.ts';
import { type ConnectionProxy, startConnectionProxy } from './connection-proxy.ts';

let chat: Chat;
let door: ConnectionProxy;
let anna: TestUser;
let stream: string;
let client: Client;
let streams = 0;
/** Requests that were sent, as method, path and type of the response. */
let sent: string[] = [];

const record = async (request: Request): Promise<Response> => {
  const response = await fetch(request);
  const { pathname } = new URL(request.url);
  sent.push(`${request.method} ${pathname.replace('/api/v1/', '')} ${response.headers.get('Content-Type')}`);
  return response;
};
const STREAM = 'GET events text/event-stream';

beforeAll(async () => {
  chat = await startChat({
    ownDatabase: true,
    pollTimes: { quiet: 300, spread: 0, tick: 50, fallback: 50, coalesce: 1 },
  });
});
afterAll(() => chat.close());
beforeEach(async () => {
  sent = [];
  door = await startConnectionProxy(chat.port);
  anna = await chat.user('anna', { mirrored: false });
  stream = `kitchen ${streams++}`;
  await chat.stream(stream, { by: anna });
  client = clientOver(record);
});
afterEach(() => door.close());

const clientOver = (send: (request: Request) => Promise<Response>) =>
  createClient(door.url, {
    login: { email: anna.email, apiKey: anna.apiKey },
    fetch: createStreamingFetch(send),
  });
const say = (content: string) => chat.message({ from: anna, to: stream, content });

/** Follows the messages of the stream; the queue is open when this resolves. */
async function listen(options: { timeout?: number; through?: Client } = {}) {
  const { through = client, timeout } = options;
  const events = through.events({ types: ['message'], narrow: [['stream', stream]], timeout });
  await events.open();
  return events;
}

test('many events come with one request, also after a pause', async () => {
  const out = collectEvents(await listen());
  for (let n = 0; n < 10; n++) await say(`soup ${n}`);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await say('end');
  const { heard, resyncs } = await out;
  expect(heard).toEqual(Array.from({ length: 10 }, (_, n) => `soup ${n}`));
  expect(resyncs).toBe(0);
  expect(sent.filter((line) => line.startsWith('GET events'))).toEqual([STREAM]);
});

test('events come once and in order, however often connections break', async () => {
  const out = collectEvents(await listen());
  const said: string[] = [];
  for (let n = 0; n < 30; n++) {
    await say(`soup ${n}`);
    said.push(`soup ${n}`);
    if (n % 5 === 0) door.cut();
  }
  await say('end');
  expect(await out).toEqual({ heard: said, resyncs: 0 });
});

test('events that happen while there is no network are delivered when it is back', async () => {
  const out = collectEvents(await listen());
  await expect.poll(() => sent).toContain(STREAM);
  door.lead();
  door.cut();
  for (let n = 0; n < 3; n++) await say(`soup ${n}`);
  await say('end');
  door.lead(chat.port);
  expect(await out).toEqual({ heard: ['soup 0', 'soup 1', 'soup 2'], resyncs: 0 });
});

test('a stream without bytes times out, and the next one misses nothing', async () => {
  const out = collectEvents(await listen({ timeout: 1000 }));
  await expect.poll(() => sent).toContain(STREAM);
  await say('before');
  door.hush(true);
  await say('soup');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  door.hush(false);
  door.cut();
  await say('end');
  expect(await out).toEqual({ heard: ['before', 'soup'], resyncs: 0 });
});

test('a stream that the server ends is requested again', async () => {
  const out = collectEvents(await listen());
  for (let n = 0; n < 3; n++) {
    await expect.poll(() => chat.app.polls.waiting(), { timeout: 10_000 }).toBe(1);
    await say(`soup ${n}`);
    chat.app.polls.endAll();
  }
  await say('end');
  expect(await out).toEqual({ heard: ['soup 0', 'soup 1', 'soup 2'], resyncs: 0 });
});

test('a queue that ended is replaced, and a resync has the state', async () => {
  const events = await listen();
  await say('before');
  expect((await events.next()).value).toMatchObject({ type: 'message' });
  await chat.database.db.execute(sql`delete from event_queues where user_id = ${anna.id}`);
  chat.app.polls.endAll();
  expect((await events.next()).value).toMatchObject({ type: 'resync' });
  await say('after');
  expect((await events.next()).value).toMatchObject({ message: { content: 'after' } });
  await events.return();
});

test('a program that leaves ends its stream and its queue', async () => {
  const events = await listen();
  await say('soup');
  await events.next();
  await expect.poll(() => chat.app.polls.waiting()).toBe(1);
  await events.return();
  await expect.poll(() => chat.app.polls.waiting()).toBe(0);
  await expect.poll(() => sent).toContain('DELETE events application/json');
});

test('a server without streams is polled', async () => {
  const old = clientOver((request) => {
    request.headers.set('Accept', 'application/json');
    return record(request);
  });
  const out = collectEvents(await listen({ through: old }));
  for (let n = 0; n < 3; n++) await say(`soup ${n}`);
  await say('end');
  expect(await out).toEqual({ heard: ['soup 0', 'soup 1', 'soup 2'], resyncs: 0 });
  expect(sent).not.toContain(STREAM);
});

test('behind a proxy that buffers the stream the queue is polled', async () => {
  const buffered = clientOver(async (request) => {
    const response = await record(request);
    if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) return response;
    const nothing = new ReadableStream({
      start(controller) {
        request.signal.addEventListener('abort', () => controller.error(request.signal.reason));
      },
    });
    return new Response(nothing, response);
  });
  const out = collectEvents(await listen({ through: buffered }));
  await say('soup');
  await say('end');
  expect(await out).toEqual({ heard: ['soup'], resyncs: 0 });
  expect(sent.filter((line) => line.startsWith('GET events'))[0]).toBe(STREAM);
  expect(sent).toContain('GET events application/json');
}, 30_000);

test('handled events are acknowledged from time to time', async () => {
  const out = collectEvents(await listen());
  const clock = Date.now;
  try {
    for (let n = 0; n < 3; n++) {
      await say(`soup ${n}`);
      await expect.poll(() => sent.length).toBeGreaterThan(0);
      const at = clock() + (n + 1) * 20_000;
      Date.now = () => at;
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
  } finally {
    Date.now = clock;
  }
  await expect.poll(() => sent).toContain('POST events/acknowledge application/json');
  await say('end');
  await out;
});

test('polls of a program itself are polls: those of other positions, and those that do not wait', async () => {
  const { queue_id, last_event_id } = await client.registerQueue({ event_types: ['message'] });
  await say('one');
  expect((await client.getEvents({ queue_id, last_event_id, dont_block: true })).events).toHaveLength(1);
  const request = async (last: number) => {
    for (;;) {
      const { events } = await client.getEvents({ queue_id, last_event_id: last });
      const messages = events.filter(({ type }) => type === 'message');
      if (messages.length > 0) return messages;
    }
  };
  const first = await request(last_event_id);
  await say('two');
  expect(await request(first[0]?.id ?? 0)).toMatchObject([{ message: { content: 'two' } }]);
  expect(await request(first[0]?.id ?? 0)).toMatchObject([{ message: { content: 'two' } }]);
  await client.deleteQueue({ queue_id });
});
