// Event queues that were registered with tokens.
import type { Calls } from '@parley/client';
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { createFollower, pollTimes, waitForContents } from '../../../test/followers.ts';
import { startSecondProcess } from '../../../test/second-process.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true, pollTimes, idleTimeoutMs: 1000 });
});
afterAll(() => chat.close());
const follow = createFollower(() => chat);

type NewToken = Parameters<Calls['createToken']>[0];

async function tokenOf(by: TestUser, more: Partial<NewToken> = {}) {
  const { token, secret } = await by.api.createToken({ name: 'Digest', scopes: ['read'], ...more });
  const headers = { Authorization: `Bearer ${secret}` };
  return { token_id: token.id, headers, api: chat.apiOf(chat.realm, { token: secret }) };
}
const registered = async ({ api }: { api: Calls }) => {
  const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['message'] });
  return { queue_id, last_event_id };
};
const pollWaits = () => expect.poll(() => chat.app.polls.waiting()).toBe(1);

describe('a queue', () => {
  test('belongs to the credentials that registered it, and is unknown to all others of the account', async () => {
    const ada = await chat.user('ada', { mirrored: false });
    const [one, two] = [await tokenOf(ada), await tokenOf(ada)];
    for (const [owner, others] of [
      [one, [two, ada]],
      [ada, [one, two]],
    ] as const) {
      const queue = await registered(owner);
      for (const { api } of others) {
        await expectError('BAD_EVENT_QUEUE_ID', api.getEvents({ ...queue, dont_block: true }));
        await expectError('BAD_EVENT_QUEUE_ID', api.getEvents({ ...queue, last_event_id: -1, dont_block: true }));
        await expectError('BAD_EVENT_QUEUE_ID', api.acknowledgeEvents(queue));
        await expectError('BAD_EVENT_QUEUE_ID', api.deleteQueue({ queue_id: queue.queue_id }));
      }
      expect(await owner.api.getEvents({ ...queue, dont_block: true })).toEqual({ events: [] });
      await owner.api.acknowledgeEvents(queue);
      await owner.api.deleteQueue({ queue_id: queue.queue_id });
    }
  });

  test('ends when its token is revoked, during a poll as well; other queues of the account go on', async () => {
    const ada = await chat.user('ada', { mirrored: false });
    const token = await tokenOf(ada);
    const [queue, other] = [await registered(token), await registered(ada)];
    const poll = token.api.getEvents(queue);
    await pollWaits();
    await ada.api.revokeToken({ token_id: token.token_id });
    expect(await poll).toEqual({ events: [] });
    await expectError('INVALID_TOKEN', token.api.getEvents(queue));
    expect(await ada.api.getEvents({ ...other, dont_block: true })).toEqual({ events: [] });
    expect(await rows(chat.database.db, sql`select id from event_queues where id = ${queue.queue_id}`)).toEqual([]);
  });

  test('ends when the API key is regenerated; queues of the key go on with the new one', async () => {
    const ada = await chat.user('ada', { mirrored: false });
    const token = await tokenOf(ada);
    const [queue, other] = [await registered(token), await registered(ada)];
    const poll = token.api.getEvents(queue);
    await pollWaits();
    const { api_key: apiKey } = await ada.api.regenerateApiKey({});
    expect(await poll).toEqual({ events: [] });
    await expectError('INVALID_TOKEN', token.api.getEvents(queue));
    const api = chat.apiOf(chat.realm, { email: ada.email, apiKey });
    expect(await api.getEvents({ ...other, dont_block: true })).toEqual({ events: [] });
  });
});

// Only the database has this change: the notification between processes was lost.
const revocations = {
  'its token is revoked': (
    id: number,
  ) => sql`with gone as (update event_queues set token_id = null where token_id = ${id})
    delete from tokens where id = ${id}`,
  'its token expires': (id: number) => sql`update tokens set expires_at = now() - interval '1 day' where id = ${id}`,
};

describe('a poll', () => {
  test('that waits when its token expires delivers no later event', async () => {
    const [ada, ben] = [await chat.user('ada', { mirrored: false }), await chat.user('ben', { mirrored: false })];
    const token = await tokenOf(ada, { lifespan_secs: 60 });
    const queue = await registered(token);
    const poll = token.api.getEvents(queue);
    await pollWaits();
    chat.clock.advance({ seconds: 61 });
    await chat.message({ from: ben, to: [ada], content: 'too late' });
    expect(await poll).toEqual({ events: [] });
    await expectError('INVALID_TOKEN', token.api.getEvents(queue), /expired/);
  });

  test('that reads the log while its token is revoked elsewhere fails with INVALID_TOKEN', async () => {
    const [ada, ben] = [await chat.user('ada', { mirrored: false }), await chat.user('ben', { mirrored: false })];
    const token = await tokenOf(ada);
    const queue = await registered(token);
    await chat.message({ from: ben, to: [ada], content: 'before' });
    const owner = { realm_id: chat.realm.id, user_id: ada.id };
    const reading = {
      queue: {
        id: queue.queue_id,
        ...owner,
        event_types: null,
        narrow: [],
        all_public_streams: false,
        apply_markdown: false,
        client_gravatar: true,
        slim_presence: false,
        key_version: 1,
        token: { id: token.token_id, stream_id: null, expires_at: null },
      },
      asking: {
        last_event_id: queue.last_event_id,
        poller: null,
        seen_at: 0,
        scanned: 0,
        newest: Number.POSITIVE_INFINITY,
        lifespan_secs: 600,
      },
    };
    expect(await chat.app.polls.read(reading.queue, reading.asking)).toHaveLength(1);
    await ada.api.revokeToken({ token_id: token.token_id });
    await expect(chat.app.polls.read(reading.queue, reading.asking)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
  });
});

describe('an event stream', () => {
  test('ends when its token is revoked', async () => {
    const [ada, ben] = [await chat.user('ada', { mirrored: false }), await chat.user('ben', { mirrored: false })];
    const token = await tokenOf(ada);
    const queue = await registered(token);
    const stream = await follow(ada, queue, { headers: token.headers });
    await chat.message({ from: ben, to: [ada], content: 'soup' });
    await waitForContents(stream, 'soup');
    await ada.api.revokeToken({ token_id: token.token_id });
    await stream.ended;
    const { response } = await follow(ada, queue, { headers: token.headers });
    expect(response.statusCode).toBe(401);
  });

  test.each(Object.entries(revocations))(
    'ends soon after %s in another process, without an event',
    async (_what, change) => {
      const ada = await chat.user('ada', { mirrored: false });
      const token = await tokenOf(ada);
      const stream = await follow(ada, await registered(token), { headers: token.headers });
      await pollWaits();
      await rows(chat.database.db, change(token.token_id));
      await stream.ended;
    },
  );

  test('goes on while its token is valid', async () => {
    const [ada, ben] = [await chat.user('ada', { mirrored: false }), await chat.user('ben', { mirrored: false })];
    const token = await tokenOf(ada, { lifespan_secs: 3600 });
    const stream = await follow(ada, await registered(token), { headers: token.headers });
    await expect.poll(() => stream.comments.length, { timeout: 10_000 }).toBeGreaterThan(1);
    await chat.message({ from: ben, to: [ada], content: 'still here' });
    await waitForContents(stream, 'still here');
  });
});

test.runIf(onPostgres)('revoking a token here ends its polls at other processes', async () => {
  const second = await startSecondProcess(chat, { pollTimes: { ...pollTimes, renew: 3_600_000 } });
  const ada = await chat.user('ada', { mirrored: false });
  const token = await tokenOf(ada);
  const stream = await follow(ada, await registered(token), { headers: token.headers, port: second.port });
  await ada.api.revokeToken({ token_id: token.token_id });
  await stream.ended;
  await second.close();
});
