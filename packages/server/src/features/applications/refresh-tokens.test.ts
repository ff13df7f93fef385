// Refresh tokens: each can be used once.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { openAllowed, openThirdParty, register, userWithPassword } from '../../../test/third-party.ts';
import { sweepAuthorizations } from './index.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  ada = await userWithPassword(chat, 'ada');
});
afterAll(() => chat.close());

const open = async (more: Parameters<typeof register>[1] = {}) => openThirdParty(chat, await register(chat, more));
const withToken = (token: string) => chat.apiOf(chat.realm, { token });

describe('a refresh token', () => {
  test('returns a token with fewer scopes on request, and not with more', async () => {
    const { app, tokens } = await openAllowed(chat, ada);
    const narrow = await app.refresh(tokens.refresh_token ?? '', { scope: 'read' });
    expect(narrow.scope).toBe('read');
    await expectError('INSUFFICIENT_SCOPE', withToken(narrow.access_token).markAllAsRead({}));
    const refresh_token = narrow.refresh_token ?? '';
    await expect(app.refresh(refresh_token, { scope: 'read admin' })).rejects.toMatchObject({ error: 'invalid_scope' });
    const wide = await app.refresh(refresh_token);
    expect(wide.scope).toBe('read write');
  });

  test('that is used again fails, and revokes all tokens of its family', async () => {
    const { app, tokens } = await openAllowed(chat, ada);
    const second = await app.refresh(tokens.refresh_token ?? '');
    const third = await app.refresh(second.refresh_token ?? '');
    await expect(app.refresh(tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
    await expectError('INVALID_TOKEN', withToken(third.access_token).getOwnUser());
    await expect(app.refresh(third.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('is valid for its application only, and stays valid after another application tried it', async () => {
    const [{ app, tokens }, other] = [await openAllowed(chat, ada), await open()];
    const stolen = tokens.refresh_token ?? '';
    await expect(other.refresh(stolen)).rejects.toMatchObject({ error: 'invalid_grant' });
    await other.revoke(stolen);
    await other.revoke(tokens.access_token);
    await app.refresh(stolen);
  });

  test('is valid for 90 days after the one before, and then its token is removed', async () => {
    const ben = await userWithPassword(chat, 'ben');
    const { app, tokens } = await openAllowed(chat, ben);
    chat.clock.advance({ hours: 24 * 89 });
    const { refresh_token } = await app.refresh(tokens.refresh_token ?? '');
    chat.clock.advance({ hours: 24 * 90 });
    await expect(app.refresh(refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
    expect((await ben.api.getTokens()).tokens).toHaveLength(1);
    await sweepAuthorizations(chat.app, [chat.realm]);
    expect((await ben.api.getTokens()).tokens).toEqual([]);
    expect(await rows(chat.database.db, sql`select hash from authorization_codes`)).toEqual([]);
  });

  test('ends with its token: when a user revokes it, and when the account is deactivated', async () => {
    const ben = await userWithPassword(chat, 'ben');
    const [one, other] = [await openAllowed(chat, ben), await openAllowed(chat, ben)];
    const [token] = (await ben.api.getTokens()).tokens;
    await ben.api.revokeToken({ token_id: token?.id ?? 0 });
    await expectError('INVALID_TOKEN', one.api.getOwnUser());
    const renew = ({ app, tokens }: typeof one) => app.refresh(tokens.refresh_token ?? '');
    await expect(renew(one)).rejects.toMatchObject({ error: 'invalid_grant' });
    await other.api.getOwnUser();
    await chat.owner.api.deactivateUser({ user_id: ben.id });
    await expectError('INVALID_TOKEN', other.api.getOwnUser());
    await expect(renew(other)).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});
