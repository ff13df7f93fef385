// The pages at /docs as a browser has them. Needs Chromium, and says so where there is none.
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { encodeForm } from '@parley/client';
import { type Browser, type BrowserContextOptions, chromium, type Page, type Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createListener } from '../src/http/listener.ts';
import { createServer } from '../src/http/server.ts';
import { serviceLayers } from '../src/http/service.ts';
import { type Demo, startDemo } from './demo.ts';

vi.setConfig({ testTimeout: 180_000 });
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
const PAGES = new URL('../../../apps/docs/dist/', import.meta.url);
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const LIMIT = 100 * 1024;

/** One page for each way in which pages are made. */
const templates = [
  '',
  'quickstart/',
  'guides/errors/',
  'guides/benchmarks/',
  'statements/',
  'changelog/',
  'reference/',
  'reference/who-may/',
  'reference/sendMessage/',
  'reference/uploadCustomEmoji/',
  'objects/',
  'objects/Message/',
  'events/message/',
  'events/typing/',
  'errors/BAD_REQUEST/',
  '404.html',
];
/** Long tables of one kind take seconds to look at: half of the looks will do, in both colours and both widths. */
const long = ['statements/', 'reference/who-may/'];
const looks: [string, BrowserContextOptions][] = [
  ['light', { colorScheme: 'light', viewport: { width: 1440, height: 900 } }],
  ['dark', { colorScheme: 'dark', viewport: { width: 1440, height: 900 } }],
  ['light, on a telephone', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
  ['dark, on a telephone', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
];

if (!CHROMIUM) {
  test('the pages in a browser: there is no Chromium on this machine, so nobody looked', () => {
    console.warn('The pages of the reference were not looked at: Debian’s package chromium is missing.');
  });
} else describe('the pages in a browser', () => inBrowser(CHROMIUM));

function inBrowser(executablePath: string): void {
  let demo: Demo;
  let browser: Browser;
  let url: string;
  let close: () => Promise<void>;

  beforeAll(async () => {
    demo = await startDemo();
    const layers = serviceLayers({
      app: demo.app,
      health: { stopping: false },
      docs: true,
      demo: async () => demo.people,
    });
    const listener = createListener(createServer(demo.app, layers)).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    url = `http://localhost:${(listener.address() as AddressInfo).port}`;
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    close = async () => {
      await browser.close();
      listener.closeAllConnections();
      listener.close();
      await demo.close();
    };
  });
  afterAll(() => close());

  /** A page, and what went wrong on it: what it asks for elsewhere, what the policy forbids, what fails. */
  async function pageOf(options: BrowserContextOptions = {}): Promise<{ page: Page; faults: string[] }> {
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
  }

  const opened = async (page: Page, path: string) => {
    await page.goto(`${url}/docs/${path}`);
    return page;
  };

  async function openConsole(page: Page, operation: string): Promise<void> {
    // To go where one is already is to come back.
    await page.goto('about:blank');
    await opened(page, `reference/${operation}/`);
    await page.click('.console .open');
    await page.waitForSelector('.console .room .send');
  }

  describe.each(looks)('%s', (name, look) => {
    const isWhole = name === 'light' || name === 'dark, on a telephone';
    const shown = templates.filter((path) => isWhole || !long.includes(path));

    test('have nothing that axe finds wrong, nothing from elsewhere, and are never wider than the window', async () => {
      const { page, faults } = await pageOf(look);
      for (const path of shown) {
        await opened(page, path);
        // The sidebar is the same on all of them.
        const beside = path === '' || path === 'reference/' ? [] : ['.sidebar-pane'];
        expect(await findings(page, beside), path).toEqual([]);
        const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        expect(wide, path).toBeLessThanOrEqual(window ?? 0);
      }
      expect(faults).toEqual([]);
      await page.context().close();
    });

    test('have a console and a search box that axe finds nothing wrong with', async () => {
      const { page, faults } = await pageOf(look);
      await openConsole(page, 'sendMessage');
      await page.fill('#console-to', 'general');
      await page.click('.console .send');
      await page.waitForSelector('.console .heard');
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

  test('say all they have to say without JavaScript', async () => {
    const { page } = await pageOf();
    for (const path of templates) {
      await opened(page, path);
      const [plain, made] = await page.evaluate(textsOfMain);
      expect(plain, path).toBe(made);
      expect(plain?.length, path).toBeGreaterThan(40);
    }
    await page.context().close();
  });

  test('name the server they came from in their samples', async () => {
    const { page } = await pageOf();
    await opened(page, 'reference/sendMessage/');
    const samples = await page.locator('.samples .panel code').allTextContents();
    expect(samples).toHaveLength(3);
    for (const sample of samples) {
      expect(sample).toContain(url);
      expect(sample).not.toContain('localhost:8080');
    }
    await page.context().close();
  });

  test('of statements fit a tablet, and list their sections', async () => {
    const { page } = await pageOf({ viewport: { width: 768, height: 1024 } });
    await opened(page, 'statements/');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(768);
    const listed = await page
      .locator('mobile-starlight-toc a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    expect(listed).toContain('#section-1');
    expect(listed.length).toBe(1 + (await page.locator('main h2[id^="section-"]').count()));
    await page.context().close();
  });

  test('keep the operation in sight while its row in the matrix is moved', async () => {
    const { page } = await pageOf({ viewport: { width: 390, height: 844 } });
    await opened(page, 'reference/who-may/');
    const matrix = page.locator('.matrix').first();
    const name = matrix.locator('tbody th').first();
    const before = await name.boundingBox();
    await matrix.evaluate((table) => table.scrollTo({ left: 200 }));
    expect(await matrix.evaluate((table) => table.scrollLeft)).toBeGreaterThan(0);
    expect((await name.boundingBox())?.x).toBe(before?.x);
    await page.context().close();
  });

  test('say that the search could not be loaded, and try again', async () => {
    const { page } = await pageOf();
    await page.route('**/search.json', (route) => route.abort());
    await opened(page, 'quickstart/');
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
    const { page } = await pageOf({ javaScriptEnabled: false });
    await opened(page, 'reference/sendMessage/');
    expect(await page.locator('.console .open').isVisible()).toBe(false);
    for (const part of ['#parameters', '#answer', '#errors', '#who-may', '#request-sample', '#parameter-content'])
      expect(await page.locator(part).isVisible(), part).toBe(true);
    await page.click('label[for="sample-fetch"]');
    expect(await page.locator('.panel[data-sample="fetch"]').isVisible()).toBe(true);
    await page.context().close();
  });

  test('of the reference weigh at most 100 KB each, as they are sent', async () => {
    const { page } = await pageOf();
    const devtools = await page.context().newCDPSession(page);
    const sizes: number[] = [];
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => sizes.push(encodedDataLength));
    await devtools.send('Network.enable');
    const path = 'reference/sendMessage/';
    await opened(page, path);
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

  describe('the console', () => {
    let page: Page;
    let faults: string[];
    const asked: Request[] = [];
    beforeAll(async () => {
      ({ page, faults } = await pageOf({ viewport: { width: 1440, height: 900 } }));
      page.on('request', (request) => asked.push(request));
    });
    afterAll(() => page.context().close());

    const sample = (id: string) => page.textContent(`.samples .panel[data-sample="${id}"] code`);
    const sent = () => asked.filter((one) => one.url().endsWith('/api/v1/messages') && one.method() === 'POST');

    test('sends what the samples show, as somebody of the demo, and shows answer, check and events', async () => {
      await openConsole(page, 'sendMessage');
      await page.click('.console .person:has-text("Hamlet")');
      await page.fill('#console-to', 'general');
      await page.fill('#console-content', 'it\'s "so" & 100 % ä €');
      expect(await sample('curl')).toContain('-d content=it%27s+%22so%22+%26+100+%25+%C3%A4+%E2%82%AC');
      expect(await sample('client')).toContain('it\\\'s "so" & 100 % ä €');
      await page.click('.console .send');
      await page.waitForSelector('.console .heard');
      const params = { type: 'stream', to: 'general', content: 'it\'s "so" & 100 % ä €', topic: 'menu' };
      expect(sent().map((one) => one.postData())).toEqual([encodeForm(params).toString()]);
      const outcome = (await page.textContent('.console .outcome')) ?? '';
      expect(outcome).toMatch(/^200.*As documented/);
      expect(outcome).toMatch(/came to Hamlet/);
      expect(outcome).toContain('"type": "message"');
    });

    test('shows a refusal as documented, too', async () => {
      await page.fill('#console-to', 'nowhere at all');
      await page.click('.console .send');
      await page.waitForSelector('.console .result .status');
      expect(await page.textContent('.console .outcome')).toMatch(/^400.*As documented.*STREAM_DOES_NOT_EXIST/s);
      expect(await page.textContent('.console .heard')).toBe('No event came to Hamlet.');
      // Chromium notes every status from 400 on.
      faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes('status of 400')));
    });

    test('sends nothing while a field is wrong, and says which', async () => {
      const before = sent().length;
      await page.fill('#console-content', '');
      await page.click('.console .send');
      expect(await page.textContent('#console-content-problem')).toBe('This one is required.');
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('console-content');
      expect(sent()).toHaveLength(before);
      expect(await sample('curl')).toContain('# content: This one is required.');
    });

    test('takes a curl command that is pasted, with its credentials', async () => {
      const command = `curl -sS ${url}/api/v1/messages -u ada@example.com:KEY --data-urlencode 'content=a b' -d type=direct -d to=%5B9%5D`;
      await paste(page, '#console-to', command);
      const values = await Promise.all(
        ['type', 'to', 'content', 'topic'].map((name) => page.inputValue(`#console-${name}`)),
      );
      expect(values).toEqual(['direct', '[9]', 'a b', '']);
      expect(await page.inputValue('#console-email')).toBe('ada@example.com');
      expect(await sample('client')).toContain('to: [9]');
    });

    test('shows every field that a pasted command fills, and names what it could not take in', async () => {
      await openConsole(page, 'sendMessage');
      await paste(page, '#console-to', `curl ${url}/api/v1/messages -d to=7 -d type=streams -d client=mine`);
      expect(await page.locator('#console-client').isVisible()).toBe(true);
      expect(await page.textContent('.console .room > .note[role="status"]')).toBe(
        'The form holds the command that was pasted. Left out: type=streams.',
      );
      expect(await page.inputValue('#console-type')).toBe('');
    });

    test('shows in the samples what was typed, and above them what is wrong with it', async () => {
      await openConsole(page, 'getMessages');
      await page.fill('#console-num_before', 'many');
      expect(await sample('curl')).toMatch(/^# num_before: This must be an integer.*num_before=many/s);
    });

    test('shows the beginning of a long answer, all of it if it is asked to, and copies it whole', async () => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await openConsole(page, 'renderMessage');
      await page.fill('#console-content', '**a** '.repeat(1600));
      await page.click('.console .send');
      const answer = page.locator('.console .outcome .code').first();
      await expect.poll(() => answer.count()).toBe(1);
      expect((await answer.locator('code').textContent())?.length).toBeLessThan(20_010);
      await answer.locator('.copy').click();
      await expect.poll(() => answer.locator('.copy').textContent()).toBe('Copied');
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(JSON.parse(copied)).toMatchObject({ result: 'success' });
      await page.click('.console .outcome .plain');
      expect(await answer.locator('code').textContent()).toBe(copied);
      expect(await page.locator('.console .outcome .plain').count()).toBe(0);
    });

    test('begins as the person of the example, and sets its scene', async () => {
      await openConsole(page, 'addReaction');
      expect(await page.textContent('.console .person[aria-pressed="true"]')).toMatch(/^Hamlet/);
      const scene = page.locator('.console .scene');
      expect(await scene.textContent()).toContain('Before the example: Cordelia sendMessage.');
      await scene.locator('button').click();
      await expect.poll(() => scene.textContent()).toContain('Done. The form names what there is now.');
      expect(await page.inputValue('#console-message_id')).not.toBe('4');
      await page.click('.console .send');
      await page.waitForSelector('.console .heard');
      expect(await page.textContent('.console .outcome')).toMatch(/^200.*As documented.*"type": "reaction"/s);
    });

    test('sends a key that is given, and shows it in the samples', async () => {
      await openConsole(page, 'sendMessage');
      await page.click('.console .more summary');
      await page.fill('#console-Idempotency-Key', 'once-and-no-more');
      expect(await sample('curl')).toContain("-H 'Idempotency-Key: once-and-no-more'");
      expect(await sample('client')).toContain("{ idempotencyKey: 'once-and-no-more' }");
      expect(await sample('fetch')).toContain("'Idempotency-Key': 'once-and-no-more'");
      for (const _ of ['first', 'again']) {
        await page.click('.console .send');
        await page.waitForSelector('.console .heard');
      }
      await expect.poll(() => page.textContent('.console .heard')).toBe('No event came to Hamlet.');
      expect(sent().at(-1)?.headers()['idempotency-key']).toBe('once-and-no-more');
    });

    test('marks what the server is too old for', async () => {
      await page.route('**/reference/sendMessage.json', async (route) => {
        const data = (await (await route.fetch()).json()) as {
          level: number;
          fields: { name: string; level: number }[];
        };
        for (const field of data.fields) if (field.name === 'topic') field.level = 998;
        await route.fulfill({ json: { ...data, level: 999 } });
      });
      await openConsole(page, 'sendMessage');
      await page.waitForSelector('.console .needs');
      expect(await page.textContent('.console .room > .problem')).toMatch(
        /^The operation needs level 999, this server has \d+\.$/,
      );
      expect(await page.textContent('.console [data-field="topic"] .needs')).toMatch(
        /^needs level 998, this server has \d+$/,
      );
      expect(await page.locator('.console .needs').count()).toBe(1);
      await page.unroute('**/reference/sendMessage.json');
    });

    test('asks before it takes something away', async () => {
      asked.length = 0;
      await openConsole(page, 'archiveStream');
      await page.click('.console .send');
      const stream = await page.inputValue('#console-stream_id');
      expect(stream).toMatch(/^\d+$/);
      expect(await page.textContent('.console dialog')).toContain(`Really send DELETE /streams/${stream} as Iago?`);
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
      await page.click('.console dialog .plain');
      expect(await page.locator('.console dialog').count()).toBe(0);
      expect(asked.filter((one) => one.method() === 'DELETE')).toEqual([]);
      expect(faults).toEqual([]);
    });

    test('asks before the scene of an example takes something away', async () => {
      asked.length = 0;
      await openConsole(page, 'reactivateUser');
      await page.click('.console .scene button');
      expect(await page.textContent('.console dialog')).toContain('Really send DELETE /users/6 as Iago?');
      await page.keyboard.press('Escape');
      await expect.poll(() => page.textContent('.console .scene .note')).toBe('deactivateUser was not sent.');
      expect(asked.filter((one) => one.method() === 'DELETE')).toEqual([]);
      expect(faults).toEqual([]);
    });

    test('is as the reader left it when they come back, but for passwords', async () => {
      await openConsole(page, 'fetchApiKey');
      await page.fill('#console-username', 'ada@example.com');
      await page.fill('#console-password', 'a secret of Ada');
      await page.locator('#console-password').blur();
      await opened(page, 'reference/');
      await page.goBack();
      await page.waitForSelector('.console .room .send');
      expect(await page.inputValue('#console-username')).toBe('ada@example.com');
      expect(await page.inputValue('#console-password')).not.toContain('Ada');
      expect(await page.evaluate(() => JSON.stringify(history.state))).not.toContain('a secret of Ada');
      expect(faults).toEqual([]);
    });

    test('keeps no credentials: a page that is opened anew knows none that were typed in', async () => {
      await openConsole(page, 'getOwnUser');
      const kept = await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
      );
      for (const { api_key } of demo.people) expect(kept).not.toContain(api_key);
      expect(kept).not.toContain('KEY');
      expect(await page.inputValue('#console-email')).not.toBe('ada@example.com');
    });
  });
}

async function paste(page: Page, place: string, text: string): Promise<void> {
  await page.locator(place).evaluate((field, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', pasted);
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

/** The text of the page as it was sent and as scripts made it, without what only scripts can do. */
async function textsOfMain(): Promise<string[]> {
  const sent = await (await fetch(location.href)).text();
  const plain = new DOMParser().parseFromString(sent, 'text/html');
  return [plain, document].map((page) => {
    const main = page.querySelector('main')?.cloneNode(true) as HTMLElement;
    for (const tool of main.querySelectorAll('.console, .copy, script, mobile-starlight-toc')) tool.remove();
    // Samples name another server until a script knows which it is.
    return (main.textContent ?? '').replaceAll('http://localhost:8080', location.origin).replace(/\s+/g, ' ').trim();
  });
}

/** What axe finds wrong, by rule, with the first place. */
async function findings(page: Page, beside: string[] = []): Promise<string[]> {
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
