// Codes and refresh tokens while the operator replaces the secret of the server, on servers that have the new secret.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { startSecondProcess } from '../../../test/second-process.ts';
import { allow, openAllowed, openThirdParty, postForm, register, userWithPassword } from '../../../test/third-party.ts';
import { hashClientSecret, isClientSecret } from './secrets.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat();
  ada = await userWithPassword(chat, 'ada');
});
afterAll(() => chat.close());

const NEW = 'another secret, which the operator has just chosen';

test.runIf(onPostgres)(
  'are valid while the previous secret is configured, and afterwards if they were renewed',
  async () => {
    const during = await startSecondProcess(chat, { secrets: { current: NEW, previous: chat.app.secrets.current } });
    const after = await startSecondProcess(chat, { secrets: { current: NEW } });
    const { registered, tokens } = await openAllowed(chat, ada, { is_confidential: false });
    const unused = await openAllowed(chat, ada, { is_confidential: false });
    const post = async (form: Record<string, string>, port: number) => {
      const response = await postForm(chat, '/oauth/token', form, {}, port);
      return { status: response.status, ...((await response.json()) as { refresh_token?: string; error?: string }) };
    };
    const refresh = (client_id: string, refresh_token = '') => ({
      grant_type: 'refresh_token',
      client_id,
      refresh_token,
    });
    const { client_id } = registered.application;

    const renewed = await post(refresh(client_id, tokens.refresh_token), during.port);
    expect(renewed.status).toBe(200);
    const again = await post(refresh(client_id, renewed.refresh_token), after.port);
    expect(again.status).toBe(200);
    expect(await post(refresh(client_id, renewed.refresh_token), after.port)).toMatchObject({ error: 'invalid_grant' });
    const left = refresh(unused.registered.application.client_id, unused.tokens.refresh_token);
    expect(await post(left, after.port)).toMatchObject({ error: 'invalid_grant' });

    const other = await register(chat, { is_confidential: false });
    const app = await openThirdParty(chat, other);
    const back = await allow(chat, app.authorizationUrl(), ada);
    const code = {
      grant_type: 'authorization_code',
      client_id: other.application.client_id,
      code: back.searchParams.get('code') ?? '',
      redirect_uri: app.params.redirect_uri,
      code_verifier: app.verifier,
    };
    expect(await post(code, after.port)).toMatchObject({ error: 'invalid_grant' });
    expect((await post(code, during.port)).status).toBe(200);
    await during.close();
    await after.close();
  },
);

test('the secret of an application is compared with its hash', () => {
  const hash = hashClientSecret('parley_client_soup');
  expect(hash).not.toContain('soup');
  expect([isClientSecret(hash, 'parley_client_soup'), isClientSecret(hash, 'parley_client_Soup')]).toEqual([
    true,
    false,
  ]);
});
