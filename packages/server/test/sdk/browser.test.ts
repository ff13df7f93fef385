// The client in a real browser, on a page of the server's own origin.
import type * as parley from '@parley/client';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { bundleClient } from '../fixtures/client-in-browser.ts';
import { inChromium } from '../in-chromium.ts';

declare const window: { parley: typeof parley };

test('the client is one script for browsers, without modules of Node', async () => {
  expect(await bundleClient('index.ts')).not.toMatch(/node:|require\(/);
});

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

  async function open() {
    const page = await running.newPage();
    const html = { contentType: 'text/html', body: '<!doctype html><title>Parley</title>' };
    await page.route(`${server.url}/page`, (route) => route.fulfill(html));
    await page.goto(`${server.url}/page`);
    await page.addScriptTag({ content: await bundleClient('index.ts') });
    return page;
  }
  const getAccess = () => ({ url: server.url, login: server.login });

  test('messages are sent and received, and leaving the loop ends its queue', async () => {
    const page = await open();
    const heard = await page.evaluate(async ({ url, login }) => {
      const client = window.parley.createClient(url, { login, name: 'Page' });
      await client.subscribe({ subscriptions: [{ name: 'kitchen', description: 'ä & "ö"' }] });
      const events = client.events({ types: ['message'], narrow: [['topic', 'soup']] });
      await events.open();
      const key = { idempotencyKey: crypto.randomUUID() };
      const words = ['one', 'two'];
      for (const content of words) await client.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content });
      await client.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content: 'three' }, key);
      await client.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content: 'three' }, key);
      const contents: string[] = [];
      for await (const event of events) {
        if (event.type === 'message') contents.push(event.message.content);
        if (contents.length === 3) break;
      }
      return contents;
    }, getAccess());
    expect(heard).toEqual(['one', 'two', 'three']);
    await page.close();
  });

  test('errors are narrowed by their code, calls are aborted and files are sent', async () => {
    const page = await open();
    const seen = await page.evaluate(async ({ url, login }) => {
      const { createClient, ParleyError } = window.parley;
      const client = createClient(url, { login });
      const errorResponse = await client.deleteQueue({ queue_id: '0:0' }).catch((error: unknown) => error);
      const ending = new AbortController();
      const next = client.events({ signal: ending.signal }).next();
      ending.abort();
      const canvas = new OffscreenCanvas(64, 64);
      canvas.getContext('2d')?.fillRect(0, 0, 64, 64);
      await client.uploadCustomEmoji({ name: 'black', file: await canvas.convertToBlob() });
      const { emoji } = await client.getCustomEmoji();
      return {
        queue: ParleyError.is(errorResponse, 'BAD_EVENT_QUEUE_ID') && errorResponse.body.queue_id,
        done: (await next).done,
        emoji: Object.values(emoji).map(({ name }) => name),
      };
    }, getAccess());
    expect(seen).toEqual({ queue: '0:0', done: true, emoji: ['black'] });
    await page.close();
  });

  test('events come once while the network goes off and on', async () => {
    const page = await open();
    await page.evaluate(({ url, login }) => {
      const client = window.parley.createClient(url, { login });
      const events = client.events({ types: ['message'], narrow: [['topic', 'bread']] });
      const heard: string[] = [];
      const done = (async () => {
        for await (const event of events) {
          if (event.type !== 'message') heard.push(event.type);
          else if (event.message.content === 'end') return heard;
          else heard.push(event.message.content);
        }
        return heard;
      })();
      Object.assign(window, { done });
      return events.open();
    }, getAccess());
    const { createClient } = await import('@parley/client');
    const client = createClient(server.url, { login: server.login });
    const say = (content: string) => client.sendMessage({ type: 'stream', to: 'kitchen', topic: 'bread', content });
    await say('before');
    await page.context().setOffline(true);
    await say('meanwhile');
    await page.context().setOffline(false);
    await say('after');
    await say('end');
    expect(await page.evaluate(() => (window as unknown as { done: Promise<string[]> }).done)).toEqual([
      'before',
      'meanwhile',
      'after',
    ]);
    await page.close();
  });
});
