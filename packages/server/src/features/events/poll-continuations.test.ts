// Polls that continue after the response that the client got before: they take no statement, and what ends other polls ends them.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { startSecondProcess } from '../../../test/second-process.ts';
import { PreserializedEvent } from '../../core/preserialized-events.ts';
import { PollContinuations } from './poll-continuations.ts';

const never = 3_600_000;
const pollTimes = { quiet: never, spread: 0, tick: never, fallback: never, coalesce: 1 };

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true, pollTimes });
});
afterAll(() => chat.close());

type Api = TestUser['api'];

const waits = (count: number) => expect.poll(() => chat.app.polls.waiting()).toBe(count);

/** A client that has got the response to a poll: its next poll can continue. */
async function createFollower({ api }: TestUser, options: { queue_lifespan_secs?: number } = {}) {
  const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['message', 'realm'], ...options });
  const follower = {
    queue_id,
    last: last_event_id,
    had: last_event_id,
    poll: (by: Api = api) => by.getEvents({ queue_id, last_event_id: follower.last }),
    /** Waits for the events of a change. */
    async receive(change: () => Promise<unknown>) {
      const response = follower.poll();
      await waits(1);
      await change();
      const { events } = await response;
      follower.had = follower.last;
      follower.last = events.at(-1)?.id ?? follower.last;
      return events.map((event) => (event.type === 'message' ? event.message.content : event.type));
    },
  };
  return follower;
}

/** A client of ben, to whom ada sends messages, whose next poll can continue. */
async function createContinuable(options: { queue_lifespan_secs?: number } = {}) {
  const [ada, ben] = await chat.users('ada', 'ben');
  const say = (content: string) => chat.message({ from: ada, to: [ben], content });
  const follower = await createFollower(ben, options);
  expect(await follower.receive(() => say('first'))).toEqual(['first']);
  return { ada, ben, say, follower };
}

/** The statements until a poll waits, and the response that it then gets. */
async function countStatements(
  poll: () => Promise<unknown>,
): Promise<{ statements: number; response: Promise<unknown> }> {
  let response: Promise<unknown> = Promise.resolve();
  const statements = await chat.statements(async () => {
    response = poll();
    await waits(1);
  });
  return { statements, response };
}

test('a poll that continues takes no statement, and receives what happens', async () => {
  const { follower, say } = await createContinuable();
  for (const content of ['second', 'third']) {
    const { statements, response } = await countStatements(() => follower.poll());
    expect(statements).toBe(0);
    await say(content);
    const { events } = (await response) as Awaited<ReturnType<typeof follower.poll>>;
    follower.last = events.at(-1)?.id ?? 0;
    expect(events).toMatchObject([{ type: 'message', message: { content } }]);
  }
});

test('an event between two polls is delivered by the second', async () => {
  const { follower, say } = await createContinuable();
  await say('second');
  expect((await follower.poll()).events).toMatchObject([{ message: { content: 'second' } }]);
});

test('a client that lost the response gets its events again', async () => {
  const { follower, say } = await createContinuable();
  follower.last = follower.had;
  const { events } = await follower.poll();
  expect(events).toMatchObject([{ message: { content: 'first' } }]);
  follower.last = events.at(-1)?.id ?? 0;
  expect(await follower.receive(() => say('second'))).toEqual(['second']);
});

test('events that a client acknowledged by a poll that continues are gone', async () => {
  const { ben, follower, say } = await createContinuable();
  await follower.receive(() => say('second'));
  await expectError('BAD_REQUEST', ben.api.getEvents({ queue_id: follower.queue_id, last_event_id: -1 }));
  const { statements, response } = await countStatements(() => follower.poll());
  expect(statements).toBe(0);
  const before = { queue_id: follower.queue_id, last_event_id: follower.had };
  await expectError('BAD_REQUEST', ben.api.getEvents({ ...before, dont_block: true }));
  await say('third');
  expect(await response).toMatchObject({ events: [{ message: { content: 'third' } }] });
});

test.each([
  ['30 seconds after the last check', {}, 30_000],
  ['after the lifespan of its queue, if that is shorter', { queue_lifespan_secs: 1 }, 1_000],
])('a poll is checked again %s', async (_, options, milliseconds) => {
  // Whole milliseconds: sums of fractions are rounded.
  let now = Math.ceil(performance.now());
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  try {
    for (const [passed, expected] of [
      [milliseconds, 0],
      [milliseconds + 1, 2],
    ] as const) {
      const { follower } = await createContinuable(options);
      now += passed;
      const { statements, response } = await countStatements(() => follower.poll());
      expect(statements).toBe(expected);
      chat.app.polls.endAll();
      await response;
    }
  } finally {
    clock.mockRestore();
  }
});

test('a poll that continues counts against the rate limit', async () => {
  const { ben, follower } = await createContinuable();
  const counted: unknown[] = [];
  const { account } = chat.app.requestLimits;
  chat.app.requestLimits.account = (...args) => {
    counted.push(args);
    return account.apply(chat.app.requestLimits, args);
  };
  const { response } = await countStatements(() => follower.poll());
  chat.app.requestLimits.account = account;
  expect(counted).toMatchObject([[{ id: ben.id }, 'events']]);
  chat.app.polls.endAll();
  await response;
});

test('the filters of queues that can continue take 8 MiB at most, and a queue that is claimed too long ago is forgotten', () => {
  const continuations = new PollContinuations();
  const credentials = { realm_id: 1, user_id: 7, key_version: 1, token_id: null };
  const queue = {
    event_types: null,
    all_public_streams: false,
    apply_markdown: true,
    client_gravatar: true,
    slim_presence: false,
  };
  const position = { last_event_id: 1, poller: null, seen_at: 0, scanned: 0, newest: 0, lifespan_secs: 600 };
  const add = (id: string, operand: string, at = performance.now()) =>
    continuations.add(
      { queue: { ...queue, ...credentials, id, narrow: [['topic', operand]] }, ticket: 't', position, at },
      [new PreserializedEvent({ type: 'heartbeat', id: 2 })],
    );
  const ids = Array.from({ length: 20 }, (_, n) => `queue ${n}`);
  const listKnown = () => ids.filter((id) => continuations.take(id, 2, credentials));
  for (const id of ids) add(id, 'x'.repeat(1024 * 1024));
  expect(listKnown()).toEqual(ids.slice(-7));
  for (const id of ids) add(id, 'x', performance.now() - 30_001);
  continuations.sweep();
  for (const id of ids) expect(continuations.end(id, 't')).toBe(false);
});

describe('a poll does not continue', () => {
  test('with the API key that was replaced; one with the new key does', async () => {
    const { ben, follower, say } = await createContinuable();
    const { api_key: apiKey } = await ben.api.regenerateApiKey();
    await expectError('INVALID_API_KEY', follower.poll());
    const api = chat.apiOf(chat.realm, { email: ben.email, apiKey });
    const poll = follower.poll(api);
    await waits(1);
    await say('second');
    expect((await poll).events).toMatchObject([{ message: { content: 'second' } }]);
  });

  test('that waits while the API key is replaced: it ends without events', async () => {
    const { ben, follower, say } = await createContinuable();
    const poll = follower.poll();
    await waits(1);
    await ben.api.regenerateApiKey();
    expect((await poll).events).toEqual([]);
    await say('second');
    await expectError('INVALID_API_KEY', follower.poll());
  });

  test('with the credentials of another account', async () => {
    const { ada, follower } = await createContinuable();
    await ada.api.getEvents({ ...(await ada.api.registerQueue({})), dont_block: true });
    await expectError('BAD_EVENT_QUEUE_ID', follower.poll(ada.api));
  });

  test('of an account that was deactivated', async () => {
    const { ben, follower } = await createContinuable();
    await chat.owner.api.deactivateUser({ user_id: ben.id });
    await expectError('USER_DEACTIVATED', follower.poll());
  });

  test('of a queue that was deleted', async () => {
    const { ben, follower } = await createContinuable();
    await ben.api.deleteQueue({ queue_id: follower.queue_id });
    await expectError('BAD_EVENT_QUEUE_ID', follower.poll());
  });

  test('after an event about the organization, which may have ended it', async () => {
    const { follower } = await createContinuable();
    const renamed = () => chat.owner.api.updateRealm({ name: 'Soup' });
    expect(await follower.receive(renamed)).toEqual(['realm']);
    const { statements, response } = await countStatements(() => follower.poll());
    expect(statements).toBe(2);
    chat.app.polls.endAll();
    await response;
  });

  test('with a token that was revoked', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { token, secret } = await ben.api.createToken({ name: 'follower', scopes: ['read'] });
    const follower = await createFollower({ ...ben, api: chat.apiOf(chat.realm, { token: secret }) });
    await follower.receive(() => chat.message({ from: ada, to: [ben], content: 'first' }));
    await ben.api.revokeToken({ token_id: token.id });
    await expectError('INVALID_TOKEN', follower.poll());
  });

  test('with a token that expired', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { token, secret } = await ben.api.createToken({ name: 'follower', scopes: ['read'] });
    const expiry = new Date(chat.clock().getTime() + 60_000).toISOString();
    await rows(chat.database.db, sql`update tokens set expires_at = ${expiry}::timestamptz where id = ${token.id}`);
    const follower = await createFollower({ ...ben, api: chat.apiOf(chat.realm, { token: secret }) });
    await follower.receive(() => chat.message({ from: ada, to: [ben], content: 'first' }));
    onTestFinished(() => chat.clock.reset());
    chat.clock.advance({ seconds: 61 });
    await expectError('INVALID_TOKEN', follower.poll());
  });
});

describe.runIf(onPostgres)('beside another process', () => {
  test('a poll does not continue when the other process replaced the API key, or deleted the queue', async () => {
    const second = await startSecondProcess(chat, { pollTimes });
    try {
      const { ben, follower } = await createContinuable();
      const other = await createContinuable();
      await second.apiOf(ben).regenerateApiKey();
      await second.apiOf(other.ben).deleteQueue({ queue_id: other.follower.queue_id });
      await second.app.polls.flush();
      await expect
        .poll(() =>
          follower.poll().then(
            () => 'events',
            (error) => error.code,
          ),
        )
        .toBe('INVALID_API_KEY');
      await expect
        .poll(() =>
          other.follower.poll().then(
            () => 'events',
            (error) => error.code,
          ),
        )
        .toBe('BAD_EVENT_QUEUE_ID');
    } finally {
      await second.close();
    }
  });

  test('a client that alternates between the two receives each event once, in order', async () => {
    const second = await startSecondProcess(chat, { pollTimes });
    try {
      const { ben, follower, say } = await createContinuable();
      const here = { api: ben.api, app: chat.app };
      const there = { api: second.apiOf(ben), app: second.app };
      const received: unknown[] = [];
      for (let n = 0; n < 12; n++) {
        const { api, app } = Math.floor(n / 3) % 2 === 0 ? here : there;
        const poll = follower.poll(api);
        // Half of the messages are sent while the poll may still be on its way.
        if (n % 2 === 0) await expect.poll(() => app.polls.waiting()).toBe(1);
        await say(String(n));
        const { events } = await poll;
        follower.last = events.at(-1)?.id ?? follower.last;
        received.push(...events.map((event) => event.type === 'message' && event.message.content));
      }
      expect(received).toEqual(Array.from({ length: 12 }, (_, n) => String(n)));
    } finally {
      await second.close();
    }
  });
});
