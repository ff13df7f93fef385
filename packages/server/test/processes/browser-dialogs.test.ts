// Browsers ask for a password in a dialog of their own when a response has a challenge that they know.
import type * as parley from '@parley/client';
import { chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { bundleClient } from '../fixtures/client-in-browser.ts';
import { inChromium } from '../in-chromium.ts';
import { createEmbeddedEnvironment, createRealm, endServers, startServer, type TestEnvironment } from '../parley.ts';

declare const window: { parley: typeof parley };

/** Hosts of a server. Over plain HTTP, browsers send `Sec-Fetch-Dest` only to the machine itself. */
const hosts = ['localhost', 'parley.test'];
const path = '/api/v1/users/me';

inChromium('in Chromium', (executablePath) => {
  let environment: TestEnvironment;
  let running: Awaited<ReturnType<typeof chromium.launch>>;
  beforeAll(async () => {
    environment = await createEmbeddedEnvironment();
    await createRealm(environment.variables);
    const args = ['--no-sandbox', '--host-resolver-rules=MAP parley.test 127.0.0.1'];
    running = await chromium.launch({ executablePath, args });
  });
  afterAll(async () => {
    await running.close();
    await environment.remove();
  });
  afterEach(endServers);

  /** The origin of a server whose base domain is `host`. */
  async function originOf(host: string): Promise<string> {
    const { url } = await startServer({ ...environment.variables, PARLEY_BASE_DOMAIN: host });
    return `http://${host}:${new URL(url).port}`;
  }

  /** The addresses for which the browser would open a dialog; it gets no password. */
  async function noteDialogs(page: Page): Promise<string[]> {
    const addresses: string[] = [];
    const network = await page.context().newCDPSession(page);
    // Requests that the page no longer makes, such as those of a page that was left, cannot go on.
    const goOn = (requestId: string) => network.send('Fetch.continueRequest', { requestId }).catch(() => {});
    network.on('Fetch.requestPaused', ({ requestId }) => void goOn(requestId));
    network.on('Fetch.authRequired', ({ requestId, request }) => {
      addresses.push(request.url);
      void network.send('Fetch.continueWithAuth', { requestId, authChallengeResponse: { response: 'CancelAuth' } });
    });
    await network.send('Fetch.enable', { handleAuthRequests: true });
    return addresses;
  }

  test.each(hosts)(
    'only opening an address of the API of a server at %s opens a dialog, and requests of its pages open none',
    async (host) => {
      const origin = await originOf(host);
      const page = await running.newPage({ bypassCSP: true });
      await page.goto(`${origin}/docs/`);
      await page.addScriptTag({ content: await bundleClient('index.ts') });
      const addresses = await noteDialogs(page);
      const statuses = await page.evaluate(async (address) => {
        const plain = await fetch(address);
        const included = await fetch(address, { credentials: 'include' });
        const wrong = await fetch(address, { headers: { Authorization: `Basic ${btoa('olga@example.com:wrong')}` } });
        const old = await new Promise<number>((resolve) => {
          const request = new XMLHttpRequest();
          request.open('GET', address);
          request.onloadend = () => resolve(request.status);
          request.send();
        });
        await new Promise((resolve) => {
          Object.assign(new Image(), { src: address, onload: resolve, onerror: resolve });
        });
        const client = window.parley.createClient(location.origin, {
          login: { email: 'olga@example.com', apiKey: 'x'.repeat(32) },
        });
        const sdk = await client.getOwnUser().catch((error: parley.ParleyError) => error.status);
        return [plain.status, included.status, wrong.status, old, sdk];
      }, origin + path);
      expect([statuses, addresses]).toEqual([[401, 401, 401, 401, 401], []]);
      await page.goto(origin + path);
      expect(addresses).toEqual([origin + path]);
      await page.close();
    },
  );
});
