// Queues that are followed as an event stream: what it sends, and how a client resumes after it ended.
import type { Params } from '@parley/client';
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { watchLog } from '../../../test/abuse/log.ts';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import type { OpenStream } from '../../../test/event-stream.ts';
import { loginOf } from '../../../test/files.ts';
import {
  contents,
  createFollower,
  findNewestEvent,
  pollTimes,
  register,
  waitForContents,
} from '../../../test/followers.ts';
import { sweepQueues } from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true, pollTimes, idleTimeoutMs: 1000 });
});
afterAll(() => chat.close());
const follow = createFollower(() => chat);

describe('an event stream', () => {
  test('begins at once with a comment, and with headers against caching and buffering in proxies', async () => {
    const [ada] = await chat.users('ada');
    const { response, comments } = await follow(ada, await register(ada));
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    await expect.poll(() => comments).toEqual(['stream']);
  });

  test('sends the events that polls return, with the same ids, each when it happens', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await chat.stream('kitchen', { by: ada, members: [ben] });
    const options: Params<'registerQueue'>[] = [
      {},
      { event_types: ['message'], apply_markdown: true, narrow: [['topic', 'soup']] },
      { event_types: ['typing', 'presence'], slim_presence: true },
      { event_types: ['message', 'update_message'], client_gravatar: false },
    ];
    const queues = await Promise.all(options.map((each) => ben.api.registerQueue(each)));
    const polled = await Promise.all(options.map((each) => ben.api.registerQueue(each)));
    const streams = await Promise.all(queues.map((queue) => follow(ben, queue)));
    const id = await chat.message({ from: ada, to: 'kitchen', topic: 'soup', content: '**hot**' });
    await chat.message({ from: ada, to: 'kitchen', topic: 'bread', content: 'fresh' });
    await ada.api.setTyping({ op: 'start', to: [ben.id] });
    await ada.api.updateMessage({ message_id: id, content: 'cold' });
    await ben.api.addReaction({ message_id: id, emoji_name: 'octopus' });
    await ada.api.setTyping({ op: 'stop', to: [ben.id] });
    await chat.message({ from: ben, to: [ada], content: 'end' });
    for (const [n, { queue_id, last_event_id }] of polled.entries()) {
      const { events } = await ben.api.getEvents({ queue_id, last_event_id, dont_block: true });
      const shown = (list: readonly { type: string }[]) => list.filter(({ type }) => type !== 'typing');
      await expect.poll(() => shown(streams[n]?.events ?? [])).toEqual(shown(events));
      // The id of an ephemeral event depends on when it is published.
      const typing = (list: readonly { type: string; op?: unknown }[]) =>
        list.filter(({ type }) => type === 'typing').map(({ op }) => op);
      expect(typing(streams[n]?.events as never)).toEqual(typing(events as never));
    }
    expect(contents(streams[1] as OpenStream)).toEqual(['<p><strong>hot</strong></p>']);
  });

  test('resumes from the header Last-Event-ID, which overrides the parameter', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await register(ben);
    const first = await follow(ben, queue);
    for (const content of ['one', 'two', 'three']) await chat.message({ from: ada, to: [ben], content });
    await waitForContents(first, 'one', 'two', 'three');
    first.close();
    const again = await follow(ben, queue);
    await waitForContents(again, 'one', 'two', 'three');
    const header = { 'Last-Event-ID': String(first.events[0]?.id) };
    const resumed = await follow(ben, queue, { headers: header });
    await chat.message({ from: ada, to: [ben], content: 'four' });
    await waitForContents(resumed, 'two', 'three', 'four');
    // The id in the header is acknowledged.
    const { response } = await follow(ben, queue);
    expect(response.statusCode).toBe(400);
  });

  test('sends comments while there are no events, and writes no row for them', async () => {
    const [ada] = await chat.users('ada');
    const stream = await follow(ada, await register(ada));
    const before = await findNewestEvent(chat);
    await expect.poll(() => stream.comments, { timeout: 10_000 }).toEqual(['stream', 'heartbeat', 'heartbeat']);
    expect(await findNewestEvent(chat)).toBe(before);
    expect(stream.events).toEqual([]);
  });

  test('is what the header Accept alone can ask for', async () => {
    const [ada] = await chat.users('ada');
    for (const Accept of ['*/*', 'application/json', 'application/json, text/event-stream']) {
      const { queue_id, last_event_id } = await register(ada);
      const { response } = await follow(ada, { queue_id, last_event_id }, { headers: { Accept } });
      expect(response.headers['content-type']).toBe('application/json');
    }
    const { response } = await follow(ada, await register(ada), {
      headers: { Accept: 'text/event-stream, application/json;q=0.5' },
    });
    expect(response.headers['content-type']).toBe('text/event-stream');
  });

  test('that cannot begin gets an error in the response envelope', async () => {
    const [ada] = await chat.users('ada');
    const headers = { Accept: 'text/event-stream', ...loginOf(ada) };
    const open = async (query: string, more = {}) => {
      const response = await chat.fetch(`/api/v1/events?${query}`, { headers: { ...headers, ...more } });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    expect(await open('queue_id=gone&last_event_id=1')).toEqual([400, 'BAD_EVENT_QUEUE_ID']);
    expect(await open('queue_id=gone')).toEqual([400, 'REQUEST_VARIABLE_MISSING']);
    expect(await open('queue_id=gone', { 'Last-Event-ID': 'x' })).toEqual([400, 'BAD_REQUEST']);
    expect(await open('queue_id=gone&last_event_id=1', { Authorization: '' })).toEqual([401, 'UNAUTHORIZED']);
  });

  test('costs the same statements for any number of clients', async () => {
    const [ada] = await chat.users('ada');
    const users = await Promise.all(Array.from({ length: 12 }, (_, n) => chat.user(`reader${n}`, { mirrored: false })));
    await chat.stream('hall', { by: ada, members: users });
    const cost = async (some: readonly TestUser[]) => {
      const streams = await Promise.all(some.map(async (who) => follow(who, await register(who))));
      await expect.poll(() => streams.map(({ comments }) => comments.length)).toEqual(some.map(() => 1));
      const statements = await chat.statements(async () => {
        await chat.message({ from: ada, to: 'hall', content: 'soup' });
        await Promise.all(streams.map((stream) => waitForContents(stream, 'soup')));
      });
      for (const stream of streams) stream.close();
      await expect.poll(() => chat.app.polls.waiting()).toBe(0);
      return statements;
    };
    await cost(users.slice(0, 1));
    const [one, many] = [await cost(users.slice(0, 1)), await cost(users)];
    // Meanwhile checks of the log go on, twice a second in a server and more often here.
    expect(many - one).toBeLessThan(users.length - 1);
  });

  test('that is sent more than its buffer at once goes on without a statement of its own', async () => {
    const [ada] = await chat.users('ada');
    const users = await Promise.all(Array.from({ length: 12 }, (_, n) => chat.user(`writer${n}`, { mirrored: false })));
    await chat.stream('archive', { by: ada, members: users });
    const streams = await Promise.all(users.map(async (who) => follow(who, await register(who))));
    const cost = (content: string) =>
      chat.statements(async () => {
        await chat.message({ from: ada, to: 'archive', content });
        const id = await chat.message({ from: ada, to: 'archive', content: 'bread' });
        const isReceived = ({ events }: OpenStream) =>
          events.some((event) => 'message' in event && event.message.id === id);
        await expect.poll(() => streams.filter(isReceived)).toHaveLength(streams.length);
      });
    await cost('soup');
    const small = await cost('soup');
    // Three bytes for each character: twice what a socket buffers.
    const large = await cost('€'.repeat(10_000));
    expect(large - small).toBeLessThan(streams.length - 1);
  });
});

describe('event streams that begin a few events behind', () => {
  /** Streams that have missed three messages, and whose first reading of the log is held. */
  async function startLate(count: number) {
    const [ada] = await chat.users('ada');
    const users = await Promise.all(
      Array.from({ length: count }, (_, n) => chat.user(`late${n}`, { mirrored: false })),
    );
    const name = `market of ${ada.id}`;
    await chat.stream(name, { by: ada, members: users });
    const watcher = await follow(ada, await register(ada));
    const queues = await Promise.all(users.map(async (who) => ({ who, queue: await register(who) })));
    for (const content of ['soup', 'bread', 'tea']) await chat.message({ from: ada, to: name, content });
    await waitForContents(watcher, 'soup', 'bread', 'tea');
    const reads = watchLog(chat);
    let [go, fail]: [() => void, (error: Error) => void] = [() => {}, () => {}];
    reads.hold = new Promise<void>((resolve, reject) => {
      [go, fail] = [resolve, reject];
    });
    const streams = await Promise.all(queues.map(({ who, queue }) => follow(who, queue)));
    await expect.poll(() => chat.app.polls.waiting()).toBe(1 + count);
    await expect.poll(() => reads.statements).toBe(1);
    const sendTea = () => chat.message({ from: ada, to: name, content: 'more tea' });
    return { reads, go, fail, streams, watcher, sendTea };
  }

  test('get these together', async () => {
    const { reads, go, streams } = await startLate(12);
    go();
    await Promise.all(streams.map((stream) => waitForContents(stream, 'soup', 'bread', 'tea')));
    reads.stop();
    // One for the first, and one for those that began meanwhile.
    expect(reads.statements).toBeLessThanOrEqual(2);
  });

  test.each([
    ['because the database is away', Object.assign(new Error('away'), { code: '57P01' })],
    ['for an unknown reason', new Error('odd')],
  ])('get these, each once, when the reading fails %s', async (_name, error) => {
    const { reads, fail, streams, watcher, sendTea } = await startLate(3);
    reads.hold = undefined;
    fail(error);
    await Promise.all(streams.map((stream) => waitForContents(stream, 'soup', 'bread', 'tea')));
    await sendTea();
    const all = ['soup', 'bread', 'tea', 'more tea'];
    await Promise.all([watcher, ...streams].map((stream) => waitForContents(stream, ...all)));
    reads.stop();
  });
});

async function findScanned(queue_id: string): Promise<number | undefined> {
  const { db } = chat.database;
  const [row] = await rows<{ scanned: number }>(db, sql`select scanned from event_queues where id = ${queue_id}`);
  return row?.scanned;
}

describe('received events', () => {
  test('are acknowledged without another request, and the log can be trimmed', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { queue_id, last_event_id } = await register(ben);
    const stream = await follow(ben, { queue_id, last_event_id });
    await chat.message({ from: ada, to: [ben], content: 'one' });
    await waitForContents(stream, 'one');
    const id = stream.events[0]?.id ?? 0;
    await ben.api.acknowledgeEvents({ queue_id, last_event_id: id });
    // A late acknowledgement of a lower id changes nothing.
    await ben.api.acknowledgeEvents({ queue_id, last_event_id });
    await expectError(
      'BAD_REQUEST',
      ben.api.acknowledgeEvents({ queue_id, last_event_id: id + 65_536_000 }),
      /no event/,
    );
    await expectError('BAD_EVENT_QUEUE_ID', ada.api.acknowledgeEvents({ queue_id, last_event_id: id }));
    for (let n = 0; n < 5; n++) await chat.message({ from: ada, to: [ada], content: 'to herself' });
    const newest = await findNewestEvent(chat);
    // The next check of the stream notes that all sent events were received.
    await expect.poll(() => chat.app.polls.scanned({ realm_id: chat.realm.id, id: queue_id })).toBe(newest);
    stream.close();
    await expect.poll(() => chat.app.polls.waiting()).toBe(0);
    // A check of the stream that is still in progress locks the row: it is skipped, and stored by the next call.
    await expect
      .poll(async () => {
        await chat.app.polls.flush();
        return findScanned(queue_id);
      })
      .toBe(newest);
  });

  test('are kept for the client until then', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await register(ben);
    const stream = await follow(ben, queue);
    await chat.message({ from: ada, to: [ben], content: 'one' });
    await waitForContents(stream, 'one');
    for (let n = 0; n < 5; n++) await chat.message({ from: ada, to: [ada], content: 'to herself' });
    await new Promise((resolve) => setTimeout(resolve, 3 * pollTimes.renew));
    stream.close();
    await chat.app.polls.flush();
    await sweepQueues(chat.app);
    await waitForContents(await follow(ben, queue), 'one');
  });
});

describe('the queue of a stream', () => {
  test('lives as long as the stream, however short its lifespan', async () => {
    const [ada] = await chat.users('ada');
    const queue = await ada.api.registerQueue({ event_types: ['message'], queue_lifespan_secs: 5 });
    const stream = await follow(ada, queue);
    for (let minutes = 0; minutes < 3; minutes++) {
      chat.clock.advance({ seconds: 50 });
      await expect
        .poll(async () => {
          const [row] = await rows<{ left: number }>(
            chat.database.db,
            sql`select extract(epoch from expires_at)::float8 - ${chat.clock().getTime() / 1000}::float8 as left
                from event_queues where id = ${queue.queue_id}`,
          );
          return row?.left;
        })
        .toBeGreaterThan(55);
      await sweepQueues(chat.app);
    }
    await chat.message({ from: ada, to: [ada], content: 'still here' });
    await waitForContents(stream, 'still here');
    chat.clock.reset();
  });
});
