// Applications of third parties, from the first authorization request to the tokens.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, PASSWORD, startChat, type TestUser } from '../../../test/chat.ts';
import {
  allow,
  answerConsent,
  locationOf,
  openAllowed,
  openThirdParty,
  REDIRECT_URI,
  register,
  type ThirdParty,
  userWithPassword,
} from '../../../test/third-party.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  ada = await userWithPassword(chat, 'ada');
});
afterAll(() => chat.close());

const open = async (more: Parameters<typeof register>[1] = {}) => openThirdParty(chat, await register(chat, more));
const withToken = (token: string) => chat.apiOf(chat.realm, { token });
const visit = (url: URL) => chat.fetch(url.pathname + url.search);

async function codeFor(app: ThirdParty, more: Record<string, string> = {}) {
  const back = await allow(chat, app.authorizationUrl(), ada);
  const { redirect_uri } = app.params;
  const form = { grant_type: 'authorization_code', code: back.searchParams.get('code') ?? '', redirect_uri };
  return { ...form, code_verifier: app.verifier, ...more };
}

describe('an application that a user allows', () => {
  test('gets a token that acts as the user, renews it, and revokes it', async () => {
    const { registered, app, tokens, api } = await openAllowed(chat, ada);
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'read write' });
    expect(tokens.access_token).toMatch(/^parley_[0-9A-Za-z]{36}$/);
    expect(await api.getOwnUser()).toMatchObject({ user_id: ada.id });
    const { id } = registered.application;
    const listed = (await ada.api.getTokens()).tokens;
    expect(listed).toMatchObject([{ name: 'Soup Planner', application_id: id, scopes: ['read', 'write'] }]);

    const queue = await api.registerQueue({ event_types: ['message'] });
    const renewed = await app.refresh(tokens.refresh_token ?? '');
    expect(renewed.access_token).not.toBe(tokens.access_token);
    await expectError('INVALID_TOKEN', api.getOwnUser());
    const later = withToken(renewed.access_token);
    expect((await ada.api.getTokens()).tokens.map((token) => token.id)).toEqual([listed[0]?.id]);
    const { queue_id, last_event_id } = queue;
    expect(await later.getEvents({ queue_id, last_event_id, dont_block: true })).toEqual({ events: [] });

    await app.revoke(renewed.access_token);
    await expectError('INVALID_TOKEN', later.getOwnUser());
    await expect(app.refresh(renewed.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
    expect((await ada.api.getTokens()).tokens).toEqual([]);
  });

  test.each([true, false])('works the same with and without a secret (confidential: %s)', async (is_confidential) => {
    const { app, tokens, registered } = await openAllowed(chat, ada, { is_confidential });
    expect(registered.secret === null).toBe(!is_confidential);
    const { access_token, refresh_token } = await app.refresh(tokens.refresh_token ?? '');
    await withToken(access_token).getOwnUser();
    await app.revoke(refresh_token ?? '');
    await expectError('INVALID_TOKEN', withToken(access_token).getOwnUser());
  });

  test('can use any port of the loopback address as redirect URI', async () => {
    const app = await open({ redirect_uris: ['http://127.0.0.1/callback'], is_confidential: false });
    const back = await allow(chat, app.authorizationUrl({ redirect_uri: 'http://127.0.0.1:51234/callback' }), ada);
    expect(back.origin).toBe('http://127.0.0.1:51234');
    await withToken((await app.exchange(back)).access_token).getOwnUser();
  });

  test('can have a redirect URI with its own scheme', async () => {
    const app = await open({ redirect_uris: ['com.example.soup:/callback'], is_confidential: false });
    const back = await allow(chat, app.authorizationUrl(), ada);
    expect(back.href).toMatch(/^com\.example\.soup:\/callback\?code=/);
    await app.exchange(back);
  });

  test('keeps its ten newest tokens of a user, whose other tokens stay', async () => {
    const ben = await userWithPassword(chat, 'ben');
    await ben.api.createToken({ name: 'Digest', scopes: ['read'] });
    const registered = await register(chat);
    const secrets: string[] = [];
    for (let n = 0; n < 11; n++) {
      const app = await openThirdParty(chat, registered);
      secrets.push((await app.exchange(await allow(chat, app.authorizationUrl(), ben))).access_token);
    }
    expect((await ben.api.getTokens()).tokens).toHaveLength(11);
    await expectError('INVALID_TOKEN', withToken(secrets[0] ?? '').getOwnUser());
    await withToken(secrets[1] ?? '').getOwnUser();
    await withToken(secrets[10] ?? '').getOwnUser();
  });

  test('has no more permissions than the user, whatever the scopes are', async () => {
    const { api } = await openAllowed(chat, ada, { scopes: ['admin'] });
    await expectError('UNAUTHORIZED_PRINCIPAL', api.updateRealm({ description: 'Mine' }));
    await expectError('INSUFFICIENT_SCOPE', api.getOwnUser());
  });

  test('can ask for fewer scopes than it is registered with', async () => {
    const app = await open();
    const tokens = await app.exchange(await allow(chat, app.authorizationUrl({ scope: 'read' }), ada));
    expect(tokens.scope).toBe('read');
    await expectError('INSUFFICIENT_SCOPE', withToken(tokens.access_token).markAllAsRead({}));
  });
});

describe('the database', () => {
  test('stores no secret of an application, no code and no token in plain text', async () => {
    const { app, tokens, registered } = await openAllowed(chat, ada);
    const { code } = await codeFor(app);
    const stored = await rows<{ row: string }>(
      chat.database.db,
      sql`select to_jsonb(a)::text as row from applications a union all select to_jsonb(c)::text from authorization_codes c
        union all select to_jsonb(r)::text from refresh_tokens r union all select to_jsonb(t)::text from tokens t
        union all select to_jsonb(l)::text from audit_log l`,
    );
    const all = stored.map(({ row }) => row).join();
    for (const secret of [registered.secret ?? '', code, tokens.access_token, tokens.refresh_token ?? ''])
      for (const part of [secret, secret.slice(-30)]) expect(all).not.toContain(part);
  });
});

describe('an authorization request', () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ['an unknown application', { client_id: '987654321' }, /client_id/],
    ['no number as application', { client_id: 'soup' }, /client_id/],
    ['another address', { redirect_uri: 'https://app.example.com/call' }, /redirect_uri/],
    ['an address that begins alike', { redirect_uri: `${REDIRECT_URI}/more` }, /redirect_uri/],
    ['an address of another host', { redirect_uri: 'https://evil.example.com/' }, /redirect_uri/],
    ['another port', { redirect_uri: 'https://app.example.com:444/callback' }, /redirect_uri/],
    ['no address', { redirect_uri: '' }, /redirect_uri/],
  ])('with %s shows the user an error, without a redirect', async (_what, more, problem) => {
    const url = (await open()).authorizationUrl(more);
    for (const response of [
      await visit(url),
      await answerConsent(chat, url, { decision: 'deny' }),
      await answerConsent(chat, url, { username: ada.email, password: PASSWORD, decision: 'allow' }),
    ]) {
      expect(response.status).toBe(400);
      expect(response.headers.get('location')).toBeNull();
      expect(await response.text()).toMatch(problem);
    }
  });

  test('with a repeated parameter shows the user an error', async () => {
    const url = (await open()).authorizationUrl();
    const response = await chat.fetch(`${url.pathname}${url.search}&redirect_uri=https%3A%2F%2Fevil.example.com`);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/redirect_uri: it must be sent once/);
  });

  test.each<[string, Record<string, string>, string]>([
    ['no challenge', { code_challenge: '' }, 'invalid_request'],
    ['a challenge of another length', { code_challenge: 'soup' }, 'invalid_request'],
    ['the plain method', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no method', { code_challenge_method: '' }, 'invalid_request'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no scope', { scope: '' }, 'invalid_scope'],
    ['a scope that does not exist', { scope: 'read everything' }, 'invalid_scope'],
    ['a scope that the application did not register', { scope: 'read admin' }, 'invalid_scope'],
    ['a fragment as response mode', { response_mode: 'fragment' }, 'invalid_request'],
  ])('with %s redirects back with an error', async (_what, more, error) => {
    const app = await open();
    const url = app.authorizationUrl(more);
    for (const response of [await visit(url), await answerConsent(chat, url, { decision: 'allow' })]) {
      expect(response.status).toBe(303);
      const back = locationOf(response);
      expect(back.href.startsWith(REDIRECT_URI)).toBe(true);
      const { state } = app.params;
      const query = Object.fromEntries(back.searchParams);
      expect(query).toMatchObject({ error, state, iss: chat.realm.url });
      expect(query).not.toHaveProperty('code');
    }
  });

  test('keeps the query of the redirect URI', async () => {
    const redirect_uri = 'https://app.example.com/callback?from=parley';
    const app = await open({ redirect_uris: [redirect_uri] });
    for (const more of [{}, { scope: 'everything' }]) {
      const response = await answerConsent(chat, app.authorizationUrl(more), { decision: 'deny' });
      expect(locationOf(response).href).toMatch(/callback\?from=parley&error=(access_denied|invalid_scope)&/);
    }
  });

  test('that the user denies redirects back without asking for a password', async () => {
    const app = await open();
    const response = await answerConsent(chat, app.authorizationUrl(), { decision: 'deny' });
    const { state } = app.params;
    const query = Object.fromEntries(locationOf(response).searchParams);
    expect(query).toMatchObject({ error: 'access_denied', state, iss: chat.realm.url });
    await expect(app.exchange(locationOf(response))).rejects.toMatchObject({ error: 'access_denied' });
  });

  test('is unknown in another organization', async () => {
    const registered = await register(chat);
    const { realm, owner } = await chat.otherRealm('strangers');
    const app = await openThirdParty(chat, registered, { realm });
    const url = app.authorizationUrl();
    expect((await chat.fetch(url.pathname + url.search, {}, realm)).status).toBe(400);
    expect((await owner.api.getApplications()).applications).toEqual([]);
    await expect(app.refresh('parley_refresh_soup')).rejects.toMatchObject({ status: 401 });
  });
});
