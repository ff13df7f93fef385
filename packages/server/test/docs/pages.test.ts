// How the pages at /docs look, their size, and their content without scripts.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { inChromium } from '../in-chromium.ts';
import { type DocsServer, findings, openSite } from './site.ts';

vi.setConfig({ testTimeout: 180_000 });
const PAGES = new URL('../../../../apps/docs/dist/', import.meta.url);
const LIMIT = 100 * 1024;

/** One page of each kind. */
const templates = [
  '',
  'quickstart/',
  'guides/errors/',
  'guides/benchmarks/',
  'guides/faults/',
  'statements/',
  'behaviour/messages/',
  'changelog/',
  'reference/',
  'reference/permissions/',
  'reference/sendMessage/',
  'reference/uploadCustomEmoji/',
  'objects/',
  'objects/Message/',
  'events/message/',
  'events/typing/',
  'errors/BAD_REQUEST/',
  '404.html',
];
/**
 * Both colours and both widths. Each look takes half a minute, and the colours do not depend on the width: the long
 * tests take all four.
 */
const looks: [string, BrowserContextOptions][] = [
  ['light', { colorScheme: 'light', viewport: { width: 1440, height: 900 } }],
  ['dark, on a telephone', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
];
if (process.env.PARLEY_TEST_LONG) {
  looks.push(['dark', { colorScheme: 'dark', viewport: { width: 1440, height: 900 } }]);
  looks.push(['light, on a telephone', { colorScheme: 'light', viewport: { width: 390, height: 844 } }]);
}

inChromium('the pages in a browser', (executablePath) => {
  let site: DocsServer;
  beforeAll(async () => {
    site = await openSite(executablePath);
  });
  afterAll(() => site.close());

  describe.each(looks)('%s', (_name, look) => {
    test('have no problem that axe finds, load nothing from elsewhere, and are never wider than the window', async () => {
      const { page, faults } = await site.pageOf(look);
      for (const path of templates) {
        await site.opened(page, path);
        // The sidebar is the same on all of them.
        const beside = path === '' || path === 'reference/' ? [] : ['.sidebar-pane'];
        expect(await findings(page, beside), path).toEqual([]);
        const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        expect(wide, path).toBeLessThanOrEqual(window ?? 0);
      }
      expect(faults).toEqual([]);
      await page.context().close();
    });

    test('have a console and a search box without problems that axe finds', async () => {
      const { page, faults } = await site.pageOf(look);
      await site.openConsole(page, 'sendMessage');
      await page.fill('#console-to', 'general');
      await page.click('.console .send');
      await page.waitForSelector('.console .received');
      for (const more of await page.locator('.console details').all()) await more.locator('summary').click();
      expect(await findings(page)).toEqual([]);
      await page.keyboard.press('Control+k');
      await page.keyboard.type('message');
      await page.waitForSelector('site-search li');
      expect(await findings(page)).toEqual([]);
      expect(faults).toEqual([]);
      await page.context().close();
    });
  });

  test('have all their content without JavaScript', async () => {
    const { page } = await site.pageOf();
    for (const path of templates) {
      await site.opened(page, path);
      const [plain, made] = await page.evaluate(textsOfMain);
      expect(plain, path).toBe(made);
      expect(plain?.length, path).toBeGreaterThan(40);
    }
    await page.context().close();
  });

  test('name their own server in the samples', async () => {
    const { page } = await site.pageOf();
    await site.opened(page, 'reference/sendMessage/');
    const samples = await page.locator('.samples .panel code').allTextContents();
    expect(samples).toHaveLength(3);
    for (const sample of samples) {
      expect(sample).toContain(site.url);
      expect(sample).not.toContain('localhost:8080');
    }
    await page.context().close();
  });

  test('of statements fit a tablet, and list their sections', async () => {
    const { page } = await site.pageOf({ viewport: { width: 768, height: 1024 } });
    await site.opened(page, 'statements/');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(768);
    const listed = await page
      .locator('mobile-starlight-toc a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    expect(listed).toContain('#section-1');
    expect(listed.length).toBe(1 + (await page.locator('main h2[id^="section-"]').count()));
    await page.context().close();
  });

  test('keep the operation visible while its row in the matrix is scrolled', async () => {
    const { page } = await site.pageOf({ viewport: { width: 390, height: 844 } });
    await site.opened(page, 'reference/permissions/');
    const matrix = page.locator('.matrix').first();
    const name = matrix.locator('tbody th').first();
    const before = await name.boundingBox();
    await matrix.evaluate((table) => table.scrollTo({ left: 200 }));
    expect(await matrix.evaluate((table) => table.scrollLeft)).toBeGreaterThan(0);
    expect((await name.boundingBox())?.x).toBe(before?.x);
    await page.context().close();
  });

  test('report that the search could not be loaded, and try again', async () => {
    const { page } = await site.pageOf();
    await page.route('**/search.json', (route) => route.abort());
    await site.opened(page, 'quickstart/');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('429');
    const status = page.locator('site-search .status');
    await expect.poll(() => status.textContent()).toContain('could not be loaded');
    await page.unroute('**/search.json');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('9');
    await page.waitForSelector('site-search li');
    expect(await page.locator('site-search li').first().textContent()).toContain('RATE_LIMIT_HIT');
    await page.context().close();
  });

  test('show no button that needs JavaScript where there is none, and all their text', async () => {
    const { page } = await site.pageOf({ javaScriptEnabled: false });
    await site.opened(page, 'reference/sendMessage/');
    expect(await page.locator('.console .open').isVisible()).toBe(false);
    for (const part of ['#parameters', '#response', '#errors', '#permissions', '#request-sample', '#parameter-content'])
      expect(await page.locator(part).isVisible(), part).toBe(true);
    await page.click('label[for="sample-fetch"]');
    expect(await page.locator('.panel[data-sample="fetch"]').isVisible()).toBe(true);
    await page.context().close();
  });

  test('of the reference weigh at most 100 KB each, as they are sent', async () => {
    const { page } = await site.pageOf();
    const devtools = await page.context().newCDPSession(page);
    const sizes: number[] = [];
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => sizes.push(encodedDataLength));
    await devtools.send('Network.enable');
    const path = 'reference/sendMessage/';
    await site.opened(page, path);
    await page.waitForLoadState('networkidle');
    const whole = sizes.reduce((sum, size) => sum + size, 0);
    expect(whole).toBeLessThanOrEqual(LIMIT);
    // What the pages share was sent with this one; each has its own text besides.
    const textOf = (name: string) => gzipSync(readFileSync(new URL(`${name}index.html`, PAGES))).length;
    const shared = whole - textOf(path);
    const operations = readdirSync(new URL('reference/', PAGES), { withFileTypes: true }).filter((one) =>
      one.isDirectory(),
    );
    const heavy = operations
      .map(({ name }) => [name, shared + textOf(`reference/${name}/`)] as const)
      .filter(([, size]) => size > LIMIT);
    expect(operations.length).toBeGreaterThan(100);
    expect(heavy).toEqual([]);
    await page.context().close();
  });
});

/** The text of the page as it was sent and as scripts changed it, without parts that only scripts can show. */
async function textsOfMain(): Promise<string[]> {
  const sent = await (await fetch(location.href)).text();
  const plain = new DOMParser().parseFromString(sent, 'text/html');
  return [plain, document].map((page) => {
    const main = page.querySelector('main')?.cloneNode(true) as HTMLElement;
    for (const tool of main.querySelectorAll('.console, .copy, script, mobile-starlight-toc')) tool.remove();
    // Samples name another server until a script sets the own one.
    return (main.textContent ?? '').replaceAll('http://localhost:8080', location.origin).replace(/\s+/g, ' ').trim();
  });
}
