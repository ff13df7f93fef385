// `client.events()`: every event once, for any failure of the network, and an end on request.
import { type Client, createClient } from '@parley/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Chat, startChat, type TestUser } from '../chat.ts';
import { collectEvents } from './collect-events.ts';
import { type ConnectionProxy, startConnectionProxy } from './connection-proxy.ts';
import { between, closeServers } from './scripted-server.ts';

let chat: Chat;
let door: ConnectionProxy;
let anna: TestUser;
let stream: string;
let client: Client;
let streams = 0;

beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());
beforeEach(async () => {
  door = await startConnectionProxy(chat.port);
  anna = await chat.user('anna', { mirrored: false });
  stream = `kitchen ${streams++}`;
  await chat.stream(stream, { by: anna });
  client = createClient(door.url, { login: { email: anna.email, apiKey: anna.apiKey } });
});
afterEach(() => door.close());
afterEach(() => void vi.restoreAllMocks());

const say = (content: string) => chat.message({ from: anna, to: stream, content });

/** Follows the messages of the stream; the queue is open when this resolves. */
async function listen(options: { signal?: AbortSignal; timeout?: number } = {}) {
  const events = client.events({ types: ['message'], narrow: [['stream', stream]], ...options });
  const opened = await events.open();
  return { events, opened };
}

test('events come once and in order, however often connections break', async () => {
  const { events } = await listen();
  const out = collectEvents(events);
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
  const { events } = await listen();
  const out = collectEvents(events);
  door.lead();
  door.cut();
  for (let n = 0; n < 3; n++) await say(`soup ${n}`);
  await say('end');
  door.lead(chat.port);
  expect(await out).toEqual({ heard: ['soup 0', 'soup 1', 'soup 2'], resyncs: 0 });
});

test('a poll without a response times out, and the next one misses nothing', async () => {
  let pollCount = 0;
  const polls = createClient(door.url, {
    login: { email: anna.email, apiKey: anna.apiKey },
    onRequest: ({ operation }) => {
      pollCount += operation === 'getEvents' ? 1 : 0;
      // The network is back at the third poll.
      if (pollCount === 3) door.hush(false);
    },
  });
  const events = polls.events({ types: ['message'], narrow: [['stream', stream]], timeout: 300 });
  await events.open();
  door.hush(true);
  const out = collectEvents(events);
  await say('soup');
  await say('end');
  expect(await out).toEqual({ heard: ['soup'], resyncs: 0 });
  expect(pollCount).toBeGreaterThanOrEqual(3);
});

test('a queue that ended causes one resync with the state to start from, and events go on', async () => {
  const { events, opened } = await listen();
  await say('soup');
  expect(await events.next()).toMatchObject({ value: { type: 'message', message: { content: 'soup' } } });
  await anna.api.deleteQueue({ queue_id: opened.queue_id });
  const missed = await say('never heard');
  const { value } = await events.next();
  expect(value).toMatchObject({ type: 'resync', state: { max_message_id: missed } });
  const out = collectEvents(events);
  await say('bread');
  await say('end');
  expect(await out).toEqual({ heard: ['bread'], resyncs: 0 });
});

test('a queue that expired causes a resync', async () => {
  const { events } = await listen();
  chat.clock.advance({ minutes: 11 });
  const { value } = await events.next();
  expect(value).toMatchObject({ type: 'resync' });
  await events.return();
});

test('an aborted signal ends a waiting iteration at once, without an error, and its queue', async () => {
  const ending = new AbortController();
  const { events, opened } = await listen({ signal: ending.signal });
  const next = events.next();
  ending.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  await expect.poll(() => isDeleted(opened.queue_id)).toBe(true);
});

const position = { queue_id: 'gone', last_event_id: 1, registered_with: '{}' };
test.each([
  [1, 'without a logger', {}, {}],
  [0, 'with a logger', { logger: { debug: () => {}, warn: () => {} } }, {}],
  [1, 'where the program resumes', {}, { resume: { load: async () => position, save: async () => {} } }],
])('a server that does not respond is reported %i times on the console %s', async (times, _, options, more) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const ending = new AbortController();
  let attempts = 0;
  const { url } = await between(() => {});
  closeServers();
  const unreachable = createClient(url, { ...options, onRequest: () => ++attempts === 5 && ending.abort() });
  await unreachable.events({ ...more, signal: ending.signal }).next();
  expect(warn.mock.calls).toHaveLength(times);
  if (times > 0) expect(warn.mock.calls[0]?.[0]).toMatch(/^\w+ at .* no response \(.*ECONNREFUSED/);
});

test('an aborted signal ends an iteration that waits for an unreachable server', async () => {
  const ending = new AbortController();
  door.lead();
  const next = client.events({ signal: ending.signal }).next();
  ending.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});

test('the remaining events of a response are not delivered after the signal', async () => {
  const ending = new AbortController();
  const { events } = await listen({ signal: ending.signal });
  await say('one');
  await say('two');
  const heard: string[] = [];
  for await (const event of events) {
    if (event.type === 'message') heard.push(event.message.content);
    ending.abort();
  }
  expect(heard).toEqual(['one']);
});

test('leaving the loop ends the queue', async () => {
  const { events, opened } = await listen();
  await say('soup');
  for await (const _ of events) break;
  await expect.poll(() => isDeleted(opened.queue_id)).toBe(true);
});

test('a waiting iteration can be ended by return(), at once, and so can its queue', async () => {
  const { events, opened } = await listen();
  const waiting = events.next();
  expect(await events.return()).toEqual({ done: true, value: undefined });
  expect(await waiting).toEqual({ done: true, value: undefined });
  await expect.poll(() => isDeleted(opened.queue_id)).toBe(true);
});

test.each(['by hand', 'by its signal'])('a queue that was opened without an iteration ends %s', async (how) => {
  const ending = new AbortController();
  const { events, opened } = await listen({ signal: ending.signal });
  if (how === 'by hand') await events.return();
  else ending.abort();
  await expect.poll(() => isDeleted(opened.queue_id)).toBe(true);
});

test('an iteration that ends while its queue is being registered leaves no queue', async () => {
  let opened = '';
  const leaver = createClient(door.url, {
    login: { email: anna.email, apiKey: anna.apiKey },
    // The whole response has arrived before the iteration can end.
    fetch: async (request) => {
      const response = await fetch(request);
      return new Response(await response.text(), response);
    },
    onResponse: async ({ operation, response }) => {
      if (operation !== 'registerQueue') return;
      opened = ((await response.clone().json()) as { queue_id: string }).queue_id;
      await events.return();
    },
  });
  const events = leaver.events({ types: ['message'] });
  await events.open().catch(() => {});
  expect(opened).not.toBe('');
  await expect.poll(() => isDeleted(opened)).toBe(true);
});

test('failed attempts call the hook with the error', async () => {
  const ending = new AbortController();
  const attempts: unknown[] = [];
  const events = createClient(door.url, {
    login: { email: anna.email, apiKey: anna.apiKey },
    onRetry: ({ operation, attempt, error }) => {
      attempts.push([operation, attempt, (error as Error).name]);
      if (attempts.length === 2) ending.abort();
    },
  }).events({ types: ['message'], signal: ending.signal });
  await events.open();
  door.lead();
  door.cut();
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect(attempts).toEqual([
    ['getEvents', 1, 'TransportError'],
    ['getEvents', 2, 'TransportError'],
  ]);
});

test('a response of another kind of server ends the iteration', async () => {
  const lost = createClient(door.url, { fetch: async () => new Response('<h1>Not here</h1>', { status: 404 }) });
  await expect(lost.events().next()).rejects.toMatchObject({ name: 'TransportError', status: 404 });
});

test('an error response that a retry cannot change ends the iteration', async () => {
  const stranger = createClient(door.url, { login: { email: anna.email, apiKey: 'x'.repeat(32) } });
  await expect(stranger.events().next()).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
});

const isDeleted = (queue_id: string): Promise<boolean> =>
  anna.api.getEvents({ queue_id, last_event_id: -1, dont_block: true }).then(
    () => false,
    ({ code }) => code === 'BAD_EVENT_QUEUE_ID',
  );
