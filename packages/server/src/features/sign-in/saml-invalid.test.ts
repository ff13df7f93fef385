import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantIn, keyIn, openBrowser } from '../../../test/browser.ts';
import { makeCertificate } from '../../../test/certificate.ts';
import type { Chat } from '../../../test/chat.ts';
import { createAddress, createMember } from '../../../test/fixtures/members.ts';
import {
  beginSignIn,
  createResponse,
  NOT_PROVEN,
  postResponse,
  startSamlChat,
} from '../../../test/fixtures/saml-chat.ts';
import {
  assertionOf,
  responseOf,
  type SamlAssertion,
  type SamlProvider,
  type SamlRequest,
} from '../../../test/saml.ts';
import type { Realm } from '../../core/context.ts';

let chat: Chat;
let provider: SamlProvider;
let invited: Realm;
beforeAll(async () => {
  ({ chat, provider, invited } = await startSamlChat());
});
afterAll(() => chat.close());

const MINUTE = 60_000;

describe('a response that logs no user in', () => {
  test.each<[string, (request: SamlRequest) => Partial<SamlAssertion>]>([
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
    const ada = await createMember(chat, invited, createAddress('corp.example'));
    const browser = openBrowser(chat, invited);
    const request = await beginSignIn(browser);
    expect(
      await postResponse(browser, request, createResponse(provider, request, ada.email, more(request))),
    ).toMatchObject(NOT_PROVEN);
  });

  test.each<[string, (request: SamlRequest, email: string) => string | Promise<string>]>([
    ['is not signed', (request, email) => responseOf(request, assertionOf(request, email))],
    [
      'is signed by a stranger',
      async (request, email) => {
        const { key } = await makeCertificate('idp.example.com');
        return provider.sign(responseOf(request, assertionOf(request, email)), 'Assertion', key);
      },
    ],
    [
      'was changed',
      (request, email) => createResponse(provider, request, 'x@corp.example').replaceAll('x@corp.example', email),
    ],
    [
      'is signed around the assertion only',
      (request, email) => provider.sign(responseOf(request, assertionOf(request, email)), 'Response'),
    ],
    [
      'has two assertions',
      (request, email) =>
        insertAssertion(createResponse(provider, request, 'x@corp.example'), assertionOf(request, email), 'first'),
    ],
    [
      'has another assertion behind',
      (request, email) =>
        insertAssertion(createResponse(provider, request, 'x@corp.example'), assertionOf(request, email), 'last'),
    ],
    [
      'hides the signed assertion in its signature',
      (request, email) =>
        wrapAssertion(createResponse(provider, request, 'x@corp.example'), assertionOf(request, email)),
    ],
    [
      'has two elements with one id',
      (request, email) => repeatId(createResponse(provider, request, 'x@corp.example'), assertionOf(request, email)),
    ],
    [
      'has a document type',
      (request, email) => `<!DOCTYPE r [<!ENTITY a "${email}">]>${createResponse(provider, request, email)}`,
    ],
    [
      'is a bomb',
      (request) =>
        `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">${createEntityBomb()}]>${createResponse(provider, request, '&z;')}`,
    ],
    ['has no subject', (request) => responseOf(request, '')],
    ['is no response', () => '<html/>'],
    ['is nothing', () => ''],
    ['is no XML', () => 'hello'],
  ])('%s', async (_, make) => {
    const ada = await createMember(chat, invited, createAddress('corp.example'));
    const browser = openBrowser(chat, invited);
    const request = await beginSignIn(browser);
    expect(await postResponse(browser, request, await make(request, ada.email))).toMatchObject(NOT_PROVEN);
  });

  test('an address is read whole, also with XML comments in it', async () => {
    const ada = await createMember(chat, invited, createAddress('corp.example'));
    const evil = await createMember(chat, invited, `${ada.email}.evil.example`);
    const browser = openBrowser(chat, invited);
    const request = await beginSignIn(browser);
    const signed = createResponse(provider, request, evil.email).replace(
      evil.email,
      `${ada.email}<!-- -->.evil.example`,
    );
    const page = await postResponse(browser, request, signed);
    expect(keyIn(await browser.post('/accounts/key', { grant: grantIn(page) }))).toBe(evil.apiKey);
  });

  test('is one that is too long', async () => {
    const browser = openBrowser(chat, invited);
    const request = await beginSignIn(browser);
    const page = await postResponse(browser, request, ' '.repeat(600 * 1024));
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('BAD_REQUEST')]);
  });
});

/** Adds an unsigned assertion beside the signed one. */
function insertAssertion(xml: string, assertion: string, where: 'first' | 'last'): string {
  return where === 'first'
    ? xml.replace('<Assertion', `${assertion}<Assertion`)
    : xml.replace('</Response>', `${assertion}</Response>`);
}

/** Moves the signed assertion into the signature of an unsigned one, which takes its place. */
function wrapAssertion(xml: string, assertion: string): string {
  const original = /<Assertion.*<\/Assertion>/s.exec(xml)?.[0] ?? '';
  const signature = /<Signature.*<\/Signature>/s.exec(original)?.[0] ?? '';
  const hiding = signature.replace('</Signature>', `<Object>${original.replace(signature, '')}</Object></Signature>`);
  return xml.replace(original, assertion.replace('<Subject>', `${hiding}<Subject>`));
}

/** Gives the unsigned assertion the id that the signature refers to, and the signature. */
function repeatId(xml: string, assertion: string): string {
  const original = /<Assertion.*<\/Assertion>/s.exec(xml)?.[0] ?? '';
  const signature = /<Signature.*<\/Signature>/s.exec(original)?.[0] ?? '';
  const id = /ID="([^"]+)"/.exec(original)?.[1] ?? '';
  const evil = assertion.replace(/ID="[^"]+"/, `ID="${id}"`).replace('<Subject>', `${signature}<Subject>`);
  return xml.replace(original, `<Extensions>${original}</Extensions>${evil}`);
}

/** Each entity expands to ten of the one before. */
function createEntityBomb(): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  return [...letters.slice(1)].map((one, at) => `<!ENTITY ${one} "${`&${letters[at]};`.repeat(10)}">`).join('');
}
