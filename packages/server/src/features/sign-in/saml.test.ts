import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, grantIn, keyIn, openBrowser } from '../../../test/browser.ts';
import { makeCertificate } from '../../../test/certificate.ts';
import { type Chat, startChat } from '../../../test/chat.ts';
import {
  assertionOf,
  ISSUER,
  makeSamlProvider,
  readRequest,
  responseOf,
  type SamlAssertion,
  type SamlProvider,
  type SamlRequest,
} from '../../../test/saml.ts';
import { readConfig } from '../../config/index.ts';
import type { Realm } from '../../core/context.ts';
import { createIdentity } from '../../identity/index.ts';
import { createUser } from '../user-admin/index.ts';

const CALLBACK = '/accounts/callback/saml/corp';
const MINUTE = 60_000;

let provider: SamlProvider;
let chat: Chat;
let invited: Realm;
let open: Realm;
beforeAll(async () => {
  provider = await makeSamlProvider();
  const common = { issuer: ISSUER, login_url: 'https://idp.example.com/login' };
  const base64 = new X509Certificate(provider.certificate).raw.toString('base64');
  const PARLEY_SAML = JSON.stringify([
    { id: 'corp', name: 'Corp', certificate: provider.certificate, ...common },
    { id: 'other', name: 'Other', certificate: [base64], email: 'mail', full_name: 'displayName', ...common },
  ]);
  chat = await startChat({ ownDatabase: true, identity: await createIdentity(readConfig({ PARLEY_SAML }).identity) });
  const houses = [await chat.otherRealm('invited'), await chat.otherRealm('open')] as const;
  for (const { owner } of houses) await owner.api.updateRealm({ authentication_methods: { SAML: true } });
  await houses[1].owner.api.updateRealm({ invite_required: false });
  [invited, open] = [houses[0].realm, houses[1].realm];
});
afterAll(() => chat.close());

let made = 0;
const address = () => `person${made++}@corp.example`;
async function member(email: string, realm = invited) {
  const wanted = { email, full_name: 'Already Here', role: 400 };
  return chat.person(await chat.act((ctx) => createUser(ctx, wanted), realm), realm, false);
}

async function leave(browser: Browser, { way = 'login', id = 'corp', query = '' } = {}): Promise<SamlRequest> {
  const away = await browser.get(`/accounts/${way}/saml/${id}${query}`);
  expect(away.status, away.text).toBe(302);
  return readRequest(away.location);
}
const encoded = (xml: string): string => Buffer.from(xml).toString('base64');
/** Posts a response as the provider's page does, and follows the redirects. */
async function bring(browser: Browser, { relay_state }: Pick<SamlRequest, 'relay_state'>, xml: string, to = CALLBACK) {
  const posted = await browser.postFromElsewhere(to, { SAMLResponse: encoded(xml), RelayState: relay_state });
  if (posted.status !== 303) return posted;
  const { pathname, search } = new URL(posted.location);
  return browser.get(pathname + search);
}
const answerTo = (asked: SamlRequest, email: string, more: Partial<SamlAssertion> = {}): string =>
  provider.sign(responseOf(asked, assertionOf(asked, email, more)), 'Assertion');
async function logIn(
  email: string,
  more: Partial<SamlAssertion> = {},
  how: Parameters<typeof leave>[1] = {},
  realm = invited,
) {
  const browser = openBrowser(chat, realm);
  const asked = await leave(browser, how);
  const page = await bring(browser, asked, answerTo(asked, email, more), CALLBACK.replace('corp', how.id ?? 'corp'));
  return { browser, page };
}
const nobody = { status: 403, text: expect.stringContaining('does not prove') };
const void_ = { status: 403, text: expect.stringContaining('has expired') };

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
  const ada = await member(address());
  const { browser, page } = await logIn(ada.email.toUpperCase());
  expect([page.status, page.text.includes(ada.email), page.text.includes(ada.apiKey)]).toEqual([200, true, false]);
  expect(keyIn(await browser.post('/accounts/key', { grant: grantIn(page) }))).toBe(ada.apiKey);
});

test('a client with a one-time pad is redirected to', async () => {
  const ada = await member(address());
  const { page } = await logIn(ada.email, {}, { query: `?mobile_flow_otp=${'0'.repeat(64)}` });
  expect(page.status).toBe(302);
  const encrypted = new URL(page.location).searchParams.get('otp_encrypted_api_key') ?? '';
  expect(Buffer.from(encrypted, 'hex').toString()).toBe(ada.apiKey);
});

test("a new user joins with the address and the name in the provider's attributes", async () => {
  const email = address();
  const attributes = { mail: email, displayName: 'Ada Lovelace' };
  const how = { way: 'register', id: 'other' };
  const { browser, page } = await logIn('opaque-1', { attributes }, how, open);
  const apiKey = keyIn(await browser.post('/accounts/key', { grant: grantIn(page) }));
  const me = await chat.apiOf(open, { email, apiKey }).getOwnUser();
  expect(me).toMatchObject({ full_name: 'Ada Lovelace', delivery_email: email });
  expect((await logIn(address(), {}, { way: 'register' })).page.text).toMatch(/by invitation only/);
  expect((await logIn('opaque-1', { attributes: { displayName: 'Ada' } }, how, open)).page).toMatchObject(nobody);
});

describe('a response that logs no user in', () => {
  test.each<[string, (asked: SamlRequest) => Partial<SamlAssertion>]>([
    ['has expired', () => ({ not_on_or_after: new Date(Date.now() - 2 * MINUTE) })],
    ['is not valid yet', () => ({ not_before: new Date(Date.now() + 5 * MINUTE) })],
    ['is for another service', () => ({ audience: 'https://other.example' })],
    ['is for no service', () => ({ audience: undefined })],
    ['is of another issuer', () => ({ issuer: 'https://evil.example' })],
    ['is for another address', ({ callback }) => ({ recipient: callback.replace('invited', 'open') })],
    ['is for no address', () => ({ recipient: undefined })],
    ['is for another request', () => ({ in_response_to: '_another' })],
    ['is for no request', () => ({ in_response_to: undefined })],
  ])('%s', async (_, more) => {
    const ada = await member(address());
    const browser = openBrowser(chat, invited);
    const asked = await leave(browser);
    expect(await bring(browser, asked, answerTo(asked, ada.email, more(asked)))).toMatchObject(nobody);
  });

  test.each<[string, (asked: SamlRequest, email: string) => string | Promise<string>]>([
    ['is not signed', (asked, email) => responseOf(asked, assertionOf(asked, email))],
    [
      'is signed by a stranger',
      async (asked, email) => {
        const { key } = await makeCertificate('idp.example.com');
        return provider.sign(responseOf(asked, assertionOf(asked, email)), 'Assertion', key);
      },
    ],
    ['was changed', (asked, email) => answerTo(asked, 'x@corp.example').replaceAll('x@corp.example', email)],
    [
      'is signed around the assertion only',
      (asked, email) => provider.sign(responseOf(asked, assertionOf(asked, email)), 'Response'),
    ],
    [
      'has two assertions',
      (asked, email) => inserted(answerTo(asked, 'x@corp.example'), assertionOf(asked, email), 'first'),
    ],
    [
      'has another assertion behind',
      (asked, email) => inserted(answerTo(asked, 'x@corp.example'), assertionOf(asked, email), 'last'),
    ],
    [
      'hides the signed assertion in its signature',
      (asked, email) => wrapped(answerTo(asked, 'x@corp.example'), assertionOf(asked, email)),
    ],
    [
      'has two elements with one id',
      (asked, email) => sameId(answerTo(asked, 'x@corp.example'), assertionOf(asked, email)),
    ],
    ['has a document type', (asked, email) => `<!DOCTYPE r [<!ENTITY a "${email}">]>${answerTo(asked, email)}`],
    ['is a bomb', (asked) => `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">${bomb()}]>${answerTo(asked, '&z;')}`],
    ['has no subject', (asked) => responseOf(asked, '')],
    ['is no response', () => '<html/>'],
    ['is nothing', () => ''],
    ['is no XML', () => 'hello'],
  ])('%s', async (_, make) => {
    const ada = await member(address());
    const browser = openBrowser(chat, invited);
    const asked = await leave(browser);
    expect(await bring(browser, asked, await make(asked, ada.email))).toMatchObject(nobody);
  });

  test('an address is read whole, also with XML comments in it', async () => {
    const ada = await member(address());
    const evil = await member(`${ada.email}.evil.example`);
    const browser = openBrowser(chat, invited);
    const asked = await leave(browser);
    const signed = answerTo(asked, evil.email).replace(evil.email, `${ada.email}<!-- -->.evil.example`);
    const page = await bring(browser, asked, signed);
    expect(keyIn(await browser.post('/accounts/key', { grant: grantIn(page) }))).toBe(evil.apiKey);
  });

  test('is one that is too long', async () => {
    const browser = openBrowser(chat, invited);
    const asked = await leave(browser);
    const page = await bring(browser, asked, ' '.repeat(600 * 1024));
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('BAD_REQUEST')]);
  });
});

describe('a response', () => {
  test('is valid once', async () => {
    const ada = await member(address());
    const browser = openBrowser(chat, invited);
    const asked = await leave(browser);
    const xml = answerTo(asked, ada.email);
    const pages = await Promise.all([bring(browser, asked, xml), bring(browser, asked, xml)]);
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(await bring(browser, asked, xml)).toMatchObject(void_);
  });

  test('is not valid for another request', async () => {
    const ada = await member(address());
    const browser = openBrowser(chat, invited);
    const first = await leave(browser);
    const second = await leave(browser);
    expect(await bring(browser, second, answerTo(first, ada.email))).toMatchObject(nobody);
  });

  test('is rejected without a request', async () => {
    const ada = await member(address());
    const browser = openBrowser(chat, invited);
    const asked = await leave(browser);
    for (const relay_state of ['', 'x', 'https://evil.example/'])
      expect(await bring(browser, { relay_state }, answerTo(asked, ada.email))).toMatchObject(void_);
  });

  test('is not valid for another organization, or for another provider', async () => {
    const ada = await member(address());
    const browser = openBrowser(chat, invited);
    const asked = await leave(browser);
    const posted = { SAMLResponse: encoded(answerTo(asked, ada.email)), RelayState: asked.relay_state };
    expect(await browser.postFromElsewhere(CALLBACK, posted, open)).toMatchObject(void_);
    expect(await browser.postFromElsewhere(CALLBACK.replace('corp', 'other'), posted)).toMatchObject(void_);
    expect((await bring(browser, asked, answerTo(asked, ada.email))).status).toBe(200);
  });

  test('logs no user in when posted by a browser that did not begin the sign-in', async () => {
    const ada = await member(address());
    const asked = await leave(openBrowser(chat, invited));
    const victim = openBrowser(chat, invited);
    await leave(victim);
    expect(await bring(victim, asked, answerTo(asked, ada.email))).toMatchObject(void_);
  });

  test('leads to a page that is valid for ten minutes, in this browser and organization', async () => {
    const ada = await member(address());
    await member(ada.email, open);
    const browser = openBrowser(chat, invited);
    const asked = await leave(browser);
    const posted = { SAMLResponse: encoded(answerTo(asked, ada.email)), RelayState: asked.relay_state };
    const { pathname, search } = new URL((await browser.postFromElsewhere(CALLBACK, posted)).location);
    const at = pathname + search;
    expect(await browser.get(at, open)).toMatchObject(void_);
    expect(await openBrowser(chat, invited).get(at)).toMatchObject(void_);
    expect(await browser.get(`${pathname}?arrival=x`)).toMatchObject(void_);
    const page = await browser.get(at);
    expect(page.status).toBe(200);
    // The grant to show the key is no proof of identity, nor the other way round.
    expect(await browser.get(`${pathname}?${new URLSearchParams({ arrival: grantIn(page) })}`)).toMatchObject(void_);
    const arrival = new URLSearchParams(search).get('arrival') ?? '';
    expect((await browser.post('/accounts/key', { grant: arrival })).status).toBe(403);
    chat.clock.advance({ minutes: 11 });
    expect(await browser.get(at)).toMatchObject(void_);
  });
});

/** Adds an unsigned assertion beside the signed one. */
function inserted(xml: string, assertion: string, where: 'first' | 'last'): string {
  return where === 'first'
    ? xml.replace('<Assertion', `${assertion}<Assertion`)
    : xml.replace('</Response>', `${assertion}</Response>`);
}

/** Moves the signed assertion into the signature of an unsigned one, which takes its place. */
function wrapped(xml: string, assertion: string): string {
  const original = /<Assertion.*<\/Assertion>/s.exec(xml)?.[0] ?? '';
  const signature = /<Signature.*<\/Signature>/s.exec(original)?.[0] ?? '';
  const hiding = signature.replace('</Signature>', `<Object>${original.replace(signature, '')}</Object></Signature>`);
  return xml.replace(original, assertion.replace('<Subject>', `${hiding}<Subject>`));
}

/** Gives the unsigned assertion the id that the signature refers to, and the signature. */
function sameId(xml: string, assertion: string): string {
  const original = /<Assertion.*<\/Assertion>/s.exec(xml)?.[0] ?? '';
  const signature = /<Signature.*<\/Signature>/s.exec(original)?.[0] ?? '';
  const id = /ID="([^"]+)"/.exec(original)?.[1] ?? '';
  const evil = assertion.replace(/ID="[^"]+"/, `ID="${id}"`).replace('<Subject>', `${signature}<Subject>`);
  return xml.replace(original, `<Extensions>${original}</Extensions>${evil}`);
}

/** Each entity expands to ten of the one before. */
function bomb(): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  return [...letters.slice(1)].map((one, at) => `<!ENTITY ${one} "${`&${letters[at]};`.repeat(10)}">`).join('');
}
