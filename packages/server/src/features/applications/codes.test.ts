// The authorization codes that applications exchange for their first tokens.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { allow, openThirdParty, register, type ThirdParty, userWithPassword } from '../../../test/third-party.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  ada = await userWithPassword(chat, 'ada');
});
afterAll(() => chat.close());

const open = async (more: Parameters<typeof register>[1] = {}) => openThirdParty(chat, await register(chat, more));
const withToken = (token: string) => chat.apiOf(chat.realm, { token });
const bodyOf = async (response: Response) => ({ status: response.status, body: await response.json() });
const invalid = (error: string, status = 400) => ({ status, body: { error } });

async function codeFor(app: ThirdParty, more: Record<string, string> = {}) {
  const back = await allow(chat, app.authorizationUrl(), ada);
  const { redirect_uri } = app.params;
  const form = { grant_type: 'authorization_code', code: back.searchParams.get('code') ?? '', redirect_uri };
  return { ...form, code_verifier: app.verifier, ...more };
}

describe('an authorization code', () => {
  test.each<[string, Record<string, string>, string]>([
    ['another verifier', { code_verifier: 'v'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_grant'],
    ['another address', { redirect_uri: 'https://app.example.com/call' }, 'invalid_request'],
    ['no address', { redirect_uri: '' }, 'invalid_request'],
  ])('with %s fails, and is used up', async (_what, more, error) => {
    const registered = await register(chat, { is_confidential: false });
    const app = await openThirdParty(chat, registered);
    const form = { ...(await codeFor(app)), client_id: registered.application.client_id };
    expect(await bodyOf(await app.postToken({ ...form, ...more }))).toMatchObject(invalid(error));
    expect(await bodyOf(await app.postToken(form))).toMatchObject(invalid('invalid_grant'));
  });

  test('is valid for a minute, by the clock of the server', async () => {
    const app = await open();
    const [one, other] = [await allow(chat, app.authorizationUrl(), ada), await open()];
    chat.clock.advance({ seconds: 59 });
    await app.exchange(one);
    const late = await allow(chat, other.authorizationUrl(), ada);
    chat.clock.advance({ seconds: 60 });
    await expect(other.exchange(late)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('that is used again fails, and revokes the tokens that it returned', async () => {
    const app = await open();
    const back = await allow(chat, app.authorizationUrl(), ada);
    const { access_token, refresh_token } = await app.exchange(back);
    await withToken(access_token).getOwnUser();
    await expect(app.exchange(back)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expectError('INVALID_TOKEN', withToken(access_token).getOwnUser());
    await expect(app.refresh(refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('is valid for the application that received it only', async () => {
    const [app, other] = [await open(), await open()];
    const back = await allow(chat, app.authorizationUrl(), ada);
    const stolen = new URL(back);
    stolen.searchParams.set('state', other.params.state);
    await expect(other.exchange(stolen)).rejects.toMatchObject({ error: 'invalid_grant' });
    await app.exchange(back);
  });

  test('ends with a later code of the same user', async () => {
    const app = await open();
    const [first, second] = [
      await allow(chat, app.authorizationUrl(), ada),
      await allow(chat, app.authorizationUrl(), ada),
    ];
    await expect(app.exchange(first)).rejects.toMatchObject({ error: 'invalid_grant' });
    await app.exchange(second);
  });

  test.each<[string, (who: TestUser) => Promise<unknown>]>([
    ['the account is deactivated', (who) => chat.owner.api.deactivateUser({ user_id: who.id })],
    [
      'the account was deactivated for a moment',
      async (who) => {
        await chat.owner.api.deactivateUser({ user_id: who.id });
        await chat.owner.api.reactivateUser({ user_id: who.id });
      },
    ],
    ['the API key is regenerated', (who) => who.api.regenerateApiKey({})],
  ])('fails when %s', async (_what, end) => {
    const cleo = await userWithPassword(chat, 'cleo');
    const app = await open();
    const back = await allow(chat, app.authorizationUrl(), cleo);
    await end(cleo);
    await expect(app.exchange(back)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('grants no scope that the application lost in the meantime', async () => {
    const registered = await register(chat);
    const app = await openThirdParty(chat, registered);
    const back = await allow(chat, app.authorizationUrl(), ada);
    await chat.owner.api.updateApplication({ application_id: registered.application.id, scopes: ['read'] });
    await expect(app.exchange(back)).rejects.toMatchObject({ error: 'invalid_scope' });
  });
});
