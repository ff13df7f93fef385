// Paths and responses (docs/behaviour/requests.md#responses), the same for every operation.
import { request } from 'node:http';
import { operations } from '@parley/openapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../chat.ts';
import { basic, FORM, rawCalls } from './raw.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat();
  [ada] = await chat.users('ada');
});
afterAll(() => chat.close());
const { call, post } = rawCalls(() => ({ chat, person: ada }));

describe('the paths', () => {
  // shows: 9.1
  test.each(Object.entries(operations))(
    '%s is served under /api/v1 and nowhere else',
    async (id, { path, method: verb }) => {
      const method = verb.toUpperCase();
      const named = path.replaceAll(/\{\w+\}/g, '1');
      const code = async (at: string) => {
        const answer = await chat.fetch(at, { method });
        return String((await answer.json().catch(() => ({}))).code);
      };
      expect(await code(`/api/v1${named}`)).not.toMatch(/NOT_FOUND|METHOD_NOT_ALLOWED/);
      // Without any prefix the path is that of the file itself, for which the operation returns a URL.
      const elsewhere = id === 'getFileUrl' ? [] : [''];
      for (const prefix of [...elsewhere, '/api', '/api/v2', '/v1'])
        expect(await code(prefix + named)).toBe('NOT_FOUND');
    },
  );
});

describe('responses', () => {
  // shows: 1.5
  test('are JSON that is not cached, ending in a newline', async () => {
    for (const answer of [await call('/users/me'), await call('/nowhere')]) {
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.text.endsWith('}\n')).toBe(true);
    }
  });

  // shows: 1.7, 1.9
  test('a success has an empty msg, no code, and nothing about parameters when all were known', async () => {
    for (const answer of [
      await call('/users/me'),
      await call('/server_settings'),
      await post('/mark_all_as_read', ''),
    ]) {
      expect(answer.body).toMatchObject({ result: 'success', msg: '' });
      expect(answer.body).not.toHaveProperty('code');
      expect(answer.body).not.toHaveProperty('ignored_parameters_unsupported');
    }
  });

  // shows: 1.5, 9.1
  test('an unknown path is 404 NOT_FOUND', async () => {
    for (const path of [
      '/nowhere',
      '/messages/',
      '/Users/me',
      '/streams/abc',
      '/streams/-1',
      '/streams/1.5',
      '/messages/%ff',
    ]) {
      expect(await call(path)).toMatchObject({ status: 404, body: { result: 'error', code: 'NOT_FOUND' } });
    }
  });

  test('a wrong verb is 405 with the allowed verbs', async () => {
    const answer = await call('/messages', { method: 'DELETE' });
    expect(answer).toMatchObject({
      status: 405,
      body: { code: 'METHOD_NOT_ALLOWED', allowed_methods: ['GET', 'HEAD', 'POST'] },
    });
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  test('HEAD works wherever GET does', async () => {
    const answer = await call('/users/me', { method: 'HEAD' });
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(0);
  });

  test('OPTIONS is 204 with Allow', async () => {
    const answer = await call('/messages', { method: 'OPTIONS' });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
  });

  test.each([
    ['/messages', FORM, 'type='],
    [
      '/realm/emoji/soup',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a"',
    ],
  ])('after a client that disconnects in the middle of its body the server goes on: %s', async (path, type, begin) => {
    await new Promise<void>((resolve) => {
      const req = request(`http://127.0.0.1:${chat.port}/api/v1${path}`, {
        method: 'POST',
        headers: {
          Host: 'localhost',
          Authorization: basic(ada.email, ada.apiKey),
          'Content-Type': type,
          'Content-Length': 200,
        },
      });
      req.on('error', () => resolve());
      req.write(begin);
      setImmediate(() => req.destroy());
    });
    expect((await call('/users/me')).status).toBe(200);
  });
});

test('a URL that is too long fails in the envelope', async () => {
  const answer = await call(`/streams?x=${'a'.repeat(70_000)}`);
  expect(answer).toMatchObject({ status: 400, body: { result: 'error', code: 'BAD_REQUEST' } });
});
