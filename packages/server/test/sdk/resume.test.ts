// `client.events({ resume })`: a program that starts again continues where it stopped, however it ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  type Client,
  createClient,
  createStoragePositionStore,
  type PositionStore,
  type QueuePosition,
} from '@parley/client';
import { createFilePositionStore } from '@parley/client/node';
import { createStreamingFetch } from '@parley/client/stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../chat.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-resume-'));
let chat: Chat;
let anna: TestUser;
let stream: string;
let client: Client;
let streams = 0;
/** The requests of the client and the writes of the store, in order. */
let steps: string[];

beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(async () => {
  await chat.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  anna = await chat.user('anna', { mirrored: false });
  stream = `kitchen ${streams++}`;
  await chat.stream(stream, { by: anna });
  steps = [];
  client = createClient(`http://localhost:${chat.port}`, {
    login: { email: anna.email, apiKey: anna.apiKey },
    onRequest: ({ operation, request }) => {
      const last = new URL(request.url).searchParams.get('last_event_id');
      steps.push(last ? `ask after ${last}` : operation);
    },
  });
});

const say = (content: string) => chat.message({ from: anna, to: stream, content });

/** Keeps the position in memory for another run of the program. */
function memoryStore(): PositionStore & { position: QueuePosition | undefined } {
  return {
    position: undefined,
    load() {
      return this.position;
    },
    async save(position) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      steps.push(`save ${position.last_event_id}`);
      this.position = position;
    },
  };
}

const follow = (resume: PositionStore, signal?: AbortSignal) =>
  client.events({ types: ['message'], narrow: [['stream', stream]], resume, signal });

/** One run of a program, which ends by its signal after the message `last`. Returns what it handled. */
async function run(resume: PositionStore, last: string): Promise<string[]> {
  const ending = new AbortController();
  const handled: string[] = [];
  for await (const event of follow(resume, ending.signal)) {
    handled.push(event.type === 'message' ? event.message.content : event.type);
    if (handled.at(-1) === last) ending.abort();
  }
  return handled;
}

/** Leaves a queue behind, as a program does that has handled nothing yet. */
async function registered(resume: PositionStore): Promise<void> {
  const events = follow(resume);
  expect(await events.open()).toMatchObject({ max_message_id: expect.any(Number) });
  await events.return();
}

test('a program that starts again receives the events since, once and in order', async () => {
  const store = memoryStore();
  await registered(store);
  for (const content of ['one', 'two', 'three']) await say(content);
  expect(await run(store, 'two')).toEqual(['one', 'two']);
  await say('four');
  expect(await run(store, 'four')).toEqual(['three', 'four']);
  expect(steps.filter((step) => step === 'registerQueue')).toHaveLength(1);
  expect(steps).not.toContain('deleteQueue');
});

test('the first start has a state, and later starts have none', async () => {
  const store = memoryStore();
  await registered(store);
  const events = follow(store);
  expect(await events.open()).toBeUndefined();
  await events.return();
});

test('the next poll is sent only when the position is stored', async () => {
  const store = memoryStore();
  await registered(store);
  for (const content of ['one', 'two', 'three']) await say(content);
  await run(store, 'three');
  await say('four');
  await run(store, 'four');
  const stored = new Set<string>();
  for (const step of steps) {
    const [verb, , id = ''] = step.replace('save', 'save it').split(' ');
    if (verb === 'save') stored.add(id);
    if (verb === 'ask') expect(stored, `stored before the step "${step}"`).toContain(id);
  }
  expect(stored.size).toBeGreaterThanOrEqual(5);
});

test('an event at which the loop ends, by break or by an error, was not handled and is delivered again', async () => {
  const store = memoryStore();
  await registered(store);
  for (const content of ['one', 'two', 'three']) await say(content);
  for await (const _ of follow(store)) break;
  const fails = async () => {
    for await (const event of follow(store)) {
      if (event.type === 'message' && event.message.content === 'two') throw new Error('The loop failed.');
    }
  };
  await expect(fails()).rejects.toThrow('The loop failed.');
  expect(await run(store, 'three')).toEqual(['two', 'three']);
});

test('a position that cannot be stored ends the iteration, and nothing is lost', async () => {
  const store = memoryStore();
  await registered(store);
  for (const content of ['one', 'two']) await say(content);
  const full = { load: () => store.load(), save: () => Promise.reject(new Error('The disk is full.')) };
  await expect(run(full, 'two')).rejects.toThrow('The disk is full.');
  expect(await run(store, 'two')).toEqual(['one', 'two']);
});

test('a queue that ended meanwhile causes one resync, repeated until it is handled', async () => {
  const store = memoryStore();
  await registered(store);
  await anna.api.deleteQueue({ queue_id: store.position?.queue_id ?? '' });
  for (const run of ['first', 'second']) {
    const events = follow(store);
    expect(await events.next(), run).toMatchObject({
      value: { type: 'resync', state: { queue_id: expect.any(String) } },
    });
    await events.return();
  }
  expect(await run(store, 'resync')).toEqual(['resync']);
  await say('one');
  expect(await run(store, 'one')).toEqual(['one']);
});

test('a program with other event types gets a resync, and a queue with these types', async () => {
  const store = memoryStore();
  await registered(store);
  const before = store.position?.queue_id ?? '';
  const events = client.events({ types: ['message', 'reaction'], narrow: [['stream', stream]], resume: store });
  expect(await events.next()).toMatchObject({ value: { type: 'resync' } });
  await anna.api.addReaction({ message_id: await say('soup'), emoji_name: 'octopus' });
  expect(await events.next()).toMatchObject({ value: { type: 'message' } });
  expect(await events.next()).toMatchObject({ value: { type: 'reaction' } });
  await events.return();
  const poll = anna.api.getEvents({ queue_id: before, last_event_id: -1, dont_block: true });
  await expect(poll).rejects.toMatchObject({ code: 'BAD_EVENT_QUEUE_ID' });
});

test('a program that follows a stream continues where it stopped', async () => {
  const { email, apiKey } = anna;
  client = createClient(`http://localhost:${chat.port}`, { login: { email, apiKey }, fetch: createStreamingFetch() });
  const store = memoryStore();
  await registered(store);
  for (const content of ['one', 'two', 'three']) await say(content);
  expect(await run(store, 'two')).toEqual(['one', 'two']);
  expect(await run(store, 'three')).toEqual(['three']);
});

const position: QueuePosition = {
  queue_id: '1:2',
  last_event_id: 65_536,
  registered_with: '{"event_types":["message"]}',
};

test('a file contains the newest position, without other files beside it', async () => {
  const path = join(folder, 'kept.json');
  const store = createFilePositionStore(path);
  expect(await store.load()).toBeUndefined();
  await store.save({ ...position, last_event_id: 1 });
  await store.save(position);
  expect(await createFilePositionStore(path).load()).toEqual(position);
  expect(existsSync(`${path}.next`)).toBe(false);
});

test.each(['', '{"queue_id":"1:2"}', 'null', 'soup'])('a file with %j is an error that names it', async (text) => {
  const path = join(folder, 'broken.json');
  writeFileSync(path, text);
  await expect(createFilePositionStore(path).load()).rejects.toThrow(`${path} has no position`);
});

test('the storage of a browser keeps a position for each name', async () => {
  const items = new Map<string, string>();
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  };
  const store = createStoragePositionStore('chat', storage);
  expect(await store.load()).toBeUndefined();
  await store.save(position);
  expect(await createStoragePositionStore('chat', storage).load()).toEqual(position);
  expect(await createStoragePositionStore('other', storage).load()).toBeUndefined();
});

/** Starts the program; resolves when its queue exists. */
async function start(name: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('resuming-program.mjs', import.meta.url));
  const { email, apiKey } = anna;
  const args = [
    program,
    `http://localhost:${chat.port}`,
    email,
    apiKey,
    join(folder, `${name}.json`),
    join(folder, name),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line');
  return child;
}

test('a program that is killed again and again handles every message, and at most one twice for each time', async () => {
  const handled = () =>
    existsSync(join(folder, 'killed')) ? readFileSync(join(folder, 'killed'), 'utf8').split('\n') : [];
  const said: string[] = [];
  let isOver = false;
  let child = await start('killed');
  const talk = (async () => {
    while (!isOver) {
      said.push(`soup ${said.length}`);
      await say(said.at(-1) ?? '');
    }
  })();
  const kills = 6;
  for (let n = 0; n < kills; n++) {
    const before = handled().length;
    await expect.poll(() => handled().length, { interval: 1 }).toBeGreaterThan(before + 5);
    child.kill('SIGKILL');
    await once(child, 'exit');
    child = await start('killed');
  }
  isOver = true;
  await talk;
  await say('end');
  await expect.poll(handled).toContain('end');
  child.kill('SIGKILL');
  const lines = handled().slice(0, -1);
  expect(lines.filter((line, n) => line !== lines[n - 1])).toEqual([...said, 'end']);
  expect(lines.length - said.length - 1).toBeLessThanOrEqual(kills);
});
