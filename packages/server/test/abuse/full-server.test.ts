// Requests for which there is no slot.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { computeAdmissionLimits } from '../../src/core/admission-limits.ts';
import { rejectEarly } from '../../src/http/admission/early.ts';
import { createListener } from '../../src/http/listener.ts';
import { createServer } from '../../src/http/server.ts';
import { startChat } from '../chat.ts';
import { loginOf } from '../files.ts';
import { begin, FORM, messageTo, send } from './raw-request.ts';

const limits = computeAdmissionLimits(8);

/** A server without slots for requests. */
async function startFullServer(waitMs: number) {
  const timeouts = { wait: waitMs, target: waitMs };
  const none = { running: 0, waiting: 10, timeouts };
  const full = await startChat({ admissionLimits: { ...limits, requests: none, polls: none } });
  return { full, writer: await full.user('writer', { mirrored: false }) };
}

test('a request without a slot in time costs no statement, and its response is 503 with Retry-After', async () => {
  const { full, writer } = await startFullServer(50);
  const statements = await full.statements(async () => {
    const response = await send(full, '/messages', { headers: loginOf(writer), body: messageTo(writer) });
    expect(response).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.stringMatching(/^[1-5]$/) },
      body: { code: 'SERVICE_UNAVAILABLE' },
    });
  });
  expect(statements).toBe(0);
  await full.close();
});

describe('a request for which there is no slot', () => {
  /** A server without slots for requests, where none may wait. */
  const startClosedServer = async () => {
    const none = { running: 0, waiting: 0, timeouts: { wait: 60_000, target: 60_000 } };
    const closed = await startChat({
      admissionLimits: { ...limits, requests: none },
      allowedOrigins: new Set([ALLOWED]),
      trustProxy: 'loopback',
    });
    return { closed, writer: await closed.user('writer', { mirrored: false }) };
  };
  const ALLOWED = 'https://app.example.com';

  test('is rejected before Express receives it, with the documented response', async () => {
    const { closed, writer } = await startClosedServer();
    let reached = 0;
    const api = createServer(closed.app, [
      (_req, _res, next) => {
        reached++;
        next();
      },
    ]);
    const listener = createListener(api, undefined, rejectEarly(closed.app)).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const { status, headers, body } = await send({ ...closed, port }, '/messages', {
      headers: { ...loginOf(writer), 'Content-Type': FORM, Origin: ALLOWED, 'X-Forwarded-Proto': 'https' },
      body: messageTo(writer),
    });
    const wait = Number(headers['retry-after']);
    expect([1, 2, 3, 4, 5]).toContain(wait);
    expect([status, body]).toEqual([
      503,
      {
        result: 'error',
        msg: expect.stringMatching(
          new RegExp(`^The server has too many requests in progress. Try again in ${wait} second`),
        ),
        code: 'SERVICE_UNAVAILABLE',
        'retry-after': wait,
      },
    ]);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'strict-transport-security': 'max-age=31536000',
      'x-request-id': expect.stringMatching(/^[\w-]{36}$/),
      'access-control-allow-origin': ALLOWED,
      vary: 'Origin',
    });
    expect(reached).toBe(0);
    listener.close();
    await closed.close();
  });

  test('keeps its connection, also when its body was not read', async () => {
    const { closed, writer } = await startClosedServer();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let n = 0; n < 3; n++) {
      const status = await new Promise((resolve, reject) => {
        const options = { host: '127.0.0.1', port: closed.port, path: '/api/v1/messages', method: 'POST', agent };
        const req = request({ ...options, headers: { Host: closed.realm.host, ...loginOf(writer) } }, (res) => {
          ports.add(res.socket.localPort);
          res.resume().on('end', () => resolve(res.statusCode));
        });
        req.on('error', reject).end('x'.repeat(3_000));
      });
      expect(status).toBe(503);
    }
    expect(ports.size).toBe(1);
    agent.destroy();
    await closed.close();
  });

  test('does not prevent polls, preflight requests and pages', async () => {
    const { closed, writer } = await startClosedServer();
    const poll = await send(closed, '/events?queue_id=none&last_event_id=0', {
      method: 'GET',
      headers: loginOf(writer),
    });
    expect(poll.body.code).toBe('BAD_EVENT_QUEUE_ID');
    const preflight = { Origin: ALLOWED, 'Access-Control-Request-Method': 'POST' };
    expect((await send(closed, '/messages', { method: 'OPTIONS', headers: preflight })).status).toBe(204);
    const nothing = await closed.fetch('/nowhere', {});
    expect(nothing.status).toBe(404);
    await closed.close();
  });
});

test('is not started when its client has disconnected', async () => {
  const { full, writer } = await startFullServer(60_000);
  const statements = await full.statements(async () => {
    const { req } = begin(full, '/messages', { headers: loginOf(writer) });
    req.end(messageTo(writer));
    await expect.poll(() => full.app.admission.requests.waiting).toBe(1);
    req.destroy();
    await expect.poll(() => full.app.admission.requests.waiting).toBe(0);
  });
  expect(statements).toBe(0);
  await full.close();
});
