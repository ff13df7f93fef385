// The documentation on a slow phone: the size of a page, and the time until its text is readable.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { type Measurement, type MeasurementRow, ms, printRow, shown } from './harness/measurement.ts';
import { startOperatorServer } from './harness/operator-server.ts';
import { SECRET } from './harness/postgres.ts';
import { median } from './harness/times.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const PAGES = ['', 'quickstart/', 'guides/events/', 'reference/sendMessage/', 'reference/', 'statements/'];
const VISITS = 3;
/** 1.6 Mbit/s with a round trip of 150 ms, and a CPU a quarter as fast as this one. */
const LINE = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 96_000 };
const SLOWER = 4;

export const pages: Measurement = {
  name: 'pages',
  async run(harness) {
    if (!CHROMIUM) return [printRow('pages of the documentation on a slow telephone', 'there is no Chromium here')];
    const organization = await harness.organization();
    const { url, stop } = await startOperatorServer(harness, { DATABASE_URL: organization.url, PARLEY_SECRET: SECRET });
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    harness.atEnd(() => void browser.close());
    const rows: MeasurementRow[] = [];
    for (const path of PAGES) rows.push(await rowFor(browser, url, path, harness.size(VISITS)));
    await browser.close();
    await stop();
    return rows;
  },
};

async function rowFor(browser: Browser, url: string, path: string, count: number): Promise<MeasurementRow> {
  const visits = [];
  for (let n = 0; n < count; n++) visits.push(await visit(browser, `${url}/docs/${path}`));
  const bytes = median(visits.map((one) => one.bytes));
  const text = `/docs/${path} on a slow telephone, until its text can be read`;
  return printRow(text, ms(median(visits.map((one) => one.painted))), { 'bytes in all': shown(bytes) });
}

/** One visit of a page with an empty cache. */
async function visit(browser: Browser, url: string): Promise<{ painted: number; bytes: number }> {
  const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
  const devtools = await page.context().newCDPSession(page);
  let bytes = 0;
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', LINE);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  await page.goto(url, { waitUntil: 'networkidle' });
  const painted = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  );
  await page.context().close();
  return { painted, bytes };
}
