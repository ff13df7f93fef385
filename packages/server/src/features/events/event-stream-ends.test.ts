// What ends an event stream, at any process.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import type { OpenStream } from '../../../test/event-stream.ts';
import { contents, createFollower, pollTimes, register, waitForContents } from '../../../test/followers.ts';
import { startSecondProcess } from '../../../test/second-process.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true, pollTimes, idleTimeoutMs: 1000 });
});
afterAll(() => chat.close());
const follow = createFollower(() => chat);

describe('an event stream ends', () => {
  const ended = async (stream: OpenStream) => {
    await stream.ended;
    expect(stream.response.complete).toBe(true);
  };

  test('when another stream or a poll takes over the queue, which then receives later events', async () => {
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
    await waitForContents(third, 'soup');
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

  test('when the client closes the connection, and the server releases its memory', async () => {
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

  test('before an event that does not match the document', async () => {
    const ada = await chat.user('ada', { mirrored: false });
    const stream = await follow(ada, await register(ada, ['realm']));
    await expect.poll(() => stream.comments).toEqual(['stream']);
    await chat.act(async (ctx) => ctx.emit({ type: 'realm', op: 'undocumented' } as never, { users: [ada.id] }));
    await stream.ended;
    expect(stream.events).toEqual([]);
    expect(stream.response.complete).toBe(false);
  });

  // Only the database has this change: the notification between processes was lost.
  const revocations = {
    'the API key is replaced': (id: number) => sql`update users set key_version = key_version + 1 where id = ${id}`,
    'the account is deactivated': (id: number) => sql`update users set is_active = false where id = ${id}`,
    'the queue is gone': (id: number) => sql`delete from event_queues where user_id = ${id}`,
    'a poll at another process took over': (id: number) =>
      sql`update event_queues set poller = 'another/1' where user_id = ${id}`,
  };
  test.each(Object.entries(revocations))(
    'soon after %s in another process, without an event',
    async (_what, change) => {
      const [ada] = await chat.users('ada');
      const stream = await follow(ada, await register(ada));
      await expect.poll(() => chat.app.polls.waiting()).toBe(1);
      await rows(chat.database.db, change(ada.id));
      await ended(stream);
    },
  );

  test.each(Object.entries(revocations).slice(0, 2))(
    'before the next event once %s in another process',
    async (_what, change) => {
      const slow = await startChat({ ownDatabase: true, pollTimes: { ...pollTimes, renew: 3_600_000 } });
      const [ada, ben] = await slow.users('ada', 'ben');
      const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['message', 'typing'] });

      const stream = await follow(ben, { queue_id, last_event_id }, { chat: slow });
      await slow.message({ from: ada, to: [ben], content: 'before' });
      await waitForContents(stream, 'before');
      await rows(slow.database.db, change(ben.id));
      // Events of the log and ephemeral ones.
      await ada.api.setTyping({ op: 'start', to: [ben.id] });
      await slow.message({ from: ada, to: [ada], content: 'wakes' });
      await stream.ended;
      expect(contents(stream)).toEqual(['before']);
      await slow.close();
    },
  );

  test('when the API key is replaced, and a stream with the new key delivers the events since', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await register(ben);
    const stream = await follow(ben, queue);
    const { api_key } = await ben.api.regenerateApiKey();
    await chat.message({ from: ada, to: [ben], content: 'soup' });
    await ended(stream);
    expect(stream.events).toEqual([]);
    const { response } = await follow(ben, queue);
    expect(response.statusCode).toBe(401);
    await waitForContents(await follow({ email: ben.email, apiKey: api_key }, queue), 'soup');
  });
});

describe.runIf(onPostgres)('an event stream at another process', () => {
  test('delivers events of this process, and is taken over without a gap or a repeat', async () => {
    const second = await startSecondProcess(chat, { pollTimes });
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await register(ben);
    const there = await follow(ben, queue, { port: second.port });
    await chat.message({ from: ada, to: [ben], content: 'one' });
    await waitForContents(there, 'one');
    const here = await follow(ben, queue, { headers: { 'Last-Event-ID': String(there.events[0]?.id) } });
    await there.ended;
    await chat.message({ from: ada, to: [ben], content: 'two' });
    await waitForContents(here, 'two');
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
