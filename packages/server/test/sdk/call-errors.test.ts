// What a call rejects with, and what the error says.
import { createClient, ParleyError, TransportError } from '@parley/client';
import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, between, closeServers } from './scripted-server.ts';

afterEach(closeServers);

const html =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end('<h1>Not now</h1>');
const json =
  (status: number, body: object): Answer =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

describe('a call rejects with', () => {
  test('a response that is not Parley’s: its status and its first bytes', async () => {
    const { url } = await between(html(404));
    const error = await createClient(url)
      .getStreams()
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TransportError);
    const prefix = `getStreams at ${url}`;
    expect(error).toMatchObject({
      status: 404,
      start: '<h1>Not now</h1>',
      message: `${prefix}: 404, not Parley: <h1>Not now</h1>`,
    });
  });

  test('an error response with a code that this client does not know', async () => {
    const { url } = await between(json(418, { result: 'error', msg: 'Tea.', code: 'TEAPOT', spout: 'short' }));
    const error = await createClient(url)
      .getStreams()
      .catch((caught: unknown) => caught);
    expect(ParleyError.is(error)).toBe(true);
    expect(error).toMatchObject({ code: 'TEAPOT', body: { spout: 'short' } });
  });

  test('its timeout', async () => {
    const { url } = await between(() => {});
    const error = await createClient(url)
      .getStreams({}, { timeout: 50, retries: 0 })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({
      status: undefined,
      message: `getStreams at ${url}: no response (none within 50 ms)`,
      cause: { name: 'TimeoutError' },
    });
  });

  test('the operation, the server and the reason where there is none', async () => {
    const { url } = await between(() => {});
    closeServers();
    const error = await createClient(url, { retries: 0 })
      .getStreams()
      .catch((caught: Error) => caught.message);
    expect(error).toMatch(`getStreams at ${url}: no response (`);
    expect(error).toMatch(/ECONNREFUSED/);
  });

  test('the reason of its signal, while it waits for a response and between two attempts', async () => {
    const { url } = await between(() => {});
    const ending = new AbortController();
    const waiting = createClient(url).getStreams({}, { signal: ending.signal });
    ending.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');

    const later = new AbortController();
    const { url: busy } = await between(html(429, { 'Retry-After': '30' }));
    const client = createClient(busy, { onRetry: () => later.abort(new Error('enough')) });
    await expect(client.getStreams({}, { signal: later.signal })).rejects.toThrow('enough');
  });
});

test('an error has the reason of the response, and none where an older server sends none', async () => {
  const rejected = { result: 'error', msg: 'No.', code: 'BAD_REQUEST' };
  const { url } = await between(json(400, { ...rejected, reason: 'not_found' }), json(400, rejected));
  await expect(createClient(url).getStreams()).rejects.toMatchObject({ reason: 'not_found' });
  await expect(createClient(url).getStreams()).rejects.toMatchObject({ reason: undefined });
});

test('an error has its operation', async () => {
  const { url } = await between(json(400, { result: 'error', msg: 'No.', code: 'BAD_REQUEST' }));
  const error = await createClient(url)
    .getStreams()
    .catch((caught: unknown) => caught);
  expect(ParleyError.isFrom(error, 'getStreams')).toBe(true);
  expect(ParleyError.isFrom(error, 'sendMessage')).toBe(false);
  expect(ParleyError.isFrom(new Error('No.'), 'getStreams')).toBe(false);
});
