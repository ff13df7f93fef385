import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantIn, keyIn, openBrowser } from '../../../test/browser.ts';
import type { Chat } from '../../../test/chat.ts';
import { createAddress, createMember } from '../../../test/fixtures/members.ts';
import {
  beginSignIn,
  CALLBACK,
  createResponse,
  EXPIRED,
  NOT_PROVEN,
  postResponse,
  startSamlChat,
  toBase64,
} from '../../../test/fixtures/saml-chat.ts';
import type { SamlAssertion, SamlProvider } from '../../../test/saml.ts';
import type { Realm } from '../../core/context.ts';

let chat: Chat;
let provider: SamlProvider;
let invited: Realm;
let open: Realm;
beforeAll(async () => {
  ({ chat, provider, invited, open } = await startSamlChat());
});
afterAll(() => chat.close());

async function logIn(
  email: string,
  more: Partial<SamlAssertion> = {},
  how: Parameters<typeof beginSignIn>[1] = {},
  realm = invited,
) {
  const browser = openBrowser(chat, realm);
  const request = await beginSignIn(browser, how);
  const page = await postResponse(
    browser,
    request,
    createResponse(provider, request, email, more),
    CALLBACK.replace('corp', how.id ?? 'corp'),
  );
  return { browser, page };
}

// shows: 5.9
test('the method is announced where the organization has enabled it', async () => {
  const { external_authentication_methods, authentication_methods } = await chat.apiOf(open).getServerSettings();
  expect(authentication_methods.saml).toBe(true);
  expect(external_authentication_methods.map(({ name, login_url }) => [name, login_url])).toEqual([
    ['saml:corp', 'http://open.localhost/accounts/login/saml/corp'],
    ['saml:other', 'http://open.localhost/accounts/login/saml/other'],
  ]);
  expect((await chat.apiOf(chat.realm).getServerSettings()).external_authentication_methods).toEqual([]);
});

test('the metadata name the callback URL, and require signed assertions', async () => {
  const { status, headers, text } = await openBrowser(chat, open).get('/accounts/metadata/saml/corp');
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('application/samlmetadata+xml')]);
  expect(text).toContain('entityID="http://open.localhost/accounts/metadata/saml/corp"');
  expect(text).toContain('Location="http://open.localhost/accounts/callback/saml/corp"');
  expect(text).toContain('WantAssertionsSigned="true"');
  expect((await openBrowser(chat, chat.realm).get('/accounts/metadata/saml/corp')).status).toBe(404);
});

test('a valid response logs the user in, and the form shows the key', async () => {
  const ada = await createMember(chat, invited, createAddress('corp.example'));
  const { browser, page } = await logIn(ada.email.toUpperCase());
  expect([page.status, page.text.includes(ada.email), page.text.includes(ada.apiKey)]).toEqual([200, true, false]);
  expect(keyIn(await browser.post('/accounts/key', { grant: grantIn(page) }))).toBe(ada.apiKey);
});

test('a client with a one-time pad is redirected to', async () => {
  const ada = await createMember(chat, invited, createAddress('corp.example'));
  const { page } = await logIn(ada.email, {}, { query: `?mobile_flow_otp=${'0'.repeat(64)}` });
  expect(page.status).toBe(302);
  const encrypted = new URL(page.location).searchParams.get('otp_encrypted_api_key') ?? '';
  expect(Buffer.from(encrypted, 'hex').toString()).toBe(ada.apiKey);
});

test("a new user joins with the address and the name in the provider's attributes", async () => {
  const email = createAddress('corp.example');
  const attributes = { mail: email, displayName: 'Ada Lovelace' };
  const how = { way: 'register', id: 'other' };
  const { browser, page } = await logIn('opaque-1', { attributes }, how, open);
  const apiKey = keyIn(await browser.post('/accounts/key', { grant: grantIn(page) }));
  const me = await chat.apiOf(open, { email, apiKey }).getOwnUser();
  expect(me).toMatchObject({ full_name: 'Ada Lovelace', delivery_email: email });
  expect((await logIn(createAddress('corp.example'), {}, { way: 'register' })).page.text).toMatch(/by invitation only/);
  expect((await logIn('opaque-1', { attributes: { displayName: 'Ada' } }, how, open)).page).toMatchObject(NOT_PROVEN);
});

describe('a response', () => {
  test('is valid once', async () => {
    const ada = await createMember(chat, invited, createAddress('corp.example'));
    const browser = openBrowser(chat, invited);
    const request = await beginSignIn(browser);
    const xml = createResponse(provider, request, ada.email);
    const pages = await Promise.all([postResponse(browser, request, xml), postResponse(browser, request, xml)]);
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(await postResponse(browser, request, xml)).toMatchObject(EXPIRED);
  });

  test('is not valid for another request', async () => {
    const ada = await createMember(chat, invited, createAddress('corp.example'));
    const browser = openBrowser(chat, invited);
    const first = await beginSignIn(browser);
    const second = await beginSignIn(browser);
    expect(await postResponse(browser, second, createResponse(provider, first, ada.email))).toMatchObject(NOT_PROVEN);
  });

  test('is rejected without a request', async () => {
    const ada = await createMember(chat, invited, createAddress('corp.example'));
    const browser = openBrowser(chat, invited);
    const request = await beginSignIn(browser);
    for (const relay_state of ['', 'x', 'https://evil.example/'])
      expect(await postResponse(browser, { relay_state }, createResponse(provider, request, ada.email))).toMatchObject(
        EXPIRED,
      );
  });

  test('is not valid for another organization, or for another provider', async () => {
    const ada = await createMember(chat, invited, createAddress('corp.example'));
    const browser = openBrowser(chat, invited);
    const request = await beginSignIn(browser);
    const posted = {
      SAMLResponse: toBase64(createResponse(provider, request, ada.email)),
      RelayState: request.relay_state,
    };
    expect(await browser.postFromElsewhere(CALLBACK, posted, open)).toMatchObject(EXPIRED);
    expect(await browser.postFromElsewhere(CALLBACK.replace('corp', 'other'), posted)).toMatchObject(EXPIRED);
    expect((await postResponse(browser, request, createResponse(provider, request, ada.email))).status).toBe(200);
  });

  test('logs no user in when posted by a browser that did not begin the sign-in', async () => {
    const ada = await createMember(chat, invited, createAddress('corp.example'));
    const request = await beginSignIn(openBrowser(chat, invited));
    const victim = openBrowser(chat, invited);
    await beginSignIn(victim);
    expect(await postResponse(victim, request, createResponse(provider, request, ada.email))).toMatchObject(EXPIRED);
  });

  test('leads to a page that is valid for ten minutes, in this browser and organization', async () => {
    const ada = await createMember(chat, invited, createAddress('corp.example'));
    await createMember(chat, open, ada.email);
    const browser = openBrowser(chat, invited);
    const request = await beginSignIn(browser);
    const posted = {
      SAMLResponse: toBase64(createResponse(provider, request, ada.email)),
      RelayState: request.relay_state,
    };
    const { pathname, search } = new URL((await browser.postFromElsewhere(CALLBACK, posted)).location);
    const at = pathname + search;
    expect(await browser.get(at, open)).toMatchObject(EXPIRED);
    expect(await openBrowser(chat, invited).get(at)).toMatchObject(EXPIRED);
    expect(await browser.get(`${pathname}?arrival=x`)).toMatchObject(EXPIRED);
    const page = await browser.get(at);
    expect(page.status).toBe(200);
    // The grant to show the key is no proof of identity, nor the other way round.
    expect(await browser.get(`${pathname}?${new URLSearchParams({ arrival: grantIn(page) })}`)).toMatchObject(EXPIRED);
    const arrival = new URLSearchParams(search).get('arrival') ?? '';
    expect((await browser.post('/accounts/key', { grant: arrival })).status).toBe(403);
    chat.clock.advance({ minutes: 11 });
    expect(await browser.get(at)).toMatchObject(EXPIRED);
  });
});
