// A client that paces itself slows down before its rate limit is used up.
import { createClient, createPace } from '@parley/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { between, closeServers } from './scripted-server.ts';

afterEach(closeServers);
afterEach(() => void vi.useRealTimers());

const limits = (limit: number, remaining: number, resetAt: number) =>
  new Response(null, {
    headers: {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': String(Math.ceil(resetAt / 1000)),
    },
  });

test('the remaining requests of the limit are spread over the time that is left', async () => {
  vi.useFakeTimers({ now: 0 });
  const window = 20_000;
  const limit = 20;
  const pace = createPace();
  const sent: number[] = [];
  let [end, remaining] = [0, 0];
  const sendAll = async () => {
    for (let n = 0; n < 24; n++) {
      await pace.wait('getStreams');
      sent.push(Date.now());
      if (Date.now() >= end) [end, remaining] = [Date.now() + window, limit];
      remaining -= 1;
      pace.note('getStreams', limits(limit, remaining, end));
    }
  };
  const all = sendAll();
  await vi.advanceTimersByTimeAsync(2 * window);
  await all;
  const gaps = sent.slice(1).map((time, n) => time - (sent[n] ?? 0));
  expect(gaps).toEqual([...Array(14).fill(0), ...Array(5).fill(4000), 0, 0, 0, 0]);
});

describe('requests without rate limit headers', () => {
  const limitsWith = (remaining: number) => limits(20, remaining, Date.now() + 60_000);

  test.each([
    ['failed', () => undefined],
    ['got a response without headers', () => new Response(null, { status: 503 })],
  ])('that %s do not count as in flight: later ones do not wait for them', async (_how, response) => {
    const pace = createPace();
    for (let n = 0; n < 30; n++) {
      await pace.wait('getStreams');
      pace.note('getStreams', response());
    }
    await pace.wait('getStreams');
    pace.note('getStreams', limitsWith(19));
    vi.useFakeTimers();
    // Would not resolve if it waited: the time stands still.
    await pace.wait('getStreams');
  });

  test('in flight count, so a burst does not use the limit up', async () => {
    const pace = createPace();
    for (let n = 0; n < 15; n++) await pace.wait('getStreams');
    pace.note('getStreams', limitsWith(19));
    vi.useFakeTimers();
    let sent = false;
    const next = pace.wait('getStreams').then(() => {
      sent = true;
    });
    // Five requests remain for the 60 seconds, but a request waits ten at most.
    await vi.advanceTimersByTimeAsync(9_000);
    expect(sent).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    await next;
  });
});

test('a call that fails releases its turn', async () => {
  const noted: (number | undefined)[] = [];
  const pace = {
    wait: async () => {},
    note: (_operation: string, response: Response | undefined) => void noted.push(response?.status),
  };
  const { url } = await between(
    (response) => response.destroy(),
    (response) => response.writeHead(502).end('no'),
  );
  const client = createClient(url, { pace, retries: 0 });
  for (let n = 0; n < 2; n++) await client.getStreams().catch(() => {});
  const hook = createClient(url, { pace, retries: 0, onRequest: () => Promise.reject(new Error('hook')) });
  await hook.getStreams().catch(() => {});
  expect(noted).toEqual([undefined, 502, undefined]);
});
