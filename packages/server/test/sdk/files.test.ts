// URLs of files and the progress of uploads, in Node. Browsers: browser-files.test.ts.
import { createClient, ParleyError } from '@parley/client';
import { createProgressFetch, fileUrl, type UploadProgress } from '@parley/client/files';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const soup = () => new File(['Two carrots, one onion.'], 'Süppchen.txt');

/** A client that counts its requests. */
function createCountingClient(login = server.login) {
  const sent: string[] = [];
  const client = createClient(server.url, { login, onRequest: ({ operation }) => sent.push(operation) });
  return { client, sent };
}

describe('fileUrl', () => {
  test('is an absolute URL of an upload that needs no credentials', async () => {
    const { client } = createCountingClient();
    const { uri } = await client.uploadFile({ file: soup() });
    const address = await fileUrl(client, uri);
    expect(address).toMatch(new RegExp(`^${server.url}/user_uploads/temporary/`));
    const response = await fetch(address);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('Two carrots, one onion.');
    expect((await fetch(server.url + uri)).status).toBe(401);
  });

  test('takes the URL of an upload in every form, and sends one request for all of them', async () => {
    const { client, sent } = createCountingClient();
    const { uri } = await client.uploadFile({ file: soup() });
    const spellings = [uri, server.url + uri, `${server.url.toUpperCase().replace('HTTP', 'http')}${uri}`];
    const addresses = await Promise.all(spellings.map((one) => fileUrl(client, one)));
    expect(new Set(addresses).size).toBe(1);
    expect(sent.filter((operation) => operation === 'getFileUrl')).toHaveLength(1);
  });

  test('requests a new one after 30 seconds, when the old one is valid for as long', async () => {
    const { client, sent } = createCountingClient();
    const { uri } = await client.uploadFile({ file: soup() });
    const first = await fileUrl(client, uri);
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now + 29_000);
    expect(await fileUrl(client, uri)).toBe(first);
    clock.mockReturnValue(now + 31_000);
    const second = await fileUrl(client, uri);
    clock.mockRestore();
    expect(second).not.toBe(first);
    expect(sent.filter((operation) => operation === 'getFileUrl')).toHaveLength(2);
    expect((await fetch(second)).status).toBe(200);
  });

  test('of a public picture is its own URL, without a request', async () => {
    const { client, sent } = createCountingClient();
    const { avatar_url } = await client.getOwnUser();
    sent.length = 0;
    const address = await fileUrl(client, avatar_url);
    expect(address).toBe(server.url + avatar_url);
    expect((await fetch(address)).status).toBe(200);
    expect(sent).toEqual([]);
  });

  test('of another site is that URL, also where it looks like an upload', async () => {
    const { client, sent } = createCountingClient();
    for (const address of [
      'https://a.example/b.png',
      'https://a.example/user_uploads/1/key/b.png',
      '//a.example/b.png',
    ]) {
      expect(await fileUrl(client, address)).toBe(new URL(address, server.url).href);
    }
    expect(sent).toEqual([]);
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', 'http://'])('fails for %s', async (address) => {
    const { client } = createCountingClient();
    await expect(fileUrl(client, address)).rejects.toThrow(TypeError);
  });

  test('fails for a file that the user cannot read, and sends a new request the next time', async () => {
    const { uri } = await createCountingClient().client.uploadFile({ file: soup() });
    const ada = createCountingClient(await server.user('Ada'));
    const failed = await fileUrl(ada.client, uri).catch((error: unknown) => error);
    expect(ParleyError.is(failed, 'BAD_REQUEST')).toBe(true);
    const owner = createCountingClient().client;
    const content = `[soup](${uri})`;
    await owner.sendMessage({ type: 'direct', to: [(await ada.client.getOwnUser()).user_id], content });
    expect((await fetch(await fileUrl(ada.client, uri))).status).toBe(200);
  });

  test('keeps the path prefix under which a proxy serves the organization', async () => {
    const fetch = async (request: Request) => {
      const { pathname, search } = new URL(request.url);
      return globalThis.fetch(new Request(server.url + pathname.replace('/chat', '') + search, request));
    };
    const client = createClient('https://example.com/chat/', { login: server.login, fetch });
    expect(client.url).toBe('https://example.com/chat');
    expect(await fileUrl(client, '/avatar/4')).toBe('https://example.com/chat/avatar/4');
    const { uri } = await createCountingClient().client.uploadFile({ file: soup() });
    expect(await fileUrl(client, uri)).toMatch(/^https:\/\/example\.com\/chat\/user_uploads\/temporary\//);
  });
});

describe('createProgressFetch', () => {
  const large = () => new File([new Uint8Array(8_000_000)], 'large.bin');

  test('reports from zero to the full size, in steps, and the file arrives whole', async () => {
    const { client } = createCountingClient();
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    const file = new File(
      Array.from({ length: 100 }, () => bytes),
      'large.bin',
    );
    const steps: UploadProgress[] = [];
    const { uri } = await client.uploadFile({ file }, { fetch: createProgressFetch((step) => steps.push(step)) });
    const total = steps[0]?.total ?? 0;
    expect(total).toBeGreaterThan(file.size);
    expect(total).toBeLessThan(file.size + 1000);
    expect(steps[0]).toEqual({ sent: 0, total });
    expect(steps.at(-1)).toEqual({ sent: total, total });
    expect(steps.length).toBeGreaterThan(50);
    for (const [index, step] of steps.entries()) expect(step.sent).toBeGreaterThanOrEqual(steps[index - 1]?.sent ?? 0);
    const downloaded = new Uint8Array(await (await fetch(await fileUrl(client, uri))).arrayBuffer());
    expect(Buffer.from(downloaded).equals(Buffer.concat(Array.from({ length: 100 }, () => bytes)))).toBe(true);
  });

  test('an upload that is aborted ends, and reports no more', async () => {
    const { client } = createCountingClient();
    const ending = new AbortController();
    const steps: UploadProgress[] = [];
    const progress = createProgressFetch((step) => {
      steps.push(step);
      if (steps.length === 3) ending.abort();
    });
    const failed = client.uploadFile({ file: large() }, { fetch: progress, signal: ending.signal });
    await expect(failed).rejects.toMatchObject({ name: 'AbortError' });
    expect(steps.at(-1)?.sent).toBeLessThan(steps[0]?.total ?? 0);
  });

  test('a rejected upload fails as it does without progress', async () => {
    const { client } = createCountingClient();
    const file = new File([], 'empty.txt');
    const failed = await client.uploadFile({ file }, { fetch: createProgressFetch(() => {}) }).catch((error) => error);
    expect(ParleyError.is(failed, 'BAD_REQUEST')).toBe(true);
  });

  test('an upload that is retried begins again at zero', async () => {
    const { client } = createCountingClient();
    const sent: number[] = [];
    let tries = 0;
    const send = async (request: Request) => {
      if (++tries > 1) return fetch(request);
      // Time in which a stream that reads ahead would do so.
      await fetch(`${server.url}/livez`);
      await request.body?.cancel();
      return new Response('Bad Gateway', { status: 502 });
    };
    const progress = createProgressFetch((step) => sent.push(step.sent), send);
    await client.uploadFile({ file: soup() }, { fetch: progress, idempotencyKey: crypto.randomUUID() });
    expect(tries).toBe(2);
    // Nothing of the first attempt was read, and no byte counts as sent.
    expect(sent.slice(0, 2)).toEqual([0, 0]);
    expect(sent.at(-1)).toBeGreaterThan(0);
  });

  test('an upload whose listener throws is aborted, and the call rejects', async () => {
    const { client } = createCountingClient();
    const progress = createProgressFetch(({ sent }) => {
      if (sent > 0) throw new Error('The page was removed.');
    });
    const failed = await client.uploadFile({ file: large() }, { fetch: progress }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(Error);
    expect((await client.getAttachments()).attachments.every(({ size }) => size < 8_000_000)).toBe(true);
  });
});
