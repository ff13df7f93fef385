// The page where users allow an application.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser as Chromium, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantIn, openBrowser } from '../../../test/browser.ts';
import { type Chat, PASSWORD, startChat, type TestUser } from '../../../test/chat.ts';
import { findings } from '../../../test/docs/site.ts';
import { inChromium } from '../../../test/in-chromium.ts';
import { CLIENT, type OpenId, startOpenId } from '../../../test/openid.ts';
import { answerConsent, openThirdParty, register, userWithPassword } from '../../../test/third-party.ts';
import { readConfig } from '../../config/index.ts';
import { deactivateRealm } from '../../features/realm-admin/index.ts';
import { createUser } from '../../features/user-admin/index.ts';
import { createIdentity } from '../../identity/index.ts';
import { createLimits } from '../limits/index.ts';

let openid: OpenId;
let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  openid = await startOpenId(['http://localhost/accounts/callback/oidc/acme']);
  const PARLEY_OIDC = JSON.stringify([{ id: 'acme', name: 'Acme <ID>', issuer: openid.issuer, ...CLIENT }]);
  chat = await startChat({
    ownDatabase: true,
    identity: await createIdentity(readConfig({ PARLEY_OIDC }).identity, 2000),
  });
  ada = await userWithPassword(chat, 'ada');
});
afterAll(async () => {
  await chat.close();
  await openid.close();
});

const open = async (more: Parameters<typeof register>[1] = {}) => openThirdParty(chat, await register(chat, more));
const visit = (url: URL) => chat.fetch(url.pathname + url.search);
const allowed = (who: { email: string }, password = PASSWORD) => ({ username: who.email, password, decision: 'allow' });

describe('the consent page', () => {
  test('has the application, the redirect URI and the meaning of each scope, escaped and without scripts', async () => {
    const app = await open({ name: '<b>Soup</b> & "Salad"', scopes: ['read', 'admin'] });
    const response = await visit(app.authorizationUrl());
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain('<title>Allow &lt;b&gt;Soup&lt;/b&gt; &amp; &quot;Salad&quot;?</title>');
    expect(text).toContain('<strong>app.example.com</strong>');
    expect(text).toContain('Read what you can read');
    expect(text).toContain('only administrators');
    expect(text).not.toContain('Change what you can change');
    expect(text).not.toMatch(/<script|<b>|javascript:/i);
  });

  test('cannot be framed or cached, and its form leads to the redirect URI only', async () => {
    const { headers } = await visit((await open()).authorizationUrl());
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' https://app.example.com;");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test('creates nothing when it is visited', async () => {
    const app = await open();
    const url = app.authorizationUrl();
    for (const _ of [1, 2]) await visit(url);
    expect((await ada.api.getTokens()).tokens).toEqual([]);
  });

  test('keeps the input of the user, but not a wrong password', async () => {
    const url = (await open()).authorizationUrl();
    const response = await answerConsent(chat, url, { ...allowed(ada, 'wrong "password"') });
    const text = await response.text();
    expect(response.status).toBe(403);
    expect(response.headers.get('location')).toBeNull();
    expect(text).toContain('The user name or the password is wrong.');
    expect(text).toContain(`value="${ada.email}"`);
    expect(text).not.toContain('wrong &quot;password');
  });

  test.each<[string, () => Promise<Record<string, string>>, number, RegExp]>([
    ['an unknown user', async () => allowed({ email: 'nobody@example.com' }), 403, /wrong/],
    ['no user name', async () => ({ decision: 'allow' }), 400, /email address/],
    ['no decision', async () => ({ username: ada.email, password: PASSWORD }), 400, /decision/],
    ['a null character', async () => allowed({ email: 'a\0da@example.com' }), 400, /U\+0000/],
    [
      'a bot',
      async () => {
        const bot = await chat.user('bo', { bot_of: ada, mirrored: false });
        return { username: bot.email, password: bot.apiKey, decision: 'allow' };
      },
      403,
      /wrong/,
    ],
    [
      'a deactivated account',
      async () => {
        const cleo = await userWithPassword(chat, 'cleo');
        await chat.owner.api.deactivateUser({ user_id: cleo.id });
        return allowed(cleo);
      },
      403,
      /deactivated/,
    ],
  ])('returns no code for %s', async (_what, form, status, problem) => {
    const response = await answerConsent(chat, (await open()).authorizationUrl(), await form());
    expect([response.status, response.headers.get('location')]).toEqual([status, null]);
    expect(await response.text()).toMatch(problem);
  });

  test('can be used by guests as well', async () => {
    const gus = await userWithPassword(chat, 'gus', 600);
    expect((await answerConsent(chat, (await open()).authorizationUrl(), allowed(gus))).status).toBe(303);
  });

  test('has an error when the account has as many tokens as it can have', async () => {
    const ben = await userWithPassword(chat, 'ben');
    for (let n = 0; n < 100; n++) await ben.api.createToken({ name: 'Digest', scopes: ['read'] });
    const response = await answerConsent(chat, (await open()).authorizationUrl(), allowed(ben));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('at most 100 tokens');
  });

  test.each<[string, Record<string, string>]>([
    ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example.com' }],
    ['another organization', { 'Sec-Fetch-Site': 'same-site', Origin: 'http://other.localhost' }],
    ['an older browser', { Origin: 'https://evil.example.com' }],
    ['a frame of another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'null' }],
  ])('rejects a form that %s sends', async (_what, headers) => {
    const url = (await open()).authorizationUrl();
    for (const form of [allowed(ada), { decision: 'deny' }]) {
      const response = await answerConsent(chat, url, form, headers);
      expect([response.status, response.headers.get('location')]).toEqual([401, null]);
    }
    const own = { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' };
    expect((await answerConsent(chat, url, allowed(ada), own)).status).toBe(303);
  });

  test('is unavailable while the organization is deactivated', async () => {
    const { realm } = await chat.otherRealm('closed');
    const url = (await open()).authorizationUrl();
    await chat.act(deactivateRealm, realm);
    const response = await chat.fetch(url.pathname + url.search, {}, realm);
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('deactivated')]);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const init = { method: 'POST', headers, body: 'grant_type=refresh_token' };
    expect((await chat.fetch('/oauth/token', init, realm)).status).toBe(401);
  });
});

describe('single sign-on', () => {
  const path = ({ pathname, search }: URL): string => pathname + search;
  beforeAll(async () => {
    await chat.owner.api.updateRealm({ authentication_methods: { 'OpenID Connect': true, Email: true } });
  });

  test('leads back to the consent page, and replaces the password', async () => {
    const email = 'dan@elsewhere.example';
    const dan = await chat.person(
      await chat.act((ctx) => createUser(ctx, { email, full_name: 'Dan There', role: 400 })),
      chat.realm,
      false,
    );
    openid.as({ email, email_verified: true, name: 'Dan' });
    const app = await open();
    const url = app.authorizationUrl();
    const browser = openBrowser(chat);
    const link = /href="([^"]+)">Log in with Acme &lt;ID&gt;/.exec((await browser.get(path(url))).text)?.[1] ?? '';
    const away = await browser.get(link.replaceAll('&amp;', '&'));
    const page = await browser.get(path(await browser.wander(away.location)));
    expect(page.text).toContain(`You are logged in as ${email}.`);
    expect(page.text).not.toContain('type="password"');
    const form = { grant: grantIn(page), decision: 'allow' };

    const stolen = await openBrowser(chat).post(path(url), form);
    expect([stolen.status, stolen.location]).toEqual([403, '']);
    expect(stolen.text).toContain('This login has expired');
    const elsewhere = await browser.postFromElsewhere(path(url), form);
    expect([elsewhere.status, elsewhere.location]).toEqual([403, '']);

    const back = await browser.post(path(url), form);
    expect(back.status).toBe(303);
    const { access_token } = await app.exchange(new URL(back.location));
    expect(await chat.apiOf(chat.realm, { token: access_token }).getOwnUser()).toMatchObject({ user_id: dan.id });
  });
});

describe('guessing passwords', () => {
  test('has the limit of fetch_api_key, and the same count', async () => {
    const limits = createLimits(readConfig({}).rate_rules);
    const limited = await startChat({ limits });
    const eve = await userWithPassword(limited, 'eve');
    const url = (await openThirdParty(limited, await register(limited))).authorizationUrl();
    for (let n = 0; n < 3; n++)
      expect((await answerConsent(limited, url, allowed(eve, `guess ${n}`))).status).toBe(403);
    for (let n = 3; n < 5; n++)
      await limited
        .apiOf(limited.realm)
        .fetchApiKey({ username: eve.email, password: `guess ${n}` })
        .catch(() => {});
    const response = await answerConsent(limited, url, allowed(eve));
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(1000);
    expect(await response.text()).toContain('Too many wrong passwords');
    expect((await answerConsent(limited, url, { decision: 'deny' })).status).toBe(303);
    await limited.close();
    limits.close();
  });
});

inChromium('in Chromium', (executablePath) => {
  let browser: Chromium;
  let application: { origin: string; close: () => void };
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    const server = createServer((_req, res) => res.setHeader('Content-Type', 'text/html').end('<title>App</title>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    application = { origin: `http://127.0.0.1:${port}`, close: () => void server.close() };
  });
  afterAll(async () => {
    await browser.close();
    application.close();
  });

  test('a page of another origin redirects a user to it, and exchanges the returned code', async () => {
    const app = await open({ redirect_uris: [`${application.origin}/callback`], is_confidential: false });
    const url = app.authorizationUrl();
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('console', (message) => void problems.push(message.text()));
    await page.goto(`http://localhost:${chat.port}${url.pathname}${url.search}`);
    expect(await findings(page)).toEqual([]);
    await page.getByLabel('Email').fill(ada.email);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Log in and allow' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('wrong');
    expect(await findings(page)).toEqual([]);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in and allow' }).click();
    await page.waitForURL(`${application.origin}/callback?*`);
    const form = {
      grant_type: 'authorization_code',
      client_id: new URL(url).searchParams.get('client_id') ?? '',
      redirect_uri: `${application.origin}/callback`,
      code: new URL(page.url()).searchParams.get('code') ?? '',
      code_verifier: app.verifier,
    };
    const tokens = await page.evaluate(
      async ([to, body]) => (await fetch(to as string, { method: 'POST', body: new URLSearchParams(body) })).json(),
      [`http://localhost:${chat.port}/oauth/token`, form] as const,
    );
    const { access_token } = tokens as { access_token: string };
    expect(await chat.apiOf(chat.realm, { token: access_token }).getOwnUser()).toMatchObject({ user_id: ada.id });
    expect(problems.filter((text) => !/40[34]/.test(text))).toEqual([]);
    await page.close();
  });

  test('denying redirects back without a login', async () => {
    const app = await open({ redirect_uris: [`${application.origin}/callback`], is_confidential: false });
    const url = app.authorizationUrl();
    const page = await browser.newPage();
    await page.goto(`http://localhost:${chat.port}${url.pathname}${url.search}`);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(`${application.origin}/callback?error=access_denied*`);
    await page.close();
  });
});
