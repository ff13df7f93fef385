// The console on the pages of operations: what it sends, shows, asks and stores.
import { encodeForm } from '@parley/client';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { inChromium } from '../in-chromium.ts';
import { type DocsServer, openSite } from './site.ts';

vi.setConfig({ testTimeout: 180_000 });

inChromium('the console', (executablePath) => {
  let site: DocsServer;
  let page: Page;
  let faults: string[];
  const requests: Request[] = [];
  beforeAll(async () => {
    site = await openSite(executablePath);
    ({ page, faults } = await site.pageOf({ viewport: { width: 1440, height: 900 } }));
    page.on('request', (request) => requests.push(request));
  });
  afterAll(() => site.close());

  const sample = (id: string) => page.textContent(`.samples .panel[data-sample="${id}"] code`);
  const sent = () => requests.filter((one) => one.url().endsWith('/api/v1/messages') && one.method() === 'POST');

  test('sends what the samples show, as a user of the demo, and shows response, validation and events', async () => {
    await site.openConsole(page, 'sendMessage');
    await page.click('.console .user:has-text("Hamlet")');
    await page.fill('#console-to', 'general');
    await page.fill('#console-content', 'it\'s "so" & 100 % ä €');
    expect(await sample('curl')).toContain(`--data-urlencode 'content=it'\\''s "so" & 100 % ä €'`);
    expect(await sample('client')).toContain('it\\\'s "so" & 100 % ä €');
    await page.click('.console .send');
    await page.waitForSelector('.console .received');
    const params = { type: 'stream', to: 'general', content: 'it\'s "so" & 100 % ä €', topic: 'menu' };
    expect(sent().map((one) => one.postData())).toEqual([encodeForm(params).toString()]);
    const outcome = (await page.textContent('.console .outcome')) ?? '';
    expect(outcome).toMatch(/^200.*As documented/);
    expect(outcome).toMatch(/Hamlet received/);
    expect(outcome).toContain('"type": "message"');
  });

  test('shows an error response, with its documentation', async () => {
    await page.fill('#console-to', 'nowhere at all');
    await page.click('.console .send');
    await page.waitForSelector('.console .result .status');
    expect(await page.textContent('.console .outcome')).toMatch(/^400.*As documented.*STREAM_DOES_NOT_EXIST/s);
    expect(await page.textContent('.console .received')).toBe('Hamlet received no event.');
    // Chromium logs every status from 400 on.
    faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes('status of 400')));
  });

  test('sends nothing while a field is invalid, and says which one', async () => {
    const before = sent().length;
    await page.fill('#console-content', '');
    await page.click('.console .send');
    expect(await page.textContent('#console-content-problem')).toBe('This field is required.');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('console-content');
    expect(sent()).toHaveLength(before);
    expect(await sample('curl')).toContain('# content: This field is required.');
  });

  test('reads a curl command that is pasted, with its credentials', async () => {
    const command = `curl -sS ${site.url}/api/v1/messages -u ada@example.com:KEY --data-urlencode 'content=a b' -d type=direct -d to=%5B9%5D`;
    await paste(page, '#console-to', command);
    const values = await Promise.all(
      ['type', 'to', 'content', 'topic'].map((name) => page.inputValue(`#console-${name}`)),
    );
    expect(values).toEqual(['direct', '[9]', 'a b', '']);
    expect(await page.inputValue('#console-email')).toBe('ada@example.com');
    expect(await sample('client')).toContain('to: [9]');
  });

  test('shows every field of a pasted command, and lists what it did not understand', async () => {
    await site.openConsole(page, 'sendMessage');
    await paste(page, '#console-to', `curl ${site.url}/api/v1/messages -d to=7 -d type=streams -d client=mine`);
    expect(await page.locator('#console-client').isVisible()).toBe(true);
    expect(await page.textContent('.console .room > .note[role="status"]')).toBe(
      'The form has the values of the pasted command. Left out: type=streams.',
    );
    expect(await page.inputValue('#console-type')).toBe('');
  });

  test('shows in the samples what was typed, and above them what is invalid', async () => {
    await site.openConsole(page, 'getMessages');
    await page.fill('#console-num_before', 'many');
    expect(await sample('curl')).toMatch(/^# num_before: This must be an integer.*num_before=many/s);
  });

  test('shows the beginning of a long response, all of it on request, and copies it whole', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await site.openConsole(page, 'renderMessage');
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

  test('begins as the user of the example, and carries out its setup', async () => {
    await site.openConsole(page, 'addReaction');
    expect(await page.textContent('.console .user[aria-pressed="true"]')).toMatch(/^Hamlet/);
    const setup = page.locator('.console .setup');
    expect(await setup.textContent()).toContain('Before the example: Cordelia sendMessage.');
    await setup.locator('button').click();
    await expect.poll(() => setup.textContent()).toContain('Done. The form has the values of the new objects.');
    expect(await page.inputValue('#console-message_id')).not.toBe('4');
    await page.click('.console .send');
    await page.waitForSelector('.console .received');
    expect(await page.textContent('.console .outcome')).toMatch(/^200.*As documented.*"type": "reaction"/s);
  });

  test('sends the Idempotency-Key that is given, and shows it in the samples', async () => {
    await site.openConsole(page, 'sendMessage');
    await page.click('.console .more summary');
    await page.fill('#console-Idempotency-Key', 'once-and-no-more');
    expect(await sample('curl')).toContain("-H 'Idempotency-Key: once-and-no-more'");
    expect(await sample('client')).toContain("{ idempotencyKey: 'once-and-no-more' }");
    expect(await sample('fetch')).toContain("'Idempotency-Key': 'once-and-no-more'");
    for (const _ of ['first', 'again']) {
      await page.click('.console .send');
      await page.waitForSelector('.console .received');
    }
    await expect.poll(() => page.textContent('.console .received')).toBe('Hamlet received no event.');
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
    await site.openConsole(page, 'sendMessage');
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

  test('asks before it deletes something', async () => {
    requests.length = 0;
    await site.openConsole(page, 'archiveStream');
    await page.click('.console .send');
    const stream = await page.inputValue('#console-stream_id');
    expect(stream).toMatch(/^\d+$/);
    expect(await page.textContent('.console dialog')).toContain(`Really send DELETE /streams/${stream} as Iago?`);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
    await page.click('.console dialog .plain');
    await expect.poll(() => page.locator('.console dialog').count()).toBe(0);
    expect(requests.filter((one) => one.method() === 'DELETE')).toEqual([]);
    expect(faults).toEqual([]);
  });

  test('asks before the setup of an example deletes something', async () => {
    requests.length = 0;
    await site.openConsole(page, 'reactivateUser');
    await page.click('.console .setup button');
    expect(await page.textContent('.console dialog')).toContain('Really send DELETE /users/6 as Iago?');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.textContent('.console .setup .note')).toBe('deactivateUser was not sent.');
    expect(requests.filter((one) => one.method() === 'DELETE')).toEqual([]);
    expect(faults).toEqual([]);
  });

  test('restores its fields when the reader comes back, except for passwords', async () => {
    await site.openConsole(page, 'fetchApiKey');
    await page.fill('#console-username', 'ada@example.com');
    await page.fill('#console-password', 'a secret of Ada');
    await page.locator('#console-password').blur();
    await site.opened(page, 'reference/');
    await page.goBack();
    await page.waitForSelector('.console .room .send');
    expect(await page.inputValue('#console-username')).toBe('ada@example.com');
    expect(await page.inputValue('#console-password')).not.toContain('Ada');
    expect(await page.evaluate(() => JSON.stringify(history.state))).not.toContain('a secret of Ada');
    expect(faults).toEqual([]);
  });

  test('stores no credentials: a page that is opened again has none that were typed in', async () => {
    await site.openConsole(page, 'getOwnUser');
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    for (const { api_key } of site.demo.demoUsers) expect(stored).not.toContain(api_key);
    expect(stored).not.toContain('KEY');
    expect(await page.inputValue('#console-email')).not.toBe('ada@example.com');
  });
});

async function paste(page: Page, selector: string, text: string): Promise<void> {
  await page.locator(selector).evaluate((field, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', pasted);
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}
