// The pages at /docs in a browser, with a demo as their server.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { createListener } from '../../src/http/listener.ts';
import { createServer } from '../../src/http/server.ts';
import { serviceLayers } from '../../src/http/service.ts';
import { startDemo } from '../demo.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export type DocsServer = Awaited<ReturnType<typeof openSite>>;

export async function openSite(executablePath: string) {
  const demo = await startDemo();
  const layers = serviceLayers({
    app: demo.app,
    health: { draining: false },
    docs: true,
    demo: async () => demo.demoUsers,
  });
  const listener = createListener(createServer(demo.app, layers)).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const url = `http://localhost:${(listener.address() as AddressInfo).port}`;
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });

  const opened = async (page: Page, path: string) => {
    await page.goto(`${url}/docs/${path}`);
    return page;
  };

  return {
    demo,
    url,
    opened,
    /** A page, and its problems: requests to other servers, violations of the policy, and errors. */
    async pageOf(options: BrowserContextOptions = {}): Promise<{ page: Page; faults: string[] }> {
      const page = await (await browser.newContext(options)).newPage();
      const faults: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith(url)) faults.push(`asks elsewhere: ${request.url()}`);
      });
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) faults.push(message.text());
      });
      page.on('pageerror', (error) => faults.push(error.message));
      return { page, faults };
    },
    async openConsole(page: Page, operation: string): Promise<void> {
      // Going to the URL of the page itself reloads it.
      await page.goto('about:blank');
      await opened(page, `reference/${operation}/`);
      await page.click('.console .open');
      await page.waitForSelector('.console .room .send');
    },
    async close(): Promise<void> {
      await browser.close();
      listener.closeAllConnections();
      listener.close();
      await demo.close();
    },
  };
}

/** What axe finds wrong, by rule, with the first place. */
export async function findings(page: Page, beside: string[] = []): Promise<string[]> {
  await page.evaluate(AXE);
  const found = (await page.evaluate(
    `axe.run(${JSON.stringify({ exclude: beside })}, { resultTypes: ['violations'] })`,
  )) as {
    violations: { id: string; nodes: { target: string[]; failureSummary?: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => {
    const [first] = nodes;
    return `${id} (${nodes.length}): ${first?.target.join(' ')}: ${first?.failureSummary}`;
  });
}
