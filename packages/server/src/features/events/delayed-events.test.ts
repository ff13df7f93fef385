// Presence waits a moment for other events (docs/behaviour/events.md#delayed-events).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import type { OpenStream } from '../../../test/event-stream.ts';
import { createFollower, findNewestEvent, pollTimes, type RegisteredQueue, register } from '../../../test/followers.ts';
import { delayEvents, withDelayed } from './delayed-events.ts';
import { SizedDelivery } from './sized-delivery.ts';
import { findUnseen } from './waiting-polls.ts';

const types = ({ events }: Pick<OpenStream, 'events'>) => events.map(({ type }) => type);
const report = (...users: TestUser[]) =>
  Promise.all(users.map(({ api }) => api.updatePresence({ status: 'active', ping_only: true })));
const TYPES = ['presence', 'message', 'typing'] as const;

describe('with a long delay', () => {
  let chat: Chat;
  beforeAll(async () => {
    chat = await startChat({ ownDatabase: true, pollTimes: { ...pollTimes, delay: 3_600_000 } });
  });
  afterAll(() => chat.close());
  const follow = createFollower(() => chat);
  const registerAll = (who: TestUser) => register(who, [...TYPES]);

  /** Waits until the poll or stream of a queue, which is not ben's, has caught up: then others read the log for it. */
  async function waitUntilReady({ queue_id: id }: RegisteredQueue, ben: TestUser): Promise<void> {
    await expect.poll(() => chat.app.polls.waiting()).toBe(1);
    await chat.message({ from: ben, to: [ben], content: 'to himself' });
    const newest = await findNewestEvent(chat);
    await expect.poll(() => chat.app.polls.scanned({ realm_id: chat.realm.id, id })).toBe(newest);
  }

  /** Reports presence, and waits until the server has distributed it: ben has a message that was sent later. */
  async function reportAndWait(ben: TestUser, ...others: TestUser[]): Promise<void> {
    const stream = await follow(ben, await register(ben, ['message']));
    await report(ben, ...others);
    await chat.message({ from: ben, to: [ben], content: 'to himself' });
    await expect.poll(() => stream.events.length).toBe(1);
    stream.close();
  }

  test('a stream gets presence before the next other event, in the order of the log and each once', async () => {
    const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
    const queue = await registerAll(ada);
    const stream = await follow(ada, queue);
    await waitUntilReady(queue, ben);
    await reportAndWait(ben, cleo);
    expect(types(stream)).toEqual([]);
    await chat.message({ from: ben, to: [ada], content: 'soup' });
    await expect.poll(() => types(stream)).toEqual(['presence', 'presence', 'message']);
    const ids = stream.events.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort((one, other) => one - other));
    await chat.message({ from: cleo, to: [ada], content: 'bread' });
    await expect.poll(() => types(stream).slice(3)).toEqual(['message']);
  });

  test('a stream gets presence before an ephemeral event', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await registerAll(ada);
    const stream = await follow(ada, queue);
    await waitUntilReady(queue, ben);
    await reportAndWait(ben);
    await ben.api.setTyping({ op: 'start', to: [ada.id] });
    await expect.poll(() => types(stream)).toEqual(['presence', 'typing']);
  });

  test('a poll waits on, and its response has presence and the next other event', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { queue_id, last_event_id } = await registerAll(ada);
    const poll = ada.api.getEvents({ queue_id, last_event_id });
    await waitUntilReady({ queue_id, last_event_id }, ben);
    await reportAndWait(ben);
    await chat.message({ from: ben, to: [ada], content: 'soup' });
    expect(types(await poll)).toEqual(['presence', 'message']);
  });

  test('presence that a stream still delayed when it ended is what the next one begins with', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue: RegisteredQueue = await registerAll(ada);
    const first = await follow(ada, queue);
    await waitUntilReady(queue, ben);
    await reportAndWait(ben);
    const second = await follow(ada, queue);
    await expect.poll(() => types(second)).toEqual(['presence']);
    expect(types(first)).toEqual([]);
  });

  test('a request that does not wait returns presence at once', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { queue_id, last_event_id } = await registerAll(ada);
    await report(ben);
    const response = await ada.api.getEvents({ queue_id, last_event_id, dont_block: true });
    expect(types(response)).toEqual(['presence']);
  });
});

describe('with a short delay', () => {
  let chat: Chat;
  beforeAll(async () => {
    chat = await startChat({ ownDatabase: true, pollTimes: { ...pollTimes, delay: 100 } });
  });
  afterAll(() => chat.close());
  const follow = createFollower(() => chat);

  test('presence arrives although nothing else happens', async () => {
    const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
    const { queue_id, last_event_id } = await register(ada, ['presence']);
    const poll = ada.api.getEvents({ queue_id, last_event_id });
    const stream = await follow(ada, await register(ada, ['presence']));
    await report(ben, cleo);
    await expect.poll(() => types(stream), { timeout: 10_000 }).toEqual(['presence', 'presence']);
    expect(types(await poll)).toContain('presence');
  });
});

describe('what a poll delays', () => {
  const presence = (id: number) => new SizedDelivery({ type: 'presence', id } as never, 100);
  const found = { events: [presence(5)], scanned: 6, ephemeral: [], ephemeralCursor: 0 };
  const times = { delayed: undefined, now: 1000, delay: 500 };

  test('is delayed for half to one and a half times the configured time', () => {
    for (let n = 0; n < 100; n++) {
      const due = delayEvents(found, times)?.due ?? 0;
      expect(due).toBeGreaterThanOrEqual(1250);
      expect(due).toBeLessThanOrEqual(1750);
    }
  });

  test('is due when its first event is', () => {
    const delayed = { events: [], scanned: 4, due: 1010 };
    expect(delayEvents(found, { ...times, delayed })).toEqual({ events: found.events, scanned: 6, due: 1010 });
    expect(delayEvents(found, { ...times, delayed, now: 1010 })).toBe(undefined);
  });

  test.each([
    ['nothing', { events: [] }],
    ['another event', { events: [...found.events, new SizedDelivery({ type: 'heartbeat', id: 6 }, 0)] }],
    ['an ephemeral event', { ephemeral: [presence(7)] }],
    ['more than 50 events', { events: Array.from({ length: 51 }, (_, n) => presence(n)) }],
  ])('is nothing if %s was found', (_case, more) => {
    expect(delayEvents({ ...found, ...more }, times)).toBe(undefined);
  });

  test('is sent once, although the same events are found again after a failure', () => {
    const delayed = { events: found.events, scanned: 6, due: 1010 };
    const again = { ...found, events: [...found.events, presence(7)], scanned: 7 };
    const { events, scanned } = withDelayed(findUnseen({ cursor: 4, ephemeralCursor: 0, delayed }, again), delayed);
    expect([events.map(({ id }) => id), scanned]).toEqual([[5, 7], 7]);
  });

  test('is sent at once with the event that makes it more than 50', () => {
    const delayed = { events: Array.from({ length: 50 }, (_, n) => presence(n)), scanned: 49, due: 1010 };
    expect(delayEvents({ ...found, events: [presence(50)] }, { ...times, delayed })).toBe(undefined);
  });

  test('is nothing if there is no delay', () => {
    expect(delayEvents(found, { ...times, delay: 0 })).toBe(undefined);
  });
});
