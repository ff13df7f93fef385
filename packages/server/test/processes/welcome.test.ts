// `GET /`: the first page for a browser, and which hosts get no API keys.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findings } from '../docs/site.ts';
import { inChromium } from '../in-chromium.ts';
import {
  createEmbeddedEnvironment,
  createRealm,
  endServers,
  type Process,
  parley,
  startServer,
  type TestEnvironment,
} from '../parley.ts';

vi.setConfig({ testTimeout: 180_000 });
afterAll(endServers);

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const KEY = /\b[A-Za-z0-9]{32}\b/g;

interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** `fetch` sets the Host header itself. */
async function get(server: Process, headers: Record<string, string>, method = 'GET'): Promise<Response> {
  const { port } = new URL(server.url);
  const sent = request({ host: '127.0.0.1', port, path: '/', method, headers }).end();
  const [response] = await once(sent, 'response');
  let body = '';
  for await (const part of response) body += part;
  return { status: response.statusCode, headers: response.headers, body };
}

const unescaped = (html: string): string =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

const commandsOn = (html: string): string[] =>
  [...html.matchAll(/<pre><code>(.*?)<\/code><\/pre>/gs)].map(([, text = '']) => unescaped(text));

describe('the first page of a demo', () => {
  let environment: TestEnvironment;
  let server: Process;
  let host: string;
  beforeAll(async () => {
    environment = await createEmbeddedEnvironment();
    server = await startServer(environment.variables, 'dev');
    host = `localhost:${new URL(server.url).port}`;
  });
  afterAll(async () => {
    await server.end('SIGTERM');
    await environment.remove();
  });
  const shell = async (lines: string) => JSON.parse((await promisify(execFile)('sh', ['-c', lines])).stdout);

  test('shows each user with their role, email and a valid key, and has links to the next steps', async () => {
    const { status, headers, body } = await get(server, { Host: host, Accept: BROWSER });
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain('<h1>Parley Demo</h1>');
    for (const path of ['/docs/quickstart/', '/docs/reference/', '/openapi.json', '/livez', '/readyz']) {
      expect(body).toContain(`href="${path}"`);
      expect((await fetch(`${server.url}${path}`)).status, path).toBe(200);
    }
    const users = [
      ...body.matchAll(/<tr><th scope="row">(.*?)<\/th><td>(.*?)<\/td><td>(.*?)<\/td><td><code>(.*?)<\/code>/g),
    ];
    expect(users.map(([, name, role]) => `${name} ${role}`)).toEqual([
      'Desdemona owner',
      'Iago administrator',
      'Shiva moderator',
      'Hamlet member',
      'Cordelia member',
      'Polonius guest',
    ]);
    for (const [, name, , email, key] of users) {
      const me = await shell(`curl -s -u ${email}:${key} http://${host}/api/v1/users/me`);
      expect(me).toMatchObject({ result: 'success', full_name: name });
    }
  });

  test('has commands that work when pasted into a shell', async () => {
    const { body } = await get(server, { Host: host, Accept: BROWSER });
    const [send = '', read = '', wait = ''] = commandsOn(body);
    expect(commandsOn(body)).toHaveLength(3);
    expect(await shell(send)).toMatchObject({ result: 'success', id: expect.any(Number) });
    const { messages } = await shell(read);
    expect(messages.at(-1)).toMatchObject({
      sender_full_name: 'Hamlet',
      content: '<p>Soup of the day: <strong>pea</strong>.</p>',
    });
    const waiting = spawn('sh', ['-c', wait], { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    waiting.stdout.on('data', (part) => (printed += part));
    const ended = once(waiting, 'close');
    // A queue delivers messages that are sent after it was registered, so the message is sent until the wait ends.
    await vi.waitFor(
      async () => {
        await shell(send);
        expect(printed).not.toBe('');
      },
      { timeout: 60_000, interval: 500 },
    );
    await ended;
    // On a slow machine several are sent between the registration and the poll.
    const { result, events } = JSON.parse(printed) as { result: string; events: object[] };
    expect(result).toBe('success');
    expect(events.length).toBeGreaterThan(0);
    for (const event of events)
      expect(event).toMatchObject({ type: 'message', message: { sender_full_name: 'Hamlet' } });
  });

  test('has no script, and cannot be cached, framed or read by another site', async () => {
    const { headers, body } = await get(server, { Host: host, Accept: BROWSER, Origin: 'https://evil.example.com' });
    expect(body).not.toMatch(/<script|\son\w+=/i);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
      vary: expect.stringContaining('Accept'),
    });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  test.each(['evil.example.com', '127.0.0.1', 'localhost.evil.example.com', 'acme.localhost'])(
    'shows neither a key nor the demo under the host name %s, which anyone may point at this server',
    async (name) => {
      const { status, body } = await get(server, { Host: name, Accept: BROWSER });
      expect(status).toBe(404);
      expect(body).toContain(
        `There is no organization at this address. Those of this server are at <a href="http://${host}/">`,
      );
      expect(body).not.toContain('Desdemona');
      expect(body.match(KEY)).toBe(null);
    },
  );

  test('is JSON without keys for a program', async () => {
    for (const headers of [{ Accept: 'application/json' }, { Accept: '*/*' }]) {
      const { status, body } = await get(server, { Host: host, ...headers });
      expect([status, JSON.parse(body)]).toEqual([
        200,
        {
          name: 'Parley Demo',
          url: `http://${host}`,
          links: {
            api: `http://${host}/api/v1`,
            quickstart: `http://${host}/docs/quickstart/`,
            reference: `http://${host}/docs/reference/`,
            openapi: `http://${host}/openapi.json`,
            live: `http://${host}/livez`,
            ready: `http://${host}/readyz`,
          },
        },
      ]);
      expect(body.match(KEY)).toBe(null);
    }
  });

  test('HEAD has the headers of GET and no body', async () => {
    const [head, whole] = [
      await get(server, { Host: host, Accept: BROWSER }, 'HEAD'),
      await get(server, { Host: host, Accept: BROWSER }),
    ];
    expect([head.status, head.body, head.headers['content-length']]).toEqual([
      200,
      '',
      String(Buffer.byteLength(whole.body)),
    ]);
  });

  inChromium('in a browser', (executablePath) => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    });
    afterAll(() => browser.close());

    test.each([
      ['light', 1280],
      ['dark', 1280],
      ['light', 390],
      ['dark', 390],
    ] as const)(
      '%s, %i pixels wide: axe finds no problem, and the page is no wider than the window',
      async (colorScheme, width) => {
        const page = await (await browser.newContext({ colorScheme, viewport: { width, height: 900 } })).newPage();
        const problems: string[] = [];
        page.on('console', (message) => void problems.push(message.text()));
        await page.goto(`http://${host}/`);
        expect(await findings(page, [])).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
        // The favicon that the browser requests by itself does not exist.
        expect(problems.filter((text) => !text.includes('404'))).toEqual([]);
        await page.close();
      },
    );
  });
});

describe('the first page of a production server', () => {
  let environment: TestEnvironment;
  let server: Process;
  beforeAll(async () => {
    environment = await createEmbeddedEnvironment();
    await createRealm(environment.variables, 'acme');
    await parley(['realm', 'set', 'acme', 'name', '<b>Soup & Co.</b>'], environment.variables);
    server = await startServer(environment.variables);
  });
  afterAll(async () => {
    await server.end('SIGTERM');
    await environment.remove();
  });

  test('names the organization, escaped, with links and no key', async () => {
    const { status, body } = await get(server, { Host: 'acme.localhost', Accept: BROWSER });
    expect(status).toBe(200);
    expect(body).toContain('<h1>&lt;b&gt;Soup &amp; Co.&lt;/b&gt;</h1>');
    expect(body).not.toContain('<b>');
    expect(body).toContain('href="/docs/quickstart/"');
    expect([body.match(KEY), commandsOn(body)]).toEqual([null, []]);
  });

  test.each(['localhost', 'other.localhost', 'evil.example.com'])(
    'returns 404 for %s, where there is no organization',
    async (name) => {
      const page = await get(server, { Host: name, Accept: BROWSER });
      expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      // The base domain has no link to itself.
      expect(page.body.includes('<a href')).toBe(name !== 'localhost');
      const { status, body } = await get(server, { Host: name, Accept: 'application/json' });
      expect([status, JSON.parse(body).code]).toEqual([404, 'NONEXISTENT_SUBDOMAIN']);
    },
  );
});
