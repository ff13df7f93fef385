// The server as the machinery around it sees it: health, metrics and the document.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { App } from '../../src/app.ts';
import { readConfig } from '../../src/config/index.ts';
import { createLog } from '../../src/core/log.ts';
import { transact } from '../../src/core/transaction.ts';
import { queueEmail } from '../../src/features/mail/index.ts';
import { createRealm as found } from '../../src/features/user-admin/index.ts';
import { type Running, start } from '../../src/main.ts';
import { openPostOffice } from '../mail-server.ts';
import { createEmbeddedEnvironment, createUnmigratedEnvironment, endServers, type TestEnvironment } from '../parley.ts';

vi.setConfig({ testTimeout: 180_000 });
afterAll(endServers);

function startHere(environment: TestEnvironment, more: Record<string, string> = {}): Promise<Running> {
  const config = readConfig({ ...environment.variables, PARLEY_PORT: '0', PARLEY_DRAIN: '0', ...more });
  const run = async () => ({ code: 0, stdout: [], stderr: [] });
  return start(config, { command: 'parley serve', log: createLog('silent'), run });
}

const someRealm = async (app: App) => {
  const owner = { email: 'olga@example.com', full_name: 'Olga Owner', password: 'correct horse battery staple' };
  const caller = { realm: undefined, me: undefined, client: 'ParleyTest' };
  const { realm } = await transact(app, caller, (ctx) =>
    found(ctx, app.serverAddress, { subdomain: '', name: 'Testing', owner }),
  );
  return realm;
};

describe('the service endpoints', () => {
  let environment: TestEnvironment;
  let server: Running;
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}${path}`, { redirect: 'manual', headers });
  beforeAll(async () => {
    environment = await createEmbeddedEnvironment();
    server = await startHere(environment, { PARLEY_METRICS_PORT: '0' });
  });
  afterAll(async () => {
    await server.close();
    await environment.remove();
  });

  test('/livez and /readyz return 200', async () => {
    expect([(await get('/livez')).status, (await get('/readyz')).status]).toEqual([200, 200]);
  });

  test('/docs is sent compressed, and shared files of pages are cached for good', async () => {
    const page = await get('/docs/quickstart/');
    expect([page.headers.get('content-encoding'), page.headers.get('cache-control')]).toEqual([
      'gzip',
      'public, max-age=0',
    ]);
    const text = await page.text();
    const [part = ''] = /\/docs\/_astro\/[^"]+\.css/.exec(text) ?? [];
    expect((await get(part)).headers.get('cache-control')).toBe('public, max-age=31104000, immutable');
    const plain = await get('/docs/quickstart/', { 'Accept-Encoding': 'identity' });
    expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([null, 'Accept-Encoding']);
    expect(await plain.text()).toBe(text);
    // Without this header `fetch` bypasses caches.
    const conditional = { 'If-None-Match': page.headers.get('etag') ?? '', 'Cache-Control': 'max-age=0' };
    const again = await get('/docs/quickstart/', conditional);
    expect(again.status).toBe(304);
  });

  test('an unknown path under /docs is a page for a browser, and an error response for a program', async () => {
    const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
    const page = await get('/docs/nope', browser);
    expect([page.status, page.headers.get('content-type'), page.headers.get('content-security-policy')]).toEqual([
      404,
      expect.stringContaining('text/html'),
      expect.stringContaining("default-src 'self'"),
    ]);
    expect(await page.text()).toContain('Page not found');
    const errorResponse = await get('/docs/nope');
    expect([errorResponse.status, await errorResponse.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'NOT_FOUND' }),
    ]);
  });

  test.each(['objects', 'events', 'errors', 'guides'])('/docs/%s/ is a list', async (name) => {
    expect((await get(`/docs/${name}/`)).status).toBe(200);
  });

  test('/docs/demo.json has no users where there is no demo organization', async () => {
    expect(await (await get('/docs/demo.json')).json()).toEqual({ users: [] });
  });

  test('/openapi.json and /openapi.yaml are the document that is enforced', async () => {
    const json = (await (await get('/openapi.json')).json()) as { openapi: string; paths: object };
    expect(json.openapi).toBe('3.1.0');
    expect(Object.keys(json.paths)).toContain('/messages');
    const yaml = await get('/openapi.yaml');
    expect(yaml.headers.get('content-type')).toMatch(/yaml/);
    expect(await yaml.text()).toMatch(/^openapi: 3\.1\.0/m);
  });

  // shows: 4.21.13
  test('/avatar and /icon are pictures that differ by id and can be cached', async () => {
    const [one, same, other, icon] = await Promise.all(
      ['/avatar/7', '/avatar/7', '/avatar/8', '/icon/7'].map((path) => get(path)),
    );
    expect(one?.headers.get('content-type')).toMatch(/^image\/svg\+xml/);
    expect(one?.headers.get('cache-control')).toMatch(/max-age=\d{5}/);
    const texts = await Promise.all([one, same, other, icon].map((answer) => answer?.text()));
    expect(texts[0]).toBe(texts[1]);
    expect(new Set(texts).size).toBe(3);
    expect((await get('/avatar/ada')).status).toBe(404);
  });

  test('/metrics is served on its own port only, and counts requests by operation and status', async () => {
    await fetch(`${server.url}/api/v1/users/me`);
    const page = await (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).text();
    expect(page).toMatch(/^parley_requests_total\{operation="getOwnUser",status="404"\} 1$/m);
    expect(page).toMatch(/^parley_request_duration_seconds_count\{operation="getOwnUser"\} 1$/m);
    expect(page).toMatch(/^parley_waiting_polls 0$/m);
    expect((await get('/metrics')).status).toBe(404);
  });

  test('/metrics has the numbers of emails that were sent, that failed, and that wait', async () => {
    const office = await openPostOffice();
    const posting = await createEmbeddedEnvironment();
    const sender = await startHere(posting, { PARLEY_METRICS_PORT: '0', PARLEY_MAIL: office.url });
    const { app } = sender;
    const realm = await someRealm(app);
    const write = () =>
      transact(app, { realm, me: undefined, client: 'ParleyTest' }, (ctx) =>
        queueEmail(ctx, { to: 'ada@example.com', subject: 'Soup', text: 'It is ready.' }),
      );
    const figures = async () => {
      const page = await (await fetch(`http://127.0.0.1:${sender.metricsPort}/metrics`)).text();
      const figure = (name: string) =>
        Number(
          page
            .split('\n')
            .find((line) => line.startsWith(`${name} `))
            ?.split(' ')[1],
        );
      return ['emails_total{outcome="sent"}', 'emails_total{outcome="failed"}', 'emails_waiting'].map((name) =>
        figure(`parley_${name}`),
      );
    };
    // The page omits the waiting ones when the database takes long to count them.
    await vi.waitFor(async () => expect(await figures()).toEqual([0, 0, 0]), { timeout: 60_000 });
    await write();
    await vi.waitFor(async () => expect(await figures()).toEqual([1, 0, 0]), { timeout: 60_000 });
    office.refuse({ responseCode: 451 });
    await write();
    await vi.waitFor(async () => expect(await figures()).toEqual([1, 1, 1]), { timeout: 60_000 });
    await sender.close();
    await posting.remove();
    await office.close();
  });

  test('an unknown path is 404 in the response envelope', async () => {
    expect(await (await get('/nothing')).json()).toMatchObject({ result: 'error', code: 'NOT_FOUND' });
  });

  test('a second server on the same directory fails and names the process that has it', async () => {
    const second = await startHere(environment).catch((error: unknown) => error);
    expect(second).toMatchObject({ name: 'DirectoryInUse', holder: { pid: process.pid, command: 'parley serve' } });
  });

  test('the error names a port that is in use', async () => {
    const other = await createEmbeddedEnvironment();
    const failed = startHere(other, { PARLEY_PORT: new URL(server.url).port });
    await expect(failed).rejects.toThrow(/PARLEY_PORT.*EADDRINUSE/);
    await other.remove();
  });
});

test('without its migrations a server is alive but not ready, with the reason; PARLEY_DOCS=off hides the reference', async () => {
  const environment = await createUnmigratedEnvironment();
  const server = await startHere(environment, { PARLEY_MIGRATE: 'off', PARLEY_DOCS: 'off' });
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  const ready = await fetch(`${server.url}/readyz`);
  expect(ready.status).toBe(503);
  await expect
    .poll(async () => (await fetch(`${server.url}/readyz`)).json(), { timeout: 60_000 })
    .toMatchObject({ reason: expect.stringMatching(/migrat/) });
  expect((await fetch(`${server.url}/docs/`)).status).toBe(404);
  await server.close();
  await environment.remove();
});
