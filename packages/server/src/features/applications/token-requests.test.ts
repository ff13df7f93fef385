// The token endpoint, and the metadata that name it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { postForm, REDIRECT_URI, register } from '../../../test/third-party.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());

const bodyOf = async (response: Response) => ({ status: response.status, body: await response.json() });
const invalid = (error: string, status = 400) => ({ status, body: { error } });

describe('the token endpoint', () => {
  test.each<[string, Record<string, string>, string, number]>([
    ['no grant type', { grant_type: '' }, 'invalid_request', 400],
    ['a password', { grant_type: 'password', username: 'a', password: 'b' }, 'unsupported_grant_type', 400],
    ['credentials of the application alone', { grant_type: 'client_credentials' }, 'unsupported_grant_type', 400],
    ['no code', { grant_type: 'authorization_code' }, 'invalid_request', 400],
    ['an unknown code', { code: 'soup' }, 'invalid_grant', 400],
    ['a secret where there is none', { client_secret: 'soup' }, 'invalid_client', 401],
    ['no application', { client_id: '' }, 'invalid_client', 401],
    ['an unknown application', { client_id: '987654321' }, 'invalid_client', 401],
    ['a form of 9,000 characters', { padding: 'x'.repeat(9000) }, 'invalid_request', 400],
  ])('rejects %s', async (_what, more, error, status) => {
    const { application } = await register(chat, { is_confidential: false });
    const form = { grant_type: 'authorization_code', client_id: application.client_id, redirect_uri: REDIRECT_URI };
    const response = await postForm(chat, '/oauth/token', { code_verifier: 'v'.repeat(43), ...form, ...more });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await bodyOf(response)).toMatchObject(invalid(error, status));
  });

  test('requires the secret of a confidential application, in both ways to send it', async () => {
    const { application, secret } = await register(chat);
    const { client_id } = application;
    const form = { grant_type: 'refresh_token', refresh_token: 'parley_refresh_soup' };
    const post = async (more: Record<string, string>, headers: Record<string, string> = {}) => {
      const response = await postForm(chat, '/oauth/token', { ...form, ...more }, headers);
      return [((await response.json()) as { error: string }).error, response.headers.get('www-authenticate')];
    };
    const basic = (id: string, password: string) => ({ Authorization: `Basic ${btoa(`${id}:${password}`)}` });
    expect(await post({ client_id })).toEqual(['invalid_client', null]);
    expect(await post({ client_id, client_secret: 'soup' })).toEqual(['invalid_client', null]);
    expect(await post({}, basic(client_id, 'soup'))).toEqual(['invalid_client', 'Basic realm="parley"']);
    expect(await post({}, { Authorization: 'Bearer soup' })).toEqual(['invalid_client', 'Basic realm="parley"']);
    expect(await post({ client_id, client_secret: secret ?? '' })).toEqual(['invalid_grant', null]);
    expect(await post({}, basic(client_id, secret ?? ''))).toEqual(['invalid_grant', null]);
    expect(await post({}, basic(client_id, (secret ?? '').replaceAll('_', '%5F')))).toEqual(['invalid_grant', null]);
    expect((await post({ client_secret: 'soup' }, basic(client_id, secret ?? '')))[0]).toBe('invalid_request');
  });

  test('accepts forms only, and each parameter once', async () => {
    const json = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };
    expect(await bodyOf(await chat.fetch('/oauth/token', json))).toMatchObject(invalid('invalid_request'));
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const twice = { method: 'POST', headers, body: 'client_id=1&client_id=2' };
    expect(await bodyOf(await chat.fetch('/oauth/token', twice))).toMatchObject(invalid('invalid_request'));
  });

  test('accepts requests of any origin, without credentials of the browser', async () => {
    const origin = { Origin: 'https://app.example.com' };
    const preflight = { ...origin, 'Access-Control-Request-Method': 'POST' };
    for (const path of ['/oauth/token', '/oauth/revoke', '/.well-known/oauth-authorization-server']) {
      const preflightResponse = await chat.fetch(path, { method: 'OPTIONS', headers: preflight });
      expect(preflightResponse.status).toBe(204);
      for (const response of [preflightResponse, await chat.fetch(path, { headers: origin })]) {
        expect(response.headers.get('access-control-allow-origin')).toBe('*');
        expect(response.headers.get('access-control-allow-credentials')).toBeNull();
      }
    }
    const response = await postForm(chat, '/oauth/token', {}, origin);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('the metadata', () => {
  test('describe what the server supports', async () => {
    const response = await chat.fetch('/.well-known/oauth-authorization-server');
    const { url } = chat.realm;
    expect(await response.json()).toMatchObject({
      issuer: url,
      authorization_endpoint: `${url}/oauth/authorize`,
      token_endpoint: `${url}/oauth/token`,
      revocation_endpoint: `${url}/oauth/revoke`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      authorization_response_iss_parameter_supported: true,
    });
  });
});
