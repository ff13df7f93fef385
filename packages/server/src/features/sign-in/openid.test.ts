import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantIn, keyIn } from '../../../test/browser.ts';
import { type Chat, startChat } from '../../../test/chat.ts';
import { createAddress, createMember } from '../../../test/fixtures/members.ts';
import { logIn, type OpenIdChat, startOpenIdChat, verified } from '../../../test/fixtures/openid-chat.ts';
import type { OpenId } from '../../../test/openid.ts';
import type { Realm } from '../../core/context.ts';
import { createUser, deactivateUser } from '../user-admin/index.ts';

let fixture: OpenIdChat;
let chat: Chat;
let openid: OpenId;
let open: Realm;
let invited: Realm;
beforeAll(async () => {
  fixture = await startOpenIdChat();
  ({ chat, openid, open, invited } = fixture);
});
afterAll(() => fixture.close());

describe('a user who returns from the provider', () => {
  test('is logged in to the account with their address, and sees the key on request', async () => {
    const ada = await createMember(chat, invited, createAddress());
    openid.as(verified(ada.email.toUpperCase()));
    const { browser, page } = await logIn(chat, invited);
    expect([page.status, page.text.includes(ada.email), page.text.includes(ada.apiKey)]).toEqual([200, true, false]);
    const shown = await browser.post('/accounts/key', { grant: grantIn(page) });
    expect([shown.status, keyIn(shown)]).toEqual([200, ada.apiKey]);
  });

  test('sees pages that no script, frame, cache or other site can read', async () => {
    const ada = await createMember(chat, invited, createAddress());
    openid.as(verified(ada.email));
    const { browser, page } = await logIn(chat, invited);
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
    const query = new URL(answer.headers.get('location') ?? '').searchParams;
    expect(query.get('code_challenge_method')).toBe('S256');
    expect(query.get('redirect_uri')).toBe('http://open.localhost/accounts/callback/oidc/acme');
    for (const name of ['state', 'nonce', 'code_challenge']) expect(query.get(name), name).toMatch(/^[\w-]{43}$/);
  });

  test('without an account gets a page that says how to create one, and creates it with the other URL', async () => {
    const email = createAddress();
    openid.as(verified(email, 'Ada *Lovelace*'));
    const { page } = await logIn(chat, open);
    expect(page.status).toBe(403);
    expect(page.text).toContain('href="http://open.localhost/accounts/register/oidc/acme"');
    const { browser, page: joined } = await logIn(chat, open, { way: 'register' });
    const api_key = keyIn(await browser.post('/accounts/key', { grant: grantIn(joined) }));
    const me = await chat.apiOf(open, { email, apiKey: api_key }).getOwnUser();
    expect(me).toMatchObject({ full_name: 'Ada Lovelace', delivery_email: email, role: 400 });
    const again = await logIn(chat, open, { way: 'register' });
    expect(keyIn(await again.browser.post('/accounts/key', { grant: grantIn(again.page) }))).toBe(api_key);
  });

  test('gets no account where an invitation is required', async () => {
    const email = createAddress();
    openid.as(verified(email, '<script>'));
    for (const way of ['login', 'register']) {
      const { page } = await logIn(chat, invited, { way });
      expect([page.status, page.text]).toEqual([403, expect.stringContaining('by invitation only')]);
    }
  });

  test('sees an error for a deactivated account, and for a bot', async () => {
    const ada = await createMember(chat, invited, createAddress());
    await chat.act((ctx) => deactivateUser(ctx, ada.id), invited);
    openid.as(verified(ada.email));
    expect((await logIn(chat, invited)).page.text).toMatch(/deactivated/);
    const newUser = { email: createAddress(), full_name: 'A Bot', role: 400, bot: { type: 1, owner_id: null } };
    await chat.act((ctx) => createUser(ctx, newUser), invited);
    openid.as(verified(newUser.email));
    expect((await logIn(chat, invited)).page).toMatchObject({ status: 403, text: expect.stringContaining('bot') });
  });

  test.each([
    ['unverified', { email_verified: false }],
    ['verified by a word', { email_verified: 'true' }],
    ['without a statement that it is verified', { email_verified: undefined }],
    ['not there', { email: undefined }],
  ])('is not logged in by an address that is %s', async (_, claims) => {
    const ada = await createMember(chat, invited, createAddress());
    openid.as({ ...verified(ada.email), ...claims });
    for (const way of ['login', 'register']) {
      const { page } = await logIn(chat, invited, { way });
      expect([page.status, page.text]).toEqual([403, expect.stringContaining('has not confirmed')]);
      expect(page.text).toContain('Acme &lt;ID&gt;');
    }
  });

  test('is not logged in to an account whose address only looks the same', async () => {
    const ada = await createMember(chat, invited, 'kim@elsewhere.example');
    for (const email of ['\u212aim@elsewhere.example', `${ada.email}\n`, `"${ada.email}"@elsewhere.example`, '@']) {
      openid.as(verified(email));
      const { page } = await logIn(chat, invited);
      if (email.trim() !== ada.email) expect([email, page.status]).toEqual([email, 403]);
    }
  });

  test('sees an error after cancelling the login', async () => {
    openid.as(undefined);
    const { page } = await logIn(chat, invited);
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('did not let you through')]);
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
    const query = new URL(answer.headers.get('location') ?? '').searchParams;
    expect(query.get('redirect_uri')).toBe('https://localhost/accounts/callback/oidc/liar');
  } finally {
    await secure.close();
  }
});
