import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBrowser } from '../../../test/browser.ts';
import type { Chat } from '../../../test/chat.ts';
import { createAddress, createMember } from '../../../test/fixtures/members.ts';
import {
  getCallbackUrl,
  type Liar,
  logIn,
  type OpenIdChat,
  pathOf,
  startOpenIdChat,
  verified,
} from '../../../test/fixtures/openid-chat.ts';
import { CLIENT, type OpenId } from '../../../test/openid.ts';
import { readConfig } from '../../config/index.ts';
import type { Realm } from '../../core/context.ts';
import { createIdentity } from '../../identity/index.ts';

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

describe('an ID token of the provider', () => {
  const claimed = async (more: object) => {
    const email = createAddress();
    await createMember(chat, invited, email);
    liar.lies((claims) => JSON.parse(JSON.stringify({ ...claims, ...verified(email), ...more })));
    return logIn(chat, invited, { id: 'liar' });
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
    expect((await logIn(chat, invited, { id: 'liar' })).page.status).toBe(403);
  });
});

describe('a provider that is down', () => {
  const sentence = (name: string) => `${name} does not respond, so it cannot say who you are. Try again in a minute.`;

  test('shows an error at the beginning and at the callback', async () => {
    const away = await openBrowser(chat, open).get('/accounts/login/oidc/down');
    expect([away.status, away.text]).toEqual([503, expect.stringContaining(sentence('Down'))]);
    const browser = openBrowser(chat, open);
    const back = await getCallbackUrl(browser, { id: 'liar' });
    liar.fails(503);
    const page = await browser.get(pathOf(back));
    expect([page.status, page.text]).toEqual([503, expect.stringContaining(sentence('Liar'))]);
  });

  test('is requested again the next time, and doctor reports what is wrong', async () => {
    const late = await createIdentity(
      readConfig({
        PARLEY_OIDC: JSON.stringify([{ id: 'x', name: 'X', issuer: `${openid.issuer}/x`, client_id: 'x' }]),
      }).identity,
    );
    await expect(late.providers[0]?.check()).rejects.toThrow(/\/x cannot be used/);
    await expect(late.providers[0]?.check()).rejects.toMatchObject({ name: 'IdentityServiceUnavailable' });
  });
});
