// Queues that are followed as a stream: what comes, how a client goes on after it ended, and what ends it.
import { rows } from '@parley/db';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, type Person, refused, startChat } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { type OpenStream, openStream } from '../../../test/event-stream.ts';
import { loginOf } from '../../../test/files.ts';
import { startSecondProcess } from '../../../test/second-process.ts';
import { readConfig } from '../../config/index.ts';
import { createLimits } from '../../http/limits/index.ts';
import { sweepQueues } from './index.ts';

const pollTimes = { quiet: 1000, spread: 100, tick: 50, fallback: 50, coalesce: 1, renew: 200 };
let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true, pollTimes, patience: 1000 });
});
afterAll(() => chat.close());

const opened: OpenStream[] = [];
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

interface Registered {
  readonly queue_id: string;
  readonly last_event_id: number;
}

async function follow(
  who: Pick<Person, 'email' | 'apiKey'>,
  { queue_id, last_event_id }: Registered,
  { headers, port = chat.port }: { headers?: Record<string, string>; port?: number } = {},
): Promise<OpenStream> {
  const target = { host: chat.realm.host, port, login: who, queue_id, last_event_id };
  const stream = await openStream({ ...target, ...(headers && { headers }) });
  opened.push(stream);
  return stream;
}

const contents = ({ events }: Pick<OpenStream, 'events'>) =>
  events.map((event) => (event.type === 'message' ? event.message.content : event.type));
const hears = (stream: OpenStream, ...expected: string[]) =>
  expect.poll(() => contents(stream), { timeout: 10_000 }).toEqual(expected);
const register = (who: Person, event_types = ['message']) => who.api.registerQueue({ event_types });
const clockOf = async () => {
  const [row] = await rows<{ id: number }>(
    chat.database.db,
    sql`select last_event_id as id from realm_clock where realm_id = ${chat.realm.id}`,
  );
  return row?.id ?? 0;
};

describe('a stream', () => {
  test('begins at once with a comment, and no proxy keeps or buffers it', async () => {
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

  test('sends the events that polls deliver, with the same ids, each when it happens', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await chat.stream('kitchen', { by: ada, members: [ben] });
    const options = [
      {},
      { event_types: ['message'], apply_markdown: true, narrow: [['topic', 'soup']] as [string, string][] },
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
      // When an ephemeral event is told decides about its id.
      const typing = (list: readonly { type: string; op?: unknown }[]) =>
        list.filter(({ type }) => type === 'typing').map(({ op }) => op);
      expect(typing(streams[n]?.events as never)).toEqual(typing(events as never));
    }
    expect(contents(streams[1] as OpenStream)).toEqual(['<p><strong>hot</strong></p>']);
  });

  test('goes on from the header Last-Event-ID, which takes the place of the parameter', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await register(ben);
    const first = await follow(ben, queue);
    for (const content of ['one', 'two', 'three']) await chat.message({ from: ada, to: [ben], content });
    await hears(first, 'one', 'two', 'three');
    first.close();
    const again = await follow(ben, queue);
    await hears(again, 'one', 'two', 'three');
    const header = { 'Last-Event-ID': String(first.events[0]?.id) };
    const resumed = await follow(ben, queue, { headers: header });
    await chat.message({ from: ada, to: [ben], content: 'four' });
    await hears(resumed, 'two', 'three', 'four');
    // What the header said is acknowledged.
    const { response } = await follow(ben, queue);
    expect(response.statusCode).toBe(400);
  });

  test('says in quiet with comments that it is alive, and writes nothing for them', async () => {
    const [ada] = await chat.users('ada');
    const stream = await follow(ada, await register(ada));
    const before = await clockOf();
    await expect.poll(() => stream.comments, { timeout: 10_000 }).toEqual(['stream', 'heartbeat', 'heartbeat']);
    expect(await clockOf()).toBe(before);
    expect(stream.events).toEqual([]);
  });

  test('is what only the header Accept asks for', async () => {
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

  test('that cannot begin is answered with an error in the envelope', async () => {
    const [ada] = await chat.users('ada');
    const headers = { Accept: 'text/event-stream', ...loginOf(ada) };
    const ask = async (query: string, more = {}) => {
      const response = await chat.fetch(`/api/v1/events?${query}`, { headers: { ...headers, ...more } });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    expect(await ask('queue_id=gone&last_event_id=1')).toEqual([400, 'BAD_EVENT_QUEUE_ID']);
    expect(await ask('queue_id=gone')).toEqual([400, 'REQUEST_VARIABLE_MISSING']);
    expect(await ask('queue_id=gone', { 'Last-Event-ID': 'x' })).toEqual([400, 'BAD_REQUEST']);
    expect(await ask('queue_id=gone&last_event_id=1', { Authorization: '' })).toEqual([401, 'UNAUTHORIZED']);
  });

  test('costs the database the same however many clients follow', async () => {
    const [ada] = await chat.users('ada');
    const people = await Promise.all(
      Array.from({ length: 12 }, (_, n) => chat.user(`reader${n}`, { mirrored: false })),
    );
    await chat.stream('hall', { by: ada, members: people });
    const cost = async (some: readonly Person[]) => {
      const streams = await Promise.all(some.map(async (who) => follow(who, await register(who))));
      await expect.poll(() => streams.map(({ comments }) => comments.length)).toEqual(some.map(() => 1));
      const statements = await chat.statements(async () => {
        await chat.message({ from: ada, to: 'hall', content: 'soup' });
        await Promise.all(streams.map((stream) => hears(stream, 'soup')));
      });
      for (const stream of streams) stream.close();
      await expect.poll(() => chat.app.polls.waiting()).toBe(0);
      return statements;
    };
    await cost(people.slice(0, 1));
    const [one, many] = [await cost(people.slice(0, 1)), await cost(people)];
    // Looks for news go on meanwhile, twice a second in a server and more often here.
    expect(many - one).toBeLessThan(people.length - 1);
  });
});

describe('what a client has received', () => {
  test('is acknowledged without another request for events, and the log goes on without it', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { queue_id, last_event_id } = await register(ben);
    const stream = await follow(ben, { queue_id, last_event_id });
    await chat.message({ from: ada, to: [ben], content: 'one' });
    await hears(stream, 'one');
    const id = stream.events[0]?.id ?? 0;
    await ben.api.acknowledgeEvents({ queue_id, last_event_id: id });
    // A late acknowledgement of less changes nothing.
    await ben.api.acknowledgeEvents({ queue_id, last_event_id });
    await refused('BAD_REQUEST', ben.api.acknowledgeEvents({ queue_id, last_event_id: id + 65_536_000 }), /no event/);
    await refused('BAD_EVENT_QUEUE_ID', ada.api.acknowledgeEvents({ queue_id, last_event_id: id }));
    for (let n = 0; n < 5; n++) await chat.message({ from: ada, to: [ada], content: 'to herself' });
    const newest = await clockOf();
    // The next check of the stream notes that nothing it sent is outstanding.
    await expect.poll(() => chat.app.polls.scanned({ realm_id: chat.realm.id, id: queue_id })).toBe(newest);
    stream.close();
    await expect.poll(() => chat.app.polls.waiting()).toBe(0);
    await chat.app.polls.flush();
    const [row] = await rows<{ scanned: number }>(
      chat.database.db,
      sql`select scanned from event_queues where id = ${queue_id}`,
    );
    expect(row?.scanned).toBe(newest);
  });

  test('is kept for it until then', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await register(ben);
    const stream = await follow(ben, queue);
    await chat.message({ from: ada, to: [ben], content: 'one' });
    await hears(stream, 'one');
    for (let n = 0; n < 5; n++) await chat.message({ from: ada, to: [ada], content: 'to herself' });
    await new Promise((resolve) => setTimeout(resolve, 3 * pollTimes.renew));
    stream.close();
    await chat.app.polls.flush();
    await sweepQueues(chat.app);
    await hears(await follow(ben, queue), 'one');
  });
});

describe('a stream ends', () => {
  const ended = async (stream: OpenStream) => {
    await stream.ended;
    expect(stream.response.complete).toBe(true);
  };

  test('when another stream or a poll takes over the queue, which then hears what comes', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await register(ben);
    const first = await follow(ben, queue);
    const second = await follow(ben, queue);
    await ended(first);
    const { queue_id, last_event_id } = queue;
    const poll = ben.api.getEvents({ queue_id, last_event_id });
    await ended(second);
    const third = await follow(ben, queue);
    expect(await poll).toEqual({ events: [] });
    await chat.message({ from: ada, to: [ben], content: 'soup' });
    await hears(third, 'soup');
    expect([first.events, second.events]).toEqual([[], []]);
  });

  test('when the queue is deleted', async () => {
    const [ada] = await chat.users('ada');
    const { queue_id, last_event_id } = await register(ada);
    const stream = await follow(ada, { queue_id, last_event_id });
    await ada.api.deleteQueue({ queue_id });
    await ended(stream);
  });

  test('when the account is deactivated', async () => {
    const [ada] = await chat.users('ada');
    const stream = await follow(ada, await register(ada));
    await chat.owner.api.deactivateUser({ user_id: ada.id });
    await ended(stream);
  });

  test('when the client has closed the connection: the server keeps nothing of it', async () => {
    const [ada] = await chat.users('ada');
    const stream = await follow(ada, await register(ada));
    await expect.poll(() => chat.app.polls.waiting()).toBe(1);
    stream.close();
    await expect.poll(() => chat.app.polls.waiting()).toBe(0);
  });

  test('when the server stops', async () => {
    const [ada] = await chat.users('ada');
    const stream = await follow(ada, await register(ada));
    await expect.poll(() => chat.app.polls.waiting()).toBe(1);
    chat.app.polls.endAll();
    await ended(stream);
  });

  test('before an event that is not as the document says', async () => {
    const ada = await chat.user('ada', { mirrored: false });
    const stream = await follow(ada, await register(ada, ['realm']));
    await expect.poll(() => stream.comments).toEqual(['stream']);
    await chat.act(async (ctx) => ctx.emit({ type: 'realm', op: 'undocumented' } as never, { users: [ada.id] }));
    await stream.ended;
    expect(stream.events).toEqual([]);
    expect(stream.response.complete).toBe(false);
  });

  // The database says it to every process; nothing else does, as when a notification is lost.
  const revocations = {
    'the API key is replaced': (id: number) => sql`update users set key_version = key_version + 1 where id = ${id}`,
    'the account is deactivated': (id: number) => sql`update users set is_active = false where id = ${id}`,
    'the queue is gone': (id: number) => sql`delete from event_queues where user_id = ${id}`,
    'a poll at another process took over': (id: number) =>
      sql`update event_queues set poller = 'another/1' where user_id = ${id}`,
  };
  test.each(Object.entries(revocations))('soon after %s in another process, in quiet', async (_what, change) => {
    const [ada] = await chat.users('ada');
    const stream = await follow(ada, await register(ada));
    await expect.poll(() => chat.app.polls.waiting()).toBe(1);
    await rows(chat.database.db, change(ada.id));
    await ended(stream);
  });

  test.each(Object.entries(revocations).slice(0, 2))(
    'before the next event once %s in another process',
    async (_what, change) => {
      const slow = await startChat({ ownDatabase: true, pollTimes: { ...pollTimes, renew: 3_600_000 } });
      const [ada, ben] = await slow.users('ada', 'ben');
      const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['message', 'typing'] });
      const target = { host: slow.realm.host, port: slow.port, login: ben, queue_id, last_event_id };
      const streams = [await openStream(target)];
      await slow.message({ from: ada, to: [ben], content: 'before' });
      await hears(streams[0] as OpenStream, 'before');
      await rows(slow.database.db, change(ben.id));
      // Both of the log and ephemeral.
      await ada.api.setTyping({ op: 'start', to: [ben.id] });
      await slow.message({ from: ada, to: [ada], content: 'wakes' });
      await streams[0]?.ended;
      expect(contents(streams[0] as OpenStream)).toEqual(['before']);
      await slow.close();
    },
  );

  test('when the API key is replaced, and a stream with the new key hears what came meanwhile', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await register(ben);
    const stream = await follow(ben, queue);
    const { api_key } = await ben.api.regenerateApiKey();
    await chat.message({ from: ada, to: [ben], content: 'soup' });
    await ended(stream);
    expect(stream.events).toEqual([]);
    const { response } = await follow(ben, queue);
    expect(response.statusCode).toBe(401);
    await hears(await follow({ email: ben.email, apiKey: api_key }, queue), 'soup');
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
    await hears(stream, 'still here');
    chat.clock.reset();
  });
});

describe('a client that does not read', () => {
  const large = 'x'.repeat(10_000);

  test('is sent no more than fits the connection, and hears everything in order once it reads', async () => {
    const patient = await startChat({ ownDatabase: true, pollTimes });
    const [ada, ben] = await patient.users('ada', 'ben');
    const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['message'] });
    const stream = await openStream({
      host: patient.realm.host,
      port: patient.port,
      login: ben,
      queue_id,
      last_event_id,
    });
    stream.response.pause();
    const ids: number[] = [];
    for (let n = 0; n < 700; n++)
      ids.push(await patient.message({ from: ada, to: [ben], content: `${n} ${large}`.slice(0, 10_000) }));
    // Far less than was sent: the rest is in the log.
    expect(patient.app.responseBytes.total).toBeGreaterThan(0);
    expect(patient.app.responseBytes.total).toBeLessThan(2 * 1024 * 1024);
    stream.response.resume();
    await expect
      .poll(() => stream.events.map((event) => event.type === 'message' && event.message.id), { timeout: 20_000 })
      .toEqual(ids);
    await expect.poll(() => patient.app.responseBytes.total).toBe(0);
    stream.close();
    await patient.close();
  }, 60_000);

  test('is cut off when it has read nothing for a while, and nothing of it is kept', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await register(ben);
    const stream = await follow(ben, queue);
    stream.response.pause();
    for (let n = 0; n < 700; n++)
      await chat.message({ from: ada, to: [ben], content: `${n} ${large}`.slice(0, 10_000) });
    await expect.poll(() => chat.app.polls.waiting(), { timeout: 10_000 }).toBe(0);
    await expect.poll(() => chat.app.responseBytes.total).toBe(0);
    stream.response.resume();
    await stream.ended;
    expect(stream.response.complete).toBe(false);
  }, 60_000);
});

describe('the rate limit', () => {
  const limited = () => {
    const limits = createLimits(readConfig({ PARLEY_RATE_LIMITS: JSON.stringify({ events: '60:3' }) }).rate_rules);
    return { limits, chat: startChat({ ownDatabase: true, pollTimes, requestLimits: limits }) };
  };

  test('counts a stream once, whatever it sends', async () => {
    const { limits, chat: starting } = limited();
    const own = await starting;
    const [ada, ben] = await own.users('ada', 'ben');
    const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['message'] });
    const stream = await openStream({ host: own.realm.host, port: own.port, login: ben, queue_id, last_event_id });
    for (let n = 0; n < 6; n++) await own.message({ from: ada, to: [ben], content: String(n) });
    await hears(stream, '0', '1', '2', '3', '4', '5');
    expect(stream.response.headers['x-ratelimit-remaining']).toBe('2');
    expect((await limits.account({ realm_id: own.realm.id, id: ben.id }, 'events'))?.remaining).toBe(1);
    stream.close();
    await own.close();
    limits.close();
  });

  test('does not count polls that deliver news, and counts those that ask for the same again or hear nothing', async () => {
    const { limits, chat: starting } = limited();
    const own = await starting;
    const [ada, ben] = await own.users('ada', 'ben');
    const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['message'] });
    let last = last_event_id;
    for (let n = 0; n < 6; n++) {
      const isWaiting = n % 2 === 0;
      const poll = isWaiting ? ben.api.getEvents({ queue_id, last_event_id: last }) : undefined;
      if (isWaiting) await expect.poll(() => own.app.polls.waiting()).toBe(1);
      await own.message({ from: ada, to: [ben], content: String(n) });
      const { events } = await (poll ?? ben.api.getEvents({ queue_id, last_event_id: last }));
      expect(events).toHaveLength(1);
      last = events[0]?.id ?? last;
    }
    await own.message({ from: ada, to: [ben], content: 'again' });
    await ben.api.getEvents({ queue_id, last_event_id: last });
    for (let n = 0; n < 3; n++) await ben.api.getEvents({ queue_id, last_event_id: last });
    await refused('RATE_LIMIT_HIT', ben.api.getEvents({ queue_id, last_event_id: last }));
    await own.close();
    limits.close();
  });
});

describe.runIf(onPostgres)('a stream at another process', () => {
  test('hears what happens here, and hands over without a gap or a repeat', async () => {
    const second = await startSecondProcess(chat, { pollTimes });
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await register(ben);
    const there = await follow(ben, queue, { port: second.port });
    await chat.message({ from: ada, to: [ben], content: 'one' });
    await hears(there, 'one');
    const here = await follow(ben, queue, { headers: { 'Last-Event-ID': String(there.events[0]?.id) } });
    await there.ended;
    await chat.message({ from: ada, to: [ben], content: 'two' });
    await hears(here, 'two');
    await chat.owner.api.deactivateUser({ user_id: ben.id });
    await here.ended;
    await second.close();
  });

  test('ends when the account is deactivated here', async () => {
    const second = await startSecondProcess(chat, { pollTimes: { ...pollTimes, renew: 3_600_000 } });
    const [ada] = await chat.users('ada');
    const stream = await follow(ada, await register(ada), { port: second.port });
    await chat.owner.api.deactivateUser({ user_id: ada.id });
    await stream.ended;
    await second.close();
  });
});
