// Events that are published at once and stored nowhere. Typing notifications are of this kind.

import type { Calls, Params } from '@parley/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { startSecondProcess } from '../../../test/second-process.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const type = (from: TestUser, to: TestUser, op: 'start' | 'stop' = 'start') => from.api.setTyping({ op, to: [to.id] });

/** Registers a queue and follows it: ids must ascend. Polls use `dont_block` unless they wait. */
async function follow(api: Calls, event_types: Params<'registerQueue'>['event_types'] = ['typing', 'message']) {
  const { queue_id, last_event_id } = await api.registerQueue({ event_types });
  const queue = {
    queue_id,
    last_event_id,
    async poll(through: Calls = api, dont_block = true) {
      const { events } = await through.getEvents({ queue_id, last_event_id: queue.last_event_id, dont_block });
      for (const { id } of events) {
        expect(id).toBeGreaterThan(queue.last_event_id);
        queue.last_event_id = id;
      }
      return events.map((event) => (event.type === 'typing' ? event.op : event.type));
    },
  };
  return queue;
}

/** Waits until this many polls wait in a process. */
async function waiting({ app }: Pick<Chat, 'app'>, polls = 1): Promise<void> {
  while (app.polls.waiting() < polls) await new Promise(setImmediate);
}

describe('an ephemeral event', () => {
  test('is delivered at once to a waiting poll', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await follow(ben.api);
    const poll = queue.poll(ben.api, false);
    await waiting(chat);
    await type(ada, ben);
    expect(await poll).toEqual(['start']);
  });

  test('is delivered by the next poll of a client between two polls, in order and once', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await follow(ben.api);
    for (const op of ['start', 'stop', 'start'] as const) await type(ada, ben, op);
    expect(await queue.poll()).toEqual(['start', 'stop', 'start']);
    expect(await queue.poll()).toEqual([]);
    await type(ada, ben, 'stop');
    expect(await queue.poll(ben.api, false)).toEqual(['stop']);
    expect(await queue.poll()).toEqual([]);
  });

  test('is repeated to a client whose response was lost, with the same id, and with later events', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['typing'] });
    const poll = () => ben.api.getEvents({ queue_id, last_event_id, dont_block: true });
    await type(ada, ben);
    const first = await poll();
    expect(first.events).toHaveLength(1);
    expect(await poll()).toEqual(first);
    await type(ada, ben, 'stop');
    expect((await poll()).events).toMatchObject([...first.events, { op: 'stop' }]);
  });

  test('is not delivered to queues registered later, nor to queues without its type', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const deaf = await follow(ben.api, ['message']);
    await type(ada, ben);
    const later = await follow(ben.api);
    expect(await deaf.poll()).toEqual([]);
    expect(await later.poll()).toEqual([]);
  });

  // shows: 3.8
  test('is not delivered after 45 seconds', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await follow(ben.api);
    await type(ada, ben);
    chat.clock.advance({ seconds: 30 });
    await type(ada, ben, 'stop');
    chat.clock.advance({ seconds: 20 });
    expect(await queue.poll()).toEqual(['stop']);
    chat.clock.advance({ seconds: 50 });
    await type(ada, ben);
    expect(await queue.poll()).toEqual(['start']);
  });

  test('has an id between those of the log; ids ascend and no event is missing', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await follow(ben.api);
    const heard: string[] = [];
    for (let n = 0; n < 6; n++) {
      await type(ada, ben);
      if (n % 2 === 0) heard.push(...(await queue.poll()));
      await chat.message({ from: ada, to: [ben] });
      if (n % 3 === 0) heard.push(...(await queue.poll(ben.api, false)));
      await type(ada, ben, 'stop');
    }
    heard.push(...(await queue.poll()));
    expect(heard.filter((one) => one === 'message')).toHaveLength(6);
    expect(heard.filter((one) => one === 'start')).toHaveLength(6);
    expect(heard.filter((one) => one === 'stop')).toHaveLength(6);
    expect(await queue.poll()).toEqual([]);
  });

  test('is delivered exactly once while polls wait, messages are sent and others type', async () => {
    const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
    const queue = await follow(ben.api);
    const talk = async (from: TestUser) => {
      for (let n = 0; n < 15; n++) {
        await type(from, ben);
        if (n % 3 === 0) await chat.message({ from, to: [ben] });
      }
    };
    const talking = Promise.all([talk(ada), talk(cleo)]);
    const heard: string[] = [];
    while (heard.length < 40) heard.push(...(await queue.poll(ben.api, heard.length % 4 === 0)));
    await talking;
    expect(heard.filter((one) => one === 'start')).toHaveLength(30);
    expect(heard.filter((one) => one === 'message')).toHaveLength(10);
    expect(await queue.poll()).toEqual([]);
  });

  test('an id that no event of the queue had fails', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await follow(ben.api);
    const poll = (last_event_id: number) =>
      ben.api.getEvents({ queue_id: queue.queue_id, last_event_id, dont_block: true });
    await expectError('BAD_REQUEST', poll(queue.last_event_id + 1), /last_event_id/);
    await type(ada, ben);
    await queue.poll();
    await expectError('BAD_REQUEST', poll(queue.last_event_id + 1), /last_event_id/);
    expect(await poll(queue.last_event_id)).toEqual({ events: [] });
  });
});

describe.runIf(onPostgres)('with two processes on one database, an ephemeral event', () => {
  let other: Awaited<ReturnType<typeof startSecondProcess>>;
  beforeAll(async () => {
    other = await startSecondProcess(chat);
  });
  afterAll(() => other.close());

  test('published by one is delivered to a poll waiting at the other', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const there = (await follow(ben.api)).poll(other.apiOf(ben), false);
    await waiting(other);
    await type(ada, ben);
    expect(await there).toEqual(['start']);
    const here = (await follow(ben.api)).poll(ben.api, false);
    await waiting(chat);
    await other.apiOf(ada).setTyping({ op: 'stop', to: [ben.id] });
    expect(await here).toEqual(['stop']);
  });

  test('published by one is delivered by a later poll at the other, wherever the queue was polled before', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await follow(ben.api);
    await type(ada, ben);
    await expect.poll(() => queue.poll(other.apiOf(ben))).toEqual(['start']);
    expect(await queue.poll(other.apiOf(ben))).toEqual([]);
    await type(ada, ben, 'stop');
    await expect.poll(() => queue.poll(other.apiOf(ben))).toEqual(['stop']);
  });

  test('can be repeated once to a queue that changes the process, and not again', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await follow(ben.api);
    await type(ada, ben);
    const heard: string[] = [];
    await expect.poll(async () => heard.push(...(await queue.poll(other.apiOf(ben))))).toBe(1);
    for (let n = 0; n < 6; n++) heard.push(...(await queue.poll(n % 2 ? ben.api : other.apiOf(ben))));
    expect(heard.length).toBeLessThanOrEqual(2);
  });

  test('keeps its order among the events of the log', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await follow(ben.api);
    const heard: string[] = [];
    for (let n = 0; n < 8; n++) {
      await (n % 2 ? ada.api : other.apiOf(ada)).setTyping({ op: 'start', to: [ben.id] });
      await chat.message({ from: ada, to: [ben] });
      heard.push(...(await queue.poll(n % 3 ? ben.api : other.apiOf(ben), false)));
    }
    while (heard.filter((one) => one === 'message').length < 8) heard.push(...(await queue.poll()));
    expect(heard.filter((one) => one === 'message')).toHaveLength(8);
  });

  test('reaches the other process, whatever its size and characters', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const stream_id = await chat.stream('long topics', { by: ada, members: [ben] });
    const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['typing'] });
    const topics = ['✔ Süppchen 🍲 "quoted" \\u0041 '.repeat(700), 'soup'];
    const poll = other.apiOf(ben).getEvents({ queue_id, last_event_id });
    await waiting(other);
    for (const topic of topics) await ada.api.setTyping({ type: 'stream', op: 'start', stream_id, topic });
    const first = await poll;
    const last = first.events.at(-1)?.id ?? 0;
    const second =
      first.events.length < 2 ? await other.apiOf(ben).getEvents({ queue_id, last_event_id: last }) : first;
    expect([...first.events, ...second.events]).toEqual(
      expect.arrayContaining(topics.map((topic) => expect.objectContaining({ topic }))),
    );
  });
});
