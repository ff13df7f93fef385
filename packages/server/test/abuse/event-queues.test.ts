// A queue costs what is for it: a client that does not acknowledge cannot make the server read or keep the log again
// and again.
import { createClient, type Params } from '@parley/client';
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { sweepQueues } from '../../src/features/events/index.ts';
import { type Chat, expectError, startChat, type TestUser } from '../chat.ts';
import { hostFetch } from '../host-fetch.ts';
import { addEvents, countLog, watchLog } from './log.ts';

const QUEUE_EVENTS = 3000;
const QUEUE_BYTES = 2_000_000;

let chat: Chat;
const POLL_TIMES = { quiet: 2000, spread: 1, tick: 100, fallback: 50, coalesce: 1 };

let ada: TestUser;
beforeAll(async () => {
  chat = await startChat({
    ownDatabase: true,
    collection_limits: { queue_events: QUEUE_EVENTS, queue_bytes: QUEUE_BYTES },
    pollTimes: POLL_TIMES,
  });
});
afterAll(() => chat.close());
beforeEach(async () => {
  await chat.database.db.execute(sql`delete from event_queues`);
  await sweepQueues(chat.app);
  ada = await chat.user('ada', { mirrored: false });
});

const WEEK = 604_800;
const register = (params: Pick<Params<'registerQueue'>, 'event_types'> = {}) =>
  ada.api.registerQueue({ ...params, fetch_event_types: [], queue_lifespan_secs: WEEK });
const addForOthers = (count: number, more: { type?: string; value?: string } = {}) =>
  addEvents(chat, count, { user_id: chat.owner.id, ...more });

type Registered = Awaited<ReturnType<typeof register>>;
/** Polls without ever acknowledging. */
const poll = ({ queue_id, last_event_id }: Registered, dont_block = true) =>
  ada.api.getEvents({ queue_id, last_event_id, dont_block });

/** What the server reads of the log during `work`. */
async function readsOf(work: () => Promise<unknown>) {
  const reads = watchLog(chat);
  try {
    await work();
  } finally {
    reads.stop();
  }
  return { statements: reads.statements, events: reads.events };
}

const storedProgress = async ({ queue_id }: Registered): Promise<number> => {
  const [row] = await rows<{ scanned: number }>(
    chat.database.db,
    sql`select greatest(acknowledged, scanned) as scanned from event_queues where id = ${queue_id}`,
  );
  return row?.scanned ?? Number.NaN;
};

describe('events that are not for a queue', () => {
  test('are read for it once, for any number of polls without an acknowledgement', async () => {
    const queue = await register();
    await addForOthers(1200);
    expect(await readsOf(() => poll(queue))).toEqual({ statements: 3, events: 1200 });
    for (let n = 0; n < 3; n++) expect(await readsOf(() => poll(queue))).toEqual({ statements: 0, events: 0 });
    await addForOthers(7);
    expect(await readsOf(() => poll(queue))).toEqual({ statements: 1, events: 7 });
  });

  test('are removed after they were read, though the queue acknowledges nothing', async () => {
    const queue = await register();
    await addForOthers(100);
    await poll(queue);
    await poll(queue);
    await addForOthers(5);
    await sweepQueues(chat.app);
    expect(await countLog(chat)).toBe(5);
  });

  test('cost a poll without new events no further statement', async () => {
    // No other work happens beside the requests.
    const pollTimes = { quiet: 60_000, spread: 1, tick: 60_000, fallback: 60_000, coalesce: 1 };
    const still = await startChat({ pollTimes });
    const { api } = await still.user('ben', { mirrored: false });
    const { queue_id, last_event_id } = await api.registerQueue({ fetch_event_types: ['alert_words'] });
    const pollAgain = () => api.getEvents({ queue_id, last_event_id, dont_block: true });
    await pollAgain();
    const first = await still.statements(pollAgain);
    await addEvents(still, 100, { user_id: still.owner.id });
    await pollAgain();
    expect(await still.statements(pollAgain)).toBe(first);
    await still.close();
  });

  test('are not read if the queue has event types and the events are of others', async () => {
    const queue = await register({ event_types: ['alert_words'] });
    await addForOthers(1200);
    expect(await readsOf(() => poll(queue))).toEqual({ statements: 0, events: 0 });
    await addEvents(chat, 3, { user_id: ada.id, type: 'nothing' });
    await addForOthers(1200);
    const kinds = await register({ event_types: ['realm'] });
    await addEvents(chat, 1, { user_id: ada.id });
    await addEvents(chat, 1, { user_id: ada.id, type: 'other' });
    const reads = await readsOf(async () => expect((await poll(kinds)).events).toMatchObject([{ type: 'realm' }]));
    expect(reads).toEqual({ statements: 1, events: 1 });
  });

  test('are skipped for good when a poll without events ends, whether its client comes back or not', async () => {
    const queue = await register();
    const start = await storedProgress(queue);
    await addForOthers(50);
    expect((await poll(queue, false)).events).toMatchObject([{ type: 'heartbeat' }]);
    await vi.waitFor(async () => expect(await storedProgress(queue)).toBeGreaterThanOrEqual(start + 50), 5000);
    await sweepQueues(chat.app);
    expect(await countLog(chat)).toBeLessThan(50);
  });

  test('are skipped for good when another poll takes the queue over', async () => {
    const queue = await register();
    const first = poll(queue, false);
    await vi.waitFor(() => expect(chat.app.polls.waiting()).toBe(1), 30_000);
    const read = await readsOf(async () => {
      await addForOthers(50);
      await new Promise((resolve) => setTimeout(resolve, 500));
    });
    expect(read.events).toBe(50);
    const reads = await readsOf(async () => {
      await poll(queue);
      expect(await first).toEqual({ events: [] });
    });
    expect(reads).toEqual({ statements: 0, events: 0 });
  });
});

test('a poll that another one ended while it caught up stops reading the log', async () => {
  // On a server where polls waited recently, the log is also read for all of them together.
  const fresh = await startChat({ ownDatabase: true, pollTimes: POLL_TIMES });
  const { api } = await fresh.user('ben', { mirrored: false });
  const { queue_id, last_event_id } = await api.registerQueue({ fetch_event_types: ['alert_words'] });
  await addEvents(fresh, 2500, { user_id: fresh.owner.id });
  const reads = watchLog(fresh);
  let go = () => {};
  reads.hold = new Promise<void>((resolve) => {
    go = resolve;
  });
  const first = api.getEvents({ queue_id, last_event_id });
  await vi.waitFor(() => expect(reads.statements).toBe(1), 5000);
  const second = api.getEvents({ queue_id, last_event_id, dont_block: true });
  await vi.waitFor(() => expect(reads.statements).toBe(2), 5000);
  expect(await first).toEqual({ events: [] });
  reads.hold = undefined;
  go();
  await second;
  reads.stop();
  expect(reads.statements).toBe(6);
  await fresh.close();
});

describe('events that were delivered and not acknowledged', () => {
  test('are delivered again, whatever other events were read and removed before and after them', async () => {
    const queue = await register();
    await addForOthers(50);
    await addEvents(chat, 2, { user_id: ada.id, value: 'hers' });
    await addForOthers(700);
    const first = await poll(queue);
    expect(first.events).toMatchObject([{ value: 'hers' }, { value: 'hers' }]);
    for (let n = 0; n < 3; n++) {
      await sweepQueues(chat.app);
      expect(await poll(queue)).toEqual(first);
      expect(await poll(queue, false)).toEqual(first);
    }
    const [one, two] = first.events.map(({ id }) => id);
    const rest = { queue_id: queue.queue_id, dont_block: true };
    expect((await ada.api.getEvents({ ...rest, last_event_id: one ?? 0 })).events).toEqual(first.events.slice(1));
    expect((await ada.api.getEvents({ ...rest, last_event_id: two ?? 0 })).events).toEqual([]);
  });

  test('are read again without earlier events that are for others', async () => {
    const queue = await register();
    await addForOthers(400);
    await addEvents(chat, 1, { user_id: ada.id });
    await poll(queue);
    expect(await readsOf(() => poll(queue))).toEqual({ statements: 1, events: 1 });
  });
});

describe('the events that a queue keeps in the log', () => {
  const lost = (queue: Registered) => expectError('BAD_EVENT_QUEUE_ID', poll(queue));

  test('are bounded in number: the sweep ends a queue with one too many, and no other', async () => {
    const idle = await register();
    await addEvents(chat, 1, { user_id: ada.id });
    const next = await register();
    await addEvents(chat, QUEUE_EVENTS - 1, { user_id: ada.id });
    await sweepQueues(chat.app);
    await poll(idle);
    await addEvents(chat, 1, { user_id: ada.id });
    await sweepQueues(chat.app);
    await lost(idle);
    expect(await countLog(chat)).toBe(QUEUE_EVENTS);
    await poll(next);
    const late = await register();
    await addEvents(chat, 1, { user_id: ada.id });
    await sweepQueues(chat.app);
    await lost(next);
    expect((await poll(late)).events).toHaveLength(1);
    expect(await countLog(chat)).toBe(1);
  });

  test('are bounded in bytes', async () => {
    const idle = await register();
    await addEvents(chat, 2, { user_id: ada.id, value: 'x'.repeat(QUEUE_BYTES / 2 - 1000) });
    const late = await register();
    await sweepQueues(chat.app);
    await poll(idle);
    await addEvents(chat, 1, { user_id: ada.id, value: 'x'.repeat(2000) });
    await sweepQueues(chat.app);
    await lost(idle);
    expect((await poll(late)).events).toHaveLength(1);
  });

  test('do not include events for others that were read', async () => {
    const queue = await register({ event_types: ['alert_words'] });
    for (let n = 0; n < 3; n++) {
      await addForOthers(QUEUE_EVENTS / 2);
      await poll(queue);
      await poll(queue);
      await sweepQueues(chat.app);
    }
    expect(await countLog(chat)).toBe(0);
  });

  test('do not include what a waiting poll has read and skipped', async () => {
    const patient = await startChat({
      ownDatabase: true,
      collection_limits: { queue_events: 1000 },
      pollTimes: { quiet: 60_000, spread: 1, tick: 50, fallback: 50, coalesce: 1 },
    });
    const ben = await patient.user('ben', { mirrored: false });
    const { queue_id, last_event_id } = await ben.api.registerQueue({ fetch_event_types: ['alert_words'] });
    const poll = ben.api.getEvents({ queue_id, last_event_id });
    await vi.waitFor(() => expect(patient.app.polls.waiting()).toBe(1), 30_000);
    await addEvents(patient, 1001, { user_id: patient.owner.id });
    const saved = sql`select 1 from event_queues where scanned > acknowledged + 900`;
    await vi.waitFor(async () => expect(await rows(patient.database.db, saved)).toHaveLength(1), 30_000);
    await sweepQueues(patient.app);
    expect(await countLog(patient)).toBeLessThan(200);
    await addEvents(patient, 1, { user_id: ben.id });
    expect((await poll).events).toMatchObject([{ type: 'realm' }]);
    await patient.close();
  });

  test('end it, and the client library registers again by itself', async () => {
    const client = createClient(chat.url, {
      login: { email: ada.email, apiKey: ada.apiKey },
      fetch: hostFetch(chat.port),
    });
    const events = client.events({ types: ['realm'] });
    const { queue_id } = await events.open();
    await addEvents(chat, QUEUE_EVENTS + 1, { user_id: ada.id });
    await sweepQueues(chat.app);
    const { value } = await events.next();
    expect(value).toMatchObject({ type: 'resync' });
    expect(value?.type === 'resync' && value.state.queue_id).not.toBe(queue_id);
    await events.return();
  });
});
