// Limits of streams and polls: the memory for clients that do not read, and requests.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';
import { createFollower, pollTimes, register, waitForContents } from '../../../test/followers.ts';
import { readConfig } from '../../config/index.ts';
import { createLimits } from '../../http/limits/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true, pollTimes, idleTimeoutMs: 1000 });
});
afterAll(() => chat.close());
const follow = createFollower(() => chat);

describe('a client that does not read', () => {
  const large = 'x'.repeat(10_000);

  test('is sent no more than the socket buffers, and receives all events in order once it reads', async () => {
    const patient = await startChat({ ownDatabase: true, pollTimes });
    const [ada, ben] = await patient.users('ada', 'ben');
    const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['message'] });
    const stream = await follow(ben, { queue_id, last_event_id }, { chat: patient });
    stream.response.pause();
    const ids: number[] = [];
    for (let n = 0; n < 700; n++)
      ids.push(await patient.message({ from: ada, to: [ben], content: `${n} ${large}`.slice(0, 10_000) }));
    // Far less than the events: the rest stays in the log.
    expect(patient.app.responseBytes.total).toBeGreaterThan(0);
    expect(patient.app.responseBytes.total).toBeLessThan(2 * 1024 * 1024);
    stream.response.resume();
    await expect
      .poll(() => stream.events.map((event) => event.type === 'message' && event.message.id), { timeout: 60_000 })
      .toEqual(ids);
    await expect.poll(() => patient.app.responseBytes.total).toBe(0);
    stream.close();
    await patient.close();
  }, 180_000);

  test('is disconnected when it reads nothing for a while, and its memory is released', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await register(ben);
    const stream = await follow(ben, queue);
    stream.response.pause();
    for (let n = 0; n < 700; n++)
      await chat.message({ from: ada, to: [ben], content: `${n} ${large}`.slice(0, 10_000) });
    await expect.poll(() => chat.app.polls.waiting(), { timeout: 60_000 }).toBe(0);
    await expect.poll(() => chat.app.responseBytes.total).toBe(0);
    stream.response.resume();
    await stream.ended;
    expect(stream.response.complete).toBe(false);
  }, 180_000);
});

describe('the rate limit of events', () => {
  const limited = () => {
    const limits = createLimits(readConfig({ PARLEY_RATE_LIMITS: JSON.stringify({ events: '60:3' }) }).rate_rules);
    return { limits, chat: startChat({ ownDatabase: true, pollTimes, requestLimits: limits }) };
  };

  test('counts a stream once, whatever it sends', async () => {
    const { limits, chat: starting } = limited();
    const own = await starting;
    const [ada, ben] = await own.users('ada', 'ben');
    const { queue_id, last_event_id } = await ben.api.registerQueue({ event_types: ['message'] });
    const stream = await follow(ben, { queue_id, last_event_id }, { chat: own });
    for (let n = 0; n < 6; n++) await own.message({ from: ada, to: [ben], content: String(n) });
    await waitForContents(stream, '0', '1', '2', '3', '4', '5');
    expect(stream.response.headers['x-ratelimit-remaining']).toBe('2');
    expect((await limits.account({ realm_id: own.realm.id, id: ben.id }, 'events'))?.remaining).toBe(1);
    stream.close();
    await own.close();
    limits.close();
  });

  test('does not count polls that return new events, and counts those that repeat or return none', async () => {
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
    await expectError('RATE_LIMIT_HIT', ben.api.getEvents({ queue_id, last_event_id: last }));
    await own.close();
    limits.close();
  });
});
