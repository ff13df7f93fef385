import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openConnection, retryWhileBusy } from './http.ts';

/** Sends one request, again and again while the server is busy, to a server that responds with these statuses. */
async function send(...statuses: number[]) {
  let requests = 0;
  const server = createServer((_req, res) => {
    res.writeHead(statuses[requests++] ?? 500, { 'Retry-After': '0' }).end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const connection = openConnection((server.address() as AddressInfo).port);
  onTestFinished(() => {
    connection.close();
    server.close();
  });
  const user = { id: 1, email: 'ada@example.com', login: 'Basic YTpi' };
  const result = await retryWhileBusy(() => connection.request(user, 'POST /register')).catch(
    (error: unknown) => error,
  );
  return { result, requests };
}

test('a request that a busy server rejects is sent again', async () => {
  const { result, requests } = await send(503, 503, 200);
  expect(requests).toBe(3);
  expect(result).toMatchObject({ text: '{}' });
});

test('a request to a server that stays busy fails in the end', async () => {
  const { result, requests } = await send(...new Array<number>(100).fill(503));
  expect(requests).toBe(60);
  expect(result).toMatchObject({ status: 503 });
});

test('a request that fails for another reason is not sent again', async () => {
  const { result, requests } = await send(400, 200);
  expect(requests).toBe(1);
  expect(result).toMatchObject({ status: 400, message: 'POST /register: 400 {}' });
});
