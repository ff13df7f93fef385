import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { grantIn, openBrowser } from '../../../test/browser.ts';
import type { Chat } from '../../../test/chat.ts';
import { createAddress, createMember } from '../../../test/fixtures/members.ts';
import {
  CALLBACK,
  getCallbackUrl,
  type Liar,
  logIn,
  type OpenIdChat,
  pathOf,
  startOpenIdChat,
  verified,
} from '../../../test/fixtures/openid-chat.ts';
import type { OpenId } from '../../../test/openid.ts';
import type { Realm } from '../../core/context.ts';
import { deleteExpiredSignIns } from '../auth/index.ts';
import { deactivateRealm, reactivateRealm } from '../realm-admin/index.ts';

let fixture: OpenIdChat;
let chat: Chat;
let openid: OpenId;
let liar: Liar;
let open: Realm;
let invited: Realm;
beforeAll(async () => {
  fixture = await startOpenIdChat();
  ({ chat, openid, liar, open, invited } = fixture);
});
beforeEach(() => {
  liar.lies((claims) => claims);
  liar.fails(200);
});
afterAll(() => fixture.close());

describe('a callback URL', () => {
  const notLoggedIn = { status: 403, text: expect.stringContaining('has expired') };

  test('is valid once', async () => {
    const ada = await createMember(chat, invited, createAddress());
    openid.as(verified(ada.email));
    const browser = openBrowser(chat, invited);
    const back = pathOf(await getCallbackUrl(browser));
    const both = await Promise.all([browser.get(back), browser.get(back)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(await browser.get(back)).toMatchObject(notLoggedIn);
  });

  test('is valid for the browser that began the sign-in, which can begin two at once', async () => {
    const ada = await createMember(chat, invited, createAddress());
    liar.lies((claims) => ({ ...claims, ...verified(ada.email) }));
    const browser = openBrowser(chat, invited);
    const leave = async () => pathOf(await getCallbackUrl(browser, { id: 'liar' }));
    const [first, second] = [await leave(), await leave()];
    const stranger = openBrowser(chat, invited);
    expect(await stranger.get(first)).toMatchObject(notLoggedIn);
    await getCallbackUrl(stranger);
    expect(await stranger.get(first)).toMatchObject(notLoggedIn);
    expect(await browser.get(first)).toMatchObject({ status: 200 });
    expect(await browser.get(second)).toMatchObject({ status: 200 });
  });

  test('is invalid with another state, without one, or with that of another provider', async () => {
    openid.as(verified((await createMember(chat, invited, createAddress())).email));
    const browser = openBrowser(chat, invited);
    const back = await getCallbackUrl(browser);
    for (const state of ['', 'x'.repeat(43), '\0', `${back.searchParams.get('state')}x`]) {
      const other = new URL(back);
      other.searchParams.set('state', state);
      expect(await browser.get(pathOf(other))).toMatchObject(notLoggedIn);
    }
    expect(await browser.get(CALLBACK)).toMatchObject(notLoggedIn);
    expect(await browser.get(pathOf(back).replace('/acme', '/liar'))).toMatchObject(notLoggedIn);
    expect((await browser.get(pathOf(back))).status).toBe(200);
  });

  test('is invalid at another organization that has an account with this address as well', async () => {
    const email = createAddress();
    await createMember(chat, invited, email);
    await createMember(chat, open, email);
    openid.as(verified(email));
    const browser = openBrowser(chat, invited);
    const back = pathOf(await getCallbackUrl(browser));
    expect(await browser.get(back, open)).toMatchObject(notLoggedIn);
    const page = await browser.get(back);
    const grant = grantIn(page);
    expect((await browser.post('/accounts/key', { grant }, open)).status).toBe(403);
    expect((await openBrowser(chat, invited).post('/accounts/key', { grant })).status).toBe(403);
  });

  test("is invalid with the code of another user's login", async () => {
    const [ada, eve] = [
      await createMember(chat, invited, createAddress()),
      await createMember(chat, invited, createAddress()),
    ];
    openid.as(verified(ada.email));
    const hers = await getCallbackUrl(openBrowser(chat, invited));
    openid.as(verified(eve.email));
    const browser = openBrowser(chat, invited);
    const back = await getCallbackUrl(browser);
    back.searchParams.set('code', hers.searchParams.get('code') ?? '');
    const page = await browser.get(pathOf(back));
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('does not prove')]);
  });

  test('expires after ten minutes and is deleted; so does the form that shows the key', async () => {
    const ada = await createMember(chat, invited, createAddress());
    openid.as(verified(ada.email));
    const browser = openBrowser(chat, invited);
    const back = pathOf(await getCallbackUrl(browser));
    const { browser: other, page } = await logIn(chat, invited);
    chat.clock.advance({ minutes: 11 });
    expect(await browser.get(back)).toMatchObject(notLoggedIn);
    expect((await other.post('/accounts/key', { grant: grantIn(page) })).status).toBe(403);
    await deleteExpiredSignIns(chat.database.db, chat.clock());
    expect(await rows(chat.database.db, sql`select state_hash from sign_ins`)).toEqual([]);
  });

  test('redirects to no other site, whatever the parameters say', async () => {
    openid.as(verified((await createMember(chat, invited, createAddress())).email));
    const evil = 'https://evil.example/';
    const query = `?next=${evil}&redirect_uri=${evil}&return_to=${evil}&state=${evil}`;
    const browser = openBrowser(chat, invited);
    const away = await browser.get(`/accounts/login/oidc/acme${query}`);
    expect(away.location).toMatch(new RegExp(`^${openid.issuer}/`));
    expect(away.location).not.toContain('evil');
    const back = await browser.wander(away.location);
    const page = await browser.get(`${pathOf(back)}&next=${evil}&iss=${encodeURIComponent(openid.issuer)}`);
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
