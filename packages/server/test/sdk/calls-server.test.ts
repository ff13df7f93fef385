// Calls to a server of this project.
import { createClient, logIn } from '@parley/client';
import { createRawClient } from '@parley/client/raw';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, PASSWORD, startChat, type TestUser } from '../chat.ts';
import { hostFetch } from '../host-fetch.ts';
import { startConnectionProxy } from './connection-proxy.ts';

const message = { type: 'stream', to: 'kitchen', topic: 'soup', content: 'hello' } as const;

describe('on a server', () => {
  let chat: Chat;
  let anna: TestUser;
  beforeAll(async () => {
    chat = await startChat({ ownDatabase: true });
    anna = await chat.user('anna', { mirrored: false });
  });
  afterAll(() => chat.close());

  test('the unknown parameters of a response are reported to the hook', async () => {
    const ignored: unknown[] = [];
    const client = createClient(chat.url, {
      login: anna,
      fetch: hostFetch(chat.port),
      onIgnoredParameters: (names, operation) => ignored.push([operation, names]),
    });
    await client.getStreams({ include_pubic: true } as object);
    expect(ignored).toEqual([['getStreams', ['include_pubic']]]);
  });

  test.each(['1', '-1', '[1]', '[1,2]', '"kitchen"', '1e3', 'null', '{}'])(
    'a stream named %s is written to by its name',
    async (name) => {
      const cook = await chat.user('cook', { mirrored: false });
      const kitchen = await chat.stream('kitchen', { by: cook });
      expect(kitchen).toBeGreaterThan(0);
      const stream_id = await chat.stream(name, { by: cook });
      const { id } = await cook.api.sendMessage({ type: 'stream', to: name, topic: 'soup', content: 'hello' });
      expect((await cook.api.getMessage({ message_id: id })).message).toMatchObject({
        stream_id,
        display_recipient: name,
      });
    },
  );

  test('its feature level is requested once', async () => {
    let requestCount = 0;
    const client = createClient(chat.url, { fetch: hostFetch(chat.port), onRequest: () => requestCount++ });
    expect(await client.supports(1)).toBe(true);
    expect(await client.supports(100_000)).toBe(false);
    expect(requestCount).toBe(1);
  });

  test('createClient logs in with a password', async () => {
    const client = await logIn(chat.url, { username: chat.owner.email, password: PASSWORD });
    expect(await client.getOwnUser()).toMatchObject({ user_id: chat.owner.id });
    const wrong = logIn(chat.url, { username: chat.owner.email, password: 'wrong' });
    await expect(wrong).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' });
  });

  test('a write whose response is lost is carried out once', async () => {
    const door = await startConnectionProxy(chat.port);
    await chat.stream('pantry', { by: anna });
    let sent = 0;
    const client = createClient(door.url, {
      login: anna,
      fetch: async (request) => {
        const response = await fetch(request);
        if (++sent === 1) throw new TypeError('The response was lost.');
        return response;
      },
    });
    const { id } = await client.sendMessage({ ...message, to: 'pantry' }, { idempotencyKey: crypto.randomUUID() });
    const { messages } = await anna.api.getMessages({
      anchor: 'newest',
      num_before: 10,
      num_after: 0,
      narrow: [{ operator: 'topic', operand: 'soup' }],
    });
    expect([sent, messages.map((one) => one.id)]).toEqual([2, [id]]);
    await door.close();
  });

  test('the raw client takes paths, with the same encoding', async () => {
    const { data } = await createRawClient(chat.url, { login: anna, fetch: hostFetch(chat.port) }).GET('/users/me');
    expect(data).toMatchObject({ result: 'success', user_id: anna.id });
  });

  test('the raw client sends files, too', async () => {
    const raw = createRawClient(chat.url, { login: anna, fetch: hostFetch(chat.port) });
    const file = new File(['soup'], 'soup.txt');
    const { data } = await raw.POST('/user_uploads', { body: { file } });
    expect(data).toMatchObject({ result: 'success', file_name: 'soup.txt' });
  });
});
