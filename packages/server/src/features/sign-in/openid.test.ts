import { rows } from '@parley/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Browser, grantIn, keyIn, openBrowser } from '../../../test/browser.ts';
import { type Chat, startChat } from '../../../test/chat.ts';
import { CLIENT, type OpenId, startLiar, startOpenId } from '../../../test/openid.ts';
import { readConfig } from '../../config/index.ts';
import type { Realm } from '../../core/context.ts';
import { createIdentity } from '../../identity/index.ts';
import { deleteExpiredSignIns } from '../auth/index.ts';
import { deactivateRealm, reactivateRealm } from '../realm-admin/index.ts';
import { createUser, deactivateUser, rotateKey } from '../user-admin/index.ts';

/** The time limit of the provider in these tests, in milliseconds. */
const PATIENCE = 2000;
const CALLBACK = '/accounts/callback/oidc/acme';
const HOSTS = ['localhost', 'open.localhost', 'invited.localhost', 'shut.localhost'];

let openid: OpenId;
let liar: Awaited<ReturnType<typeof startLiar>>;
let chat: Chat;
let open: Realm;
let invited: Realm;
beforeAll(async () => {
  openid = await startOpenId(HOSTS.map((host) => `http://${host}${CALLBACK}`));
  liar = await startLiar();
  const PARLEY_OIDC = JSON.stringify([
    { id: 'acme', name: 'Acme <ID>', icon: 'https://id.example.com/icon.png', issuer: openid.issuer, ...CLIENT },
    { id: 'liar', name: 'Liar', issuer: liar.issuer, ...CLIENT },
    { id: 'down', name: 'Down', issuer: 'http://127.0.0.1:1', client_id: 'parley' },
    { id: 'google', name: 'Google', issuer: 'http://127.0.0.1:1', client_id: 'parley', method: 'Google' },
    { id: 'private', name: 'Private', issuer: openid.issuer, ...CLIENT, organizations: ['elsewhere'] },
  ]);
  chat = await startChat({
    ownDatabase: true,
    identity: await createIdentity(readConfig({ PARLEY_OIDC }).identity, PATIENCE),
  });
  const switchedOn = { authentication_methods: { 'OpenID Connect': true } };
  await chat.owner.api.updateRealm(switchedOn);
  const houses = [await chat.otherRealm('open'), await chat.otherRealm('invited')] as const;
  for (const { owner } of houses) await owner.api.updateRealm(switchedOn);
  await houses[0].owner.api.updateRealm({ invite_required: false });
  [open, invited] = [houses[0].realm, houses[1].realm];
});
beforeEach(() => {
  liar.lies((claims) => claims);
  liar.fails(200);
});
afterAll(async () => {
  await chat.close();
  await openid.close();
  await liar.close();
});

let made = 0;
const address = () => `person${made++}@elsewhere.example`;
async function member(email: string, realm = invited) {
  const wanted = { email, full_name: 'Already Here', role: 400 };
  return chat.person(await chat.act((ctx) => createUser(ctx, wanted), realm), realm, false);
}
const honest = (email: string, name = 'Ada Lovelace') => ({ email, email_verified: true, name });
const path = ({ pathname, search }: URL): string => pathname + search;

/** Follows the redirect to the provider and returns the callback URL. */
async function cameBack(browser: Browser, { way = 'login', id = 'acme', query = '' } = {}): Promise<URL> {
  const away = await browser.get(`/accounts/${way}/oidc/${id}${query}`);
  expect(away.status, away.text).toBe(302);
  return browser.wander(away.location);
}
async function logIn(realm: Realm, more: Parameters<typeof cameBack>[1] = {}) {
  const browser = openBrowser(chat, realm);
  return { browser, page: await browser.get(path(await cameBack(browser, more))) };
}

describe('the announced methods', () => {
  const settings = (realm: Realm) => chat.apiOf(realm).getServerSettings();

  // shows: 4.21.3, 5.9
  test("are those that the operator configured and the organization enabled, in the operator's order", async () => {
    const { external_authentication_methods, authentication_methods } = await settings(open);
    expect(external_authentication_methods.map(({ name }) => name)).toEqual(['oidc:acme', 'oidc:liar', 'oidc:down']);
    expect(external_authentication_methods[0]).toEqual({
      name: 'oidc:acme',
      display_name: 'Acme <ID>',
      display_icon: 'https://id.example.com/icon.png',
      login_url: 'http://open.localhost/accounts/login/oidc/acme',
      signup_url: 'http://open.localhost/accounts/register/oidc/acme',
    });
    expect(authentication_methods).toMatchObject({ 'openid connect': true, google: false, saml: false });
  });

  test("change with the organization's settings, and a method that is not announced cannot be used", async () => {
    const { realm, owner } = await chat.otherRealm('shut');
    expect((await settings(realm)).external_authentication_methods).toEqual([]);
    expect((await openBrowser(chat, realm).get('/accounts/login/oidc/acme')).status).toBe(404);
    await owner.api.updateRealm({ authentication_methods: { Google: true, SAML: true } });
    const { authentication_methods, external_authentication_methods } = await settings(realm);
    expect(authentication_methods).toMatchObject({ google: true, 'openid connect': false, saml: false });
    expect(external_authentication_methods.map(({ name }) => name)).toEqual(['oidc:google']);
    for (const id of ['acme', 'private', 'nobody', 'Acme', '..%2f'])
      expect((await openBrowser(chat, realm).get(`/accounts/login/oidc/${id}`)).status, id).toBe(404);
  });
});

describe('a user who returns from the provider', () => {
  test('is logged in to the account with their address, and sees the key on request', async () => {
    const ada = await member(address());
    openid.as(honest(ada.email.toUpperCase()));
    const { browser, page } = await logIn(invited);
    expect([page.status, page.text.includes(ada.email), page.text.includes(ada.apiKey)]).toEqual([200, true, false]);
    const shown = await browser.post('/accounts/key', { grant: grantIn(page) });
    expect([shown.status, keyIn(shown)]).toEqual([200, ada.apiKey]);
  });

  test('sees pages that no script, frame, cache or other site can read', async () => {
    const ada = await member(address());
    openid.as(honest(ada.email));
    const { browser, page } = await logIn(invited);
    const shown = await browser.post('/accounts/key', { grant: grantIn(page) });
    for (const { headers } of [page, shown]) {
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  test('has a cookie that scripts cannot read, other sites do not send, and the browser does not keep', async () => {
    const answer = await chat.fetch('/accounts/login/oidc/acme', {}, open);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^parley_sign_in_\w+=[\w-]{43}; Max-Age=600; Path=\/; .*HttpOnly; SameSite=Lax$/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const asked = new URL(answer.headers.get('location') ?? '').searchParams;
    expect(asked.get('code_challenge_method')).toBe('S256');
    expect(asked.get('redirect_uri')).toBe('http://open.localhost/accounts/callback/oidc/acme');
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked.get(name), name).toMatch(/^[\w-]{43}$/);
  });

  test('without an account is told how to create one, and creates it with the other URL', async () => {
    const email = address();
    openid.as(honest(email, 'Ada *Lovelace*'));
    const { page } = await logIn(open);
    expect(page.status).toBe(403);
    expect(page.text).toContain('href="http://open.localhost/accounts/register/oidc/acme"');
    const { browser, page: joined } = await logIn(open, { way: 'register' });
    const api_key = keyIn(await browser.post('/accounts/key', { grant: grantIn(joined) }));
    const me = await chat.apiOf(open, { email, apiKey: api_key }).getOwnUser();
    expect(me).toMatchObject({ full_name: 'Ada Lovelace', delivery_email: email, role: 400 });
    const again = await logIn(open, { way: 'register' });
    expect(keyIn(await again.browser.post('/accounts/key', { grant: grantIn(again.page) }))).toBe(api_key);
  });

  test('gets no account where an invitation is required', async () => {
    const email = address();
    openid.as(honest(email, '<script>'));
    for (const way of ['login', 'register']) {
      const { page } = await logIn(invited, { way });
      expect([page.status, page.text]).toEqual([403, expect.stringContaining('by invitation only')]);
    }
  });

  test('sees an error for a deactivated account, and for a bot', async () => {
    const ada = await member(address());
    await chat.act((ctx) => deactivateUser(ctx, ada.id), invited);
    openid.as(honest(ada.email));
    expect((await logIn(invited)).page.text).toMatch(/deactivated/);
    const wanted = { email: address(), full_name: 'A Bot', role: 400, bot: { type: 1, owner_id: null } };
    await chat.act((ctx) => createUser(ctx, wanted), invited);
    openid.as(honest(wanted.email));
    expect((await logIn(invited)).page).toMatchObject({ status: 403, text: expect.stringContaining('bot') });
  });

  test.each([
    ['unverified', { email_verified: false }],
    ['verified by a word', { email_verified: 'true' }],
    ['without a statement that it is verified', { email_verified: undefined }],
    ['not there', { email: undefined }],
  ])('is not logged in by an address that is %s', async (_, claims) => {
    const ada = await member(address());
    openid.as({ ...honest(ada.email), ...claims });
    for (const way of ['login', 'register']) {
      const { page } = await logIn(invited, { way });
      expect([page.status, page.text]).toEqual([403, expect.stringContaining('has not confirmed')]);
      expect(page.text).toContain('Acme &lt;ID&gt;');
    }
  });

  test('is not logged in to an account whose address only looks the same', async () => {
    const ada = await member('kim@elsewhere.example');
    for (const email of ['\u212aim@elsewhere.example', `${ada.email}\n`, `"${ada.email}"@elsewhere.example`, '@']) {
      openid.as(honest(email));
      const { page } = await logIn(invited);
      if (email.trim() !== ada.email) expect([email, page.status]).toEqual([email, 403]);
    }
  });

  test('sees an error after cancelling the login', async () => {
    openid.as(undefined);
    const { page } = await logIn(invited);
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('did not let you through')]);
  });
});

describe('a callback URL', () => {
  const notLoggedIn = { status: 403, text: expect.stringContaining('has expired') };

  test('is valid once', async () => {
    const ada = await member(address());
    openid.as(honest(ada.email));
    const browser = openBrowser(chat, invited);
    const back = path(await cameBack(browser));
    const both = await Promise.all([browser.get(back), browser.get(back)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(await browser.get(back)).toMatchObject(notLoggedIn);
  });

  test('is valid for the browser that began the sign-in, which can begin two at once', async () => {
    const ada = await member(address());
    liar.lies((claims) => ({ ...claims, ...honest(ada.email) }));
    const browser = openBrowser(chat, invited);
    const leave = async () => path(await cameBack(browser, { id: 'liar' }));
    const [first, second] = [await leave(), await leave()];
    const stranger = openBrowser(chat, invited);
    expect(await stranger.get(first)).toMatchObject(notLoggedIn);
    await cameBack(stranger);
    expect(await stranger.get(first)).toMatchObject(notLoggedIn);
    expect(await browser.get(first)).toMatchObject({ status: 200 });
    expect(await browser.get(second)).toMatchObject({ status: 200 });
  });

  test('is invalid with another state, without one, or with that of another provider', async () => {
    openid.as(honest((await member(address())).email));
    const browser = openBrowser(chat, invited);
    const back = await cameBack(browser);
    for (const state of ['', 'x'.repeat(43), '\0', `${back.searchParams.get('state')}x`]) {
      const other = new URL(back);
      other.searchParams.set('state', state);
      expect(await browser.get(path(other))).toMatchObject(notLoggedIn);
    }
    expect(await browser.get(CALLBACK)).toMatchObject(notLoggedIn);
    expect(await browser.get(path(back).replace('/acme', '/liar'))).toMatchObject(notLoggedIn);
    expect((await browser.get(path(back))).status).toBe(200);
  });

  test('is invalid at another organization that has an account with this address as well', async () => {
    const email = address();
    await member(email, invited);
    await member(email, open);
    openid.as(honest(email));
    const browser = openBrowser(chat, invited);
    const back = path(await cameBack(browser));
    expect(await browser.get(back, open)).toMatchObject(notLoggedIn);
    const page = await browser.get(back);
    const grant = grantIn(page);
    expect((await browser.post('/accounts/key', { grant }, open)).status).toBe(403);
    expect((await openBrowser(chat, invited).post('/accounts/key', { grant })).status).toBe(403);
  });

  test("is invalid with the code of another user's login", async () => {
    const [ada, eve] = [await member(address()), await member(address())];
    openid.as(honest(ada.email));
    const hers = await cameBack(openBrowser(chat, invited));
    openid.as(honest(eve.email));
    const browser = openBrowser(chat, invited);
    const back = await cameBack(browser);
    back.searchParams.set('code', hers.searchParams.get('code') ?? '');
    const page = await browser.get(path(back));
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('does not prove')]);
  });

  test('expires after ten minutes and is deleted; so does the form that shows the key', async () => {
    const ada = await member(address());
    openid.as(honest(ada.email));
    const browser = openBrowser(chat, invited);
    const back = path(await cameBack(browser));
    const { browser: other, page } = await logIn(invited);
    chat.clock.advance({ minutes: 11 });
    expect(await browser.get(back)).toMatchObject(notLoggedIn);
    expect((await other.post('/accounts/key', { grant: grantIn(page) })).status).toBe(403);
    await deleteExpiredSignIns(chat.database.db, chat.clock());
    expect(await rows(chat.database.db, sql`select state_hash from sign_ins`)).toEqual([]);
  });

  test('redirects to no other site, whatever the parameters say', async () => {
    openid.as(honest((await member(address())).email));
    const evil = 'https://evil.example/';
    const query = `?next=${evil}&redirect_uri=${evil}&return_to=${evil}&state=${evil}`;
    const browser = openBrowser(chat, invited);
    const away = await browser.get(`/accounts/login/oidc/acme${query}`);
    expect(away.location).toMatch(new RegExp(`^${openid.issuer}/`));
    expect(away.location).not.toContain('evil');
    const back = await browser.wander(away.location);
    const page = await browser.get(`${path(back)}&next=${evil}&iss=${encodeURIComponent(openid.issuer)}`);
    expect(page.text).not.toContain('evil');
  });

  test('fails while the organization is deactivated', async () => {
    const { realm, owner } = await chat.otherRealm('closing');
    await owner.api.updateRealm({ authentication_methods: { 'OpenID Connect': true } });
    await chat.act(deactivateRealm, realm);
    expect((await openBrowser(chat, realm).get('/accounts/login/oidc/acme')).text).toMatch(/deactivated/);
    await chat.act(reactivateRealm, realm);
  });
});

test('the form shows the current key, while the account is active', async () => {
  const ada = await member(address());
  openid.as(honest(ada.email));
  const { browser, page } = await logIn(invited);
  await chat.act((ctx) => rotateKey(ctx, ada.id), invited);
  const key = keyIn(await browser.post('/accounts/key', { grant: grantIn(page) }));
  expect(key).toMatch(/^\w{32}$/);
  expect(key).not.toBe(ada.apiKey);
  await chat.act((ctx) => deactivateUser(ctx, ada.id), invited);
  expect((await browser.post('/accounts/key', { grant: grantIn(page) })).status).toBe(403);
  for (const grant of ['', 'x', grantIn(page).slice(0, -4)])
    expect((await browser.post('/accounts/key', { grant })).status).toBe(403);
});

describe('a client with a one-time pad', () => {
  test('is redirected to with the key, encrypted with its pad', async () => {
    const ada = await member(address());
    openid.as(honest(ada.email));
    const otp = '0123456789abcdef'.repeat(4);
    const { page } = await logIn(invited, { query: `?mobile_flow_otp=${otp}` });
    expect(page.status).toBe(302);
    const to = new URL(page.location);
    expect([to.protocol, to.host]).toEqual(['parley:', 'login']);
    expect(page.location).not.toContain(ada.apiKey);
    const encrypted = Buffer.from(to.searchParams.get('otp_encrypted_api_key') ?? '', 'hex');
    const pad = Buffer.from(otp, 'hex');
    expect(Buffer.from(encrypted.map((byte, index) => byte ^ (pad[index] ?? 0))).toString()).toBe(ada.apiKey);
    expect(Object.fromEntries(to.searchParams)).toMatchObject({
      email: ada.email,
      user_id: String(ada.id),
      realm: 'http://invited.localhost',
    });
  });

  test.each(['', 'abc', 'g'.repeat(64), '0'.repeat(63), '0'.repeat(66)])('needs a valid pad: not %j', async (otp) => {
    const answer = await openBrowser(chat, open).get(`/accounts/login/oidc/acme?mobile_flow_otp=${otp}`);
    expect([answer.status, JSON.parse(answer.text).msg]).toEqual([400, expect.stringMatching(/mobile_flow_otp/)]);
  });
});

describe('an ID token of the provider', () => {
  const claimed = async (more: object) => {
    const email = address();
    await member(email);
    liar.lies((claims) => JSON.parse(JSON.stringify({ ...claims, ...honest(email), ...more })));
    return logIn(invited, { id: 'liar' });
  };

  test('that is valid logs in', async () => {
    expect((await claimed({})).page.status).toBe(200);
  });

  test.each([
    ['has another nonce', { nonce: 'another' }],
    ['has no nonce', { nonce: undefined }],
    ['is for another client', { aud: 'another' }],
    ['is for others as well', { aud: [CLIENT.client_id, 'another'], azp: 'another' }],
    ['is of another issuer', { iss: 'https://id.example.com' }],
    ['has expired', { exp: 1 }],
    ['never expires', { exp: undefined }],
    ['has no subject', { sub: undefined }],
  ])('that %s logs no user in', async (_, more) => {
    const { page } = await claimed(more);
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('does not prove')]);
  });

  test('that is missing logs no user in', async () => {
    liar.lies(() => undefined);
    expect((await logIn(invited, { id: 'liar' })).page.status).toBe(403);
  });
});

describe('a provider that is down', () => {
  const sentence = (name: string) => `${name} does not answer, so it cannot say who you are. Try again in a minute.`;

  test('shows an error at the beginning and at the callback', async () => {
    const away = await openBrowser(chat, open).get('/accounts/login/oidc/down');
    expect([away.status, away.text]).toEqual([503, expect.stringContaining(sentence('Down'))]);
    const browser = openBrowser(chat, open);
    const back = await cameBack(browser, { id: 'liar' });
    liar.fails(503);
    const page = await browser.get(path(back));
    expect([page.status, page.text]).toEqual([503, expect.stringContaining(sentence('Liar'))]);
  });

  test('is asked again the next time, and doctor reports what is wrong', async () => {
    const late = await createIdentity(
      readConfig({
        PARLEY_OIDC: JSON.stringify([{ id: 'x', name: 'X', issuer: `${openid.issuer}/x`, client_id: 'x' }]),
      }).identity,
    );
    await expect(late.providers[0]?.check()).rejects.toThrow(/\/x cannot be used/);
    await expect(late.providers[0]?.check()).rejects.toMatchObject({ name: 'Unavailable' });
  });
});

test('with https the cookie has the prefix __Host-', async () => {
  const secure = await startChat({ ownDatabase: true, scheme: 'https', identity: chat.app.server.identity });
  try {
    await secure.owner.api.updateRealm({ authentication_methods: { 'OpenID Connect': true } });
    const answer = await secure.fetch('/accounts/login/oidc/liar');
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-parley_sign_in_.*Path=\/; .*HttpOnly; Secure; SameSite=Lax$/,
    );
    const asked = new URL(answer.headers.get('location') ?? '').searchParams;
    expect(asked.get('redirect_uri')).toBe('https://localhost/accounts/callback/oidc/liar');
  } finally {
    await secure.close();
  }
});
