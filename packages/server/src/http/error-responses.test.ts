import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, test } from 'vitest';
import { failInvalid } from '../core/errors.ts';
import { createLog } from '../core/log.ts';
import { beginCall } from './call.ts';
import { createErrorHandler } from './error-responses.ts';

test('an undocumented error of an operation becomes INTERNAL_SERVER_ERROR, without the reason', async () => {
  const app = express();
  app.use((_req, res) => {
    const send = res.json;
    res.json = (body: { code: string }) => {
      if (body.code !== 'INTERNAL_SERVER_ERROR')
        throw new Error('/secret/path: response.code must be equal to constant');
      return send.call(res, body);
    };
    failInvalid('This is not documented.');
  });
  app.use(createErrorHandler(createLog('silent')));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([500, 'application/json; charset=utf-8']);
  const body = await answer.text();
  expect(JSON.parse(body)).toMatchObject({ result: 'error', code: 'INTERNAL_SERVER_ERROR' });
  expect(body).not.toContain('secret');
  server.close();
});

test.each([
  [400, 'a read', 'getStreams', {}],
  [400, 'a write to a page of a narrow', 'updateMessageFlagsForNarrow', { num_before: 10 }],
  [503, 'another write', 'sendMessage', {}],
] as const)('the status is %i where a statement of %s takes the database too long', async (status, _, id, params) => {
  const app = express();
  app.use((req) => {
    beginCall(req, { id, started: 0, path: {}, caller: undefined, params, ignored: [] });
    throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  });
  app.use(createErrorHandler(createLog('silent')));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect([response.status, response.headers.get('Retry-After')]).toEqual([status, status === 503 ? '1' : null]);
  server.close();
});
