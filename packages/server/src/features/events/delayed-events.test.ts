// Presence waits a moment for other events (docs/behaviour/events.md#delayed-events).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import type { OpenStream } from '../../../test/event-stream.ts';
import { createFollower, pollTimes, type RegisteredQueue, register } from '../../../test/followers.ts';
import { delayEvents } from './delayed-events.ts';
import { SizedDelivery } from './sized-delivery.ts';

const types = ({ events }: Pick<OpenStream, 'events'>) => events.map(({ type }) => type);
const report = (...users: TestUser[]) =>
  Promise.all(users.map(({ api }) => api.updatePresence({ status: 'active', ping_only: true })));
const TYPES = ['presence', 'message', 'typing'] as const;
/** All other events have arrived when this one has. */
const MARK = ['mark'];

describe('while nothing else happens', () => {
  let chat: Chat;
  beforeAll(async () => {
    chat = await startChat({ ownDatabase: true, pollTimes: { ...pollTimes, delay: 3_600_000 } });
  });
  afterAll(() => chat.close());
  const follow = createFollower(() => chat);
  const registerAll = (who: TestUser) => register(who, [...TYPES]);

  /** Reports presence; another client of the same user, for which nothing waits, proves that it was distributed. */
  async function reportAndWait(reader: TestUser, ...users: TestUser[]): Promise<void> {
    const witness = await follow(reader, await register(reader, ['message']));
    await report(...users);
    await chat.message({ from: reader, to: [reader], content: MARK[0] as string });
    await expect.poll(() => witness.events.length).toBe(1);
    witness.close();
  }

  test('a stream gets presence before the next other event, in the order of the log and each once', async () => {
    const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
    const stream = await follow(ada, await registerAll(ada));
    await expect.poll(() => stream.comments).toEqual(['stream']);
    await reportAndWait(ben, ben, cleo);
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
    const stream = await follow(ada, await registerAll(ada));
    await expect.poll(() => stream.comments).toEqual(['stream']);
    await reportAndWait(ben, ben);
    await ben.api.setTyping({ op: 'start', to: [ada.id] });
    await expect.poll(() => types(stream)).toEqual(['presence', 'typing']);
  });

  test('a poll waits on, and its response has presence and the next other event', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { queue_id, last_event_id } = await registerAll(ada);
    const poll = ada.api.getEvents({ queue_id, last_event_id });
    await expect.poll(() => chat.app.polls.waiting()).toBeGreaterThan(0);
    await reportAndWait(ben, ben);
    await chat.message({ from: ben, to: [ada], content: 'soup' });
    expect(types(await poll)).toEqual(['presence', 'message']);
  });

  test('presence that a stream still delayed when it ended is what the next one begins with', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue: RegisteredQueue = await registerAll(ada);
    const first = await follow(ada, queue);
    await expect.poll(() => first.comments).toEqual(['stream']);
    await reportAndWait(ben, ben);
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

test('presence arrives by itself after a moment, however little happens', async () => {
  const chat = await startChat({ ownDatabase: true, pollTimes: { ...pollTimes, delay: 100 } });
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const { queue_id, last_event_id } = await register(ada, ['presence']);
  const poll = ada.api.getEvents({ queue_id, last_event_id });
  const stream = await createStream(chat, ada);
  await report(ben, cleo);
  await expect.poll(() => types(stream), { timeout: 10_000 }).toEqual(['presence', 'presence']);
  expect(types(await poll)).toContain('presence');
  stream.close();
  await chat.close();
});

async function createStream(chat: Chat, who: TestUser): Promise<OpenStream> {
  const { openStream } = await import('../../../test/event-stream.ts');
  const queue = await register(who, ['presence']);
  return openStream({ host: chat.realm.host, port: chat.port, login: who, ...queue });
}

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
  ])('is nothing if %s was found', (_case, more) => {
    expect(delayEvents({ ...found, ...more }, times)).toBe(undefined);
  });

  test('is nothing where nothing is to wait', () => {
    expect(delayEvents(found, { ...times, delay: 0 })).toBe(undefined);
  });
});
