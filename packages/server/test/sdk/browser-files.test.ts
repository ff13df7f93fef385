// Files in a real browser: pictures in pages of the server's origin and of another one, and the progress of uploads.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as parley from '@parley/client';
import type * as files from '@parley/client/files';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { bundleClient } from '../fixtures/client-in-browser.ts';
import { inChromium } from '../in-chromium.ts';

// A browser takes seconds for an upload, and a minute on a machine with much else to do.
vi.setConfig({ testTimeout: 180_000 });

declare const window: { parley: typeof parley & typeof files; steps: files.UploadProgress[] };

inChromium('in Chromium', (executablePath) => {
  let server: TestServer;
  let running: Awaited<ReturnType<typeof chromium.launch>>;
  beforeAll(async () => {
    server = await startTestServer();
    running = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await running.close();
    await server.stop();
  });

  const html = '<!doctype html><title>Parley</title>';

  async function open(origin = server.url) {
    const page = await running.newPage();
    if (origin === server.url)
      await page.route(`${origin}/page`, (route) => route.fulfill({ contentType: 'text/html', body: html }));
    await page.goto(`${origin}/page`);
    await page.addScriptTag({ content: await bundleClient('index.ts', 'files/index.ts') });
    return page;
  }
  const getAccess = () => ({ url: server.url, login: server.login });

  /** Uploads a picture and an avatar in a page, shows both, and returns their widths there; 0: not shown. */
  async function showPictures(page: Awaited<ReturnType<typeof open>>, crossOrigin: string | null) {
    return page.evaluate(
      async ({ url, login, crossOrigin }) => {
        const { createClient, fileUrl } = window.parley;
        const client = createClient(url, { login });
        const canvas = new OffscreenCanvas(64, 64);
        canvas.getContext('2d')?.fillRect(0, 0, 64, 64);
        const file = new File([await canvas.convertToBlob()], 'black.png');
        const { uri } = await client.uploadFile({ file });
        const { avatar_url } = await client.uploadAvatar({ file });
        const show = async (address: string) => {
          const image = Object.assign(new Image(), { crossOrigin, src: await fileUrl(client, address) });
          return image.decode().then(
            () => image.naturalWidth,
            () => 0,
          );
        };
        return { upload: await show(uri), avatar: await show(avatar_url) };
      },
      { ...getAccess(), crossOrigin },
    );
  }

  test('fileUrl gives an <img> a picture of a message, and avatars', async () => {
    const page = await open();
    expect(await showPictures(page, null)).toEqual({ upload: 64, avatar: 100 });
    await page.close();
  });

  test('a page of another site that the organization allows, which the error of the client names, shows them with crossorigin="anonymous"', async () => {
    // A page that playwright serves itself counts as one of the internet, from which Chromium blocks requests to this
    // machine.
    const site = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(html));
    await once(site.listen(0, '127.0.0.1'), 'listening');
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const page = await open(origin);
    const rejected = await page.evaluate(async ({ url, login }) => {
      const client = window.parley.createClient(url, { login, retries: 0 });
      return client.getOwnUser().catch((error: Error) => error.message);
    }, getAccess());
    expect(rejected).toContain(`is ${origin} among its allowed_origins?`);
    await parley.createClient(server.url, { login: server.login }).updateRealm({ allowed_origins: [origin] });
    expect(await showPictures(page, 'anonymous')).toEqual({ upload: 64, avatar: 100 });
    expect(await showPictures(page, null)).toMatchObject({ upload: 0 });
    await page.close();
    site.close();
  });

  test('the progress of an upload goes from zero to the full size, and the response is as without progress', async () => {
    const page = await open();
    // Chromium reports progress every 50 ms, and a fast machine sends the file in less.
    const network = await page.context().newCDPSession(page);
    const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 40_000_000 };
    await network.send('Network.emulateNetworkConditions', conditions);
    const { steps, name, size, status } = await page.evaluate(async ({ url, login }) => {
      const { createClient, createProgressFetch } = window.parley;
      const steps: files.UploadProgress[] = [];
      const client = createClient(url, { login, name: 'Page' });
      const file = new File([new Uint8Array(20_000_000)], 'large.bin');
      const progress = createProgressFetch((step) => steps.push(step));
      const { response } = await client.uploadFile({ file }, { fetch: progress }).withResponse();
      const { attachments } = await client.getAttachments();
      return { steps, status: response.status, name: attachments.at(-1)?.name, size: attachments.at(-1)?.size };
    }, getAccess());
    const total = steps[0]?.total ?? 0;
    expect({ name, size, status }).toEqual({ name: 'large.bin', size: 20_000_000, status: 200 });
    expect(total).toBeGreaterThan(20_000_000);
    expect(steps[0]).toEqual({ sent: 0, total });
    expect(steps.at(-1)).toEqual({ sent: total, total });
    expect(steps.length).toBeGreaterThan(2);
    for (const [index, step] of steps.entries()) expect(step.sent).toBeGreaterThanOrEqual(steps[index - 1]?.sent ?? 0);
    await page.close();
  });

  test('an upload with progress can be aborted, rejected by the server, and fail like others', async () => {
    const page = await open();
    const outcomes = await page.evaluate(async ({ url, login }) => {
      const { createClient, createProgressFetch, ParleyError, TransportError } = window.parley;
      const client = createClient(url, { login });
      const large = new File([new Uint8Array(8_000_000)], 'large.bin');
      const ending = new AbortController();
      const end = createProgressFetch(() => ending.abort());
      const reasonOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);
      const aborted = await reasonOf(client.uploadFile({ file: large }, { fetch: end, signal: ending.signal }));
      const quiet = createProgressFetch(() => {});
      const refused = await reasonOf(client.uploadFile({ file: new File([], 'empty.txt') }, { fetch: quiet }));
      const nowhere = createClient('http://localhost:1', { login, retries: 0 });
      const lost = await reasonOf(nowhere.uploadFile({ file: large }, { fetch: quiet }));
      const wrong = createClient(url, { login: { email: login.email, apiKey: 'x'.repeat(32) } });
      const unauthenticated = await reasonOf(wrong.uploadFile({ file: large }, { fetch: quiet }));
      const throwing = createProgressFetch(({ sent }) => {
        if (sent > 0) throw new Error('The page was removed.');
      });
      const thrown = await reasonOf(client.uploadFile({ file: large }, { fetch: throwing }));
      return {
        aborted: (aborted as Error).name,
        refused: ParleyError.is(refused, 'BAD_REQUEST'),
        lost: lost instanceof TransportError,
        unauthenticated: ParleyError.is(unauthenticated, 'INVALID_API_KEY'),
        thrown: thrown instanceof Error,
      };
    }, getAccess());
    expect(outcomes).toMatchObject({
      aborted: 'AbortError',
      refused: true,
      lost: true,
      unauthenticated: true,
      thrown: true,
    });
    await page.close();
  });
});
