import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantIn, keyIn, openBrowser } from '../../../test/browser.ts';
import type { Chat } from '../../../test/chat.ts';
import { createAddress, createMember } from '../../../test/fixtures/members.ts';
import { logIn, type OpenIdChat, startOpenIdChat, verified } from '../../../test/fixtures/openid-chat.ts';
import type { OpenId } from '../../../test/openid.ts';
import type { Realm } from '../../core/context.ts';
import { deactivateUser, rotateKey } from '../user-admin/index.ts';

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

test('the form shows the current key, while the account is active', async () => {
  const ada = await createMember(chat, invited, createAddress());
  openid.as(verified(ada.email));
  const { browser, page } = await logIn(chat, invited);
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
    const ada = await createMember(chat, invited, createAddress());
    openid.as(verified(ada.email));
    const otp = '0123456789abcdef'.repeat(4);
    const { page } = await logIn(chat, invited, { query: `?mobile_flow_otp=${otp}` });
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
