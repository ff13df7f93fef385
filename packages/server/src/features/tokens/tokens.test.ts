import type { Calls } from '@parley/client';
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { transact } from '../../core/transaction.ts';
import { listUsersByIds } from '../users/index.ts';
import { createToken, revokeToken } from './index.ts';

let chat: Chat;
let iago: TestUser;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  iago = await chat.user('iago', { role: 'admin', mirrored: false });
});
afterAll(() => chat.close());

type NewToken = Parameters<Calls['createToken']>[0];

const silent = (name: string, options: Parameters<Chat['user']>[1] = {}) =>
  chat.user(name, { ...options, mirrored: false });
const create = (by: TestUser, more: Partial<NewToken> = {}) =>
  by.api.createToken({ name: 'Digest', scopes: ['read', 'write'], ...more });
const withToken = (token: string) => chat.apiOf(chat.realm, { token });
const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
const listAudited = (token_id: number) =>
  rows<{ actor_id: number | null; action: string }>(
    chat.database.db,
    sql`select actor_id, action from audit_log where details->>'token_id' = ${String(token_id)} order by at, action`,
  );
const now = () => Math.floor(chat.clock().getTime() / 1000);

describe('creating a token', () => {
  test('returns a secret that acts as the user, and is not shown again', async () => {
    const ada = await silent('ada');
    const { token, secret } = await create(ada, { name: '  Digest ' });
    expect(secret).toMatch(/^parley_[0-9A-Za-z]{36}$/);
    expect(token).toEqual({
      id: expect.any(Number),
      user_id: ada.id,
      name: 'Digest',
      application_id: null,
      scopes: ['read', 'write'],
      stream_id: null,
      event_types: null,
      created_at: expect.any(Number),
      expires_at: null,
      last_used_at: null,
    });
    expect(await withToken(secret).getOwnUser()).toMatchObject({ user_id: ada.id });
    expect(JSON.stringify(await ada.api.getTokens())).not.toContain(secret);
  });

  test('stores no secret: the database has nothing that could be used as a token', async () => {
    const ada = await silent('ada');
    const { token, secret } = await create(ada);
    const [row] = await rows<{ row: string; hash: string }>(
      chat.database.db,
      sql`select to_jsonb(t)::text as row, hash from tokens t where id = ${token.id}`,
    );
    expect(row?.row).not.toContain(secret.slice('parley_'.length));
    await expectError('INVALID_TOKEN', withToken(row?.hash ?? '').getOwnUser());
  });

  test.each<[string, Partial<NewToken>, RegExp]>([
    ['an empty name', { name: '  ' }, /name/],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, /name/],
    ['a control character in the name', { name: 'a\u0007b' }, /name/],
    ['no scopes', { scopes: [] }, /scopes/],
    ['a scope twice', { scopes: ['read', 'read'] }, /scopes/],
    ['a lifespan of nothing', { lifespan_secs: 0 }, /lifespan_secs/],
    ['a lifespan of more than ten years', { lifespan_secs: 315_360_001 }, /lifespan_secs/],
    ['no types of events', { event_types: [] }, /event_types/],
    ['a stream that does not exist', { stream_id: 987_654_321 }, /stream id/],
  ])('fails for %s', async (_what, more, msg) => {
    await expectError('BAD_REQUEST', create(iago, more), msg);
  });

  test('fails for a stream that the user cannot read, as for one that does not exist', async () => {
    const [ada, ben] = [await silent('ada'), await silent('ben')];
    const stream_id = await chat.stream('vault', { by: ben, invite_only: true });
    await expectError('BAD_REQUEST', create(ada, { stream_id }), new RegExp(`Invalid stream id: ${stream_id}`));
    expect((await create(ben, { stream_id })).token).toMatchObject({ stream_id });
  });

  test('is for guests and bots as well, but not for incoming webhooks', async () => {
    const gus = await silent('gus', { role: 'guest' });
    const bo = await silent('bo', { bot_of: iago });
    for (const who of [gus, bo]) {
      const { secret } = await create(who);
      expect(await withToken(secret).getOwnUser()).toMatchObject({ user_id: who.id });
    }
    const hook = await silent('hook', { bot_of: iago, bot_type: 2 });
    await expectError('UNAUTHORIZED', create(hook));
  });
});

describe('a token', () => {
  test('can do no more than its user, whatever its scopes are', async () => {
    const ada = await silent('ada');
    const { secret } = await create(ada, { scopes: ['read', 'write', 'admin'] });
    await expectError('UNAUTHORIZED_PRINCIPAL', withToken(secret).updateRealm({ description: 'Mine' }));
    const admin = await create(iago, { scopes: ['admin'] });
    await withToken(admin.secret).updateRealm({ description: 'Ours' });
    await chat.owner.api.updateUser({ user_id: iago.id, role: 400 });
    await expectError('UNAUTHORIZED_PRINCIPAL', withToken(admin.secret).updateRealm({ description: 'Still mine' }));
    await chat.owner.api.updateUser({ user_id: iago.id, role: 200 });
  });

  test('expires by the clock of the server', async () => {
    const ada = await silent('ada');
    const { token, secret } = await create(ada, { lifespan_secs: 60 });
    expect(token.expires_at).toBe(token.created_at + 60);
    chat.clock.advance({ seconds: 58 });
    await withToken(secret).getOwnUser();
    chat.clock.advance({ seconds: 2 });
    await expectError('INVALID_TOKEN', withToken(secret).getOwnUser(), /expired/);
    expect((await ada.api.getTokens()).tokens).toMatchObject([{ id: token.id }]);
  });

  test('ends when the API key is regenerated, or the account deactivated, and does not come back with it', async () => {
    const [ada, ben] = [await silent('ada'), await silent('ben')];
    const [of_ada, of_ben] = [await create(ada), await create(ben)];
    const { api_key } = await ada.api.regenerateApiKey({});
    await expectError('INVALID_TOKEN', withToken(of_ada.secret).getOwnUser());
    const { tokens } = await chat.apiOf(chat.realm, { email: ada.email, apiKey: api_key }).getTokens();
    expect(tokens).toEqual([]);
    await withToken(of_ben.secret).getOwnUser();
    await chat.owner.api.deactivateUser({ user_id: ben.id });
    await expectError('INVALID_TOKEN', withToken(of_ben.secret).getOwnUser());
    await chat.owner.api.reactivateUser({ user_id: ben.id });
    await expectError('INVALID_TOKEN', withToken(of_ben.secret).getOwnUser());
  });

  test('of a bot ends when its owner is deactivated', async () => {
    const ada = await silent('ada');
    const bo = await silent('bo', { bot_of: ada });
    const { secret } = await create(bo);
    await chat.owner.api.deactivateUser({ user_id: ada.id });
    await expectError('INVALID_TOKEN', withToken(secret).getOwnUser());
  });

  test('goes on when the password changes, as the API key does', async () => {
    const { api } = chat.owner;
    const { secret } = await create(chat.owner);
    await api.updateSettings({
      old_password: 'correct horse battery staple',
      new_password: 'a horse of another color',
    });
    await withToken(secret).getOwnUser();
  });

  test('is unknown in another organization', async () => {
    const { secret } = await create(await silent('ada'));
    const { realm } = await chat.otherRealm('elsewhere');
    await expectError('INVALID_TOKEN', chat.apiOf(realm, { token: secret }).getOwnUser());
  });

  test.each([
    ['the name of the scheme alone', 'Bearer'],
    ['two words', 'Bearer one two'],
  ])('is not read from %s', async (_what, Authorization) => {
    const response = await chat.fetch('/api/v1/users/me', { headers: { Authorization } });
    expect([response.status, await response.json()]).toMatchObject([401, { code: 'UNAUTHORIZED' }]);
  });

  test('gets the challenges of RFC 6750', async () => {
    const { secret } = await create(await silent('ada'), { scopes: ['read'] });
    const challengeOf = async (path: string, token: string, method = 'GET') =>
      (await chat.fetch(`/api/v1${path}`, { ...bearer(token), method })).headers.get('WWW-Authenticate');
    expect(await challengeOf('/users/me', 'unknown')).toBe('Bearer realm="parley", error="invalid_token"');
    expect(await challengeOf('/mark_all_as_read', secret, 'POST')).toBe(
      'Bearer realm="parley", error="insufficient_scope", scope="write"',
    );
    expect(await challengeOf('/tokens', secret)).toBe('Bearer realm="parley", error="insufficient_scope"');
    expect(await challengeOf('/users/me', secret)).toBeNull();
  });

  test('costs one statement more than a key when it is first used in a minute, and none after that', async () => {
    const ada = await silent('ada');
    const { secret } = await create(ada);
    const cost = (api: Calls) => chat.statements(() => api.getAlertWords());
    const ofKey = await cost(ada.api);
    expect(await cost(withToken(secret))).toBe(ofKey + 1);
    expect(await cost(withToken(secret))).toBe(ofKey);
    chat.clock.advance({ seconds: 61 });
    expect(await cost(withToken(secret))).toBe(ofKey + 1);
  });

  test('shows when it was last used, to within a minute', async () => {
    const ada = await silent('ada');
    const { secret } = await create(ada);
    const lastUse = async () => (await ada.api.getTokens()).tokens[0]?.last_used_at;
    chat.clock.stop();
    const first = now();
    await withToken(secret).getOwnUser();
    expect(await lastUse()).toBe(first);
    chat.clock.advance({ seconds: 59 });
    await withToken(secret).getOwnUser();
    expect(await lastUse()).toBe(first);
    chat.clock.advance({ seconds: 1 });
    await withToken(secret).getOwnUser();
    expect(await lastUse()).toBe(first + 60);
    chat.clock.advance({ seconds: 100 });
    await expectError('INSUFFICIENT_SCOPE', withToken(secret).getTokens());
    expect(await lastUse()).toBe(first + 60);
  });

  test('downloads files, if it can read', async () => {
    const ada = await silent('ada');
    const { uri } = await ada.api.uploadFile({ file: new File(['soup'], 'soup.txt') });
    const [reads, writes] = [await create(ada, { scopes: ['read'] }), await create(ada, { scopes: ['write'] })];
    const response = await chat.fetch(uri, bearer(reads.secret));
    expect([response.status, await response.text()]).toEqual([200, 'soup']);
    expect((await chat.fetch(uri, bearer(writes.secret))).status).toBe(403);
  });
});

describe('listing and revoking tokens', () => {
  test('is for the user, the owner of a bot and administrators, but for owners only for owners', async () => {
    const [ada, ben] = [await silent('ada'), await silent('ben')];
    const bo = await silent('bo', { bot_of: ada });
    const [of_ada, of_bo, of_owner] = [await create(ada), await create(bo), await create(chat.owner)];
    const listed = async (by: TestUser, { id }: TestUser) =>
      (await by.api.getTokens({ user_id: id })).tokens.map((token) => token.id);
    expect(await listed(ada, ada)).toEqual([of_ada.token.id]);
    expect(await listed(ada, bo)).toEqual([of_bo.token.id]);
    expect(await listed(iago, ada)).toEqual([of_ada.token.id]);
    expect(await listed(chat.owner, chat.owner)).toContain(of_owner.token.id);
    for (const [by, whose] of [
      [ben, ada],
      [ben, bo],
      [bo, ada],
      [iago, chat.owner],
    ] as const)
      await expectError('BAD_REQUEST', listed(by, whose), /You cannot list the tokens/);
    const revoke = (by: TestUser, { token }: typeof of_ada) => by.api.revokeToken({ token_id: token.id });
    for (const [by, which] of [
      [ben, of_ada],
      [ben, of_bo],
      [bo, of_ada],
      [iago, of_owner],
    ] as const) {
      await expectError('BAD_REQUEST', revoke(by, which), /There is no token/);
      await withToken(which.secret).getOwnUser();
    }
    for (const [by, which] of [
      [iago, of_ada],
      [ada, of_bo],
      [chat.owner, of_owner],
    ] as const) {
      await revoke(by, which);
      await expectError('INVALID_TOKEN', withToken(which.secret).getOwnUser(), /revoked/);
      await expectError('BAD_REQUEST', revoke(by, which), /There is no token/);
    }
  });

  test('has no access to other organizations', async () => {
    const ada = await silent('ada');
    const { token } = await create(ada);
    const { owner } = await chat.otherRealm('strangers');
    await expectError('BAD_REQUEST', owner.api.getTokens({ user_id: ada.id }), /no user/);
    await expectError('BAD_REQUEST', owner.api.revokeToken({ token_id: token.id }), /There is no token/);
    expect((await ada.api.getTokens()).tokens).toHaveLength(1);
  });

  test('is recorded in the audit log, as is creating them', async () => {
    const ada = await silent('ada');
    const { token } = await create(ada);
    await iago.api.revokeToken({ token_id: token.id });
    expect(await listAudited(token.id)).toEqual([
      { actor_id: ada.id, action: 'token created' },
      { actor_id: iago.id, action: 'token revoked' },
    ]);
  });

  test('is recorded without an actor when the operator does it', async () => {
    const ada = await silent('ada');
    const asOperator = { realm: chat.realm, me: undefined, client: 'ParleyTest' };
    const { token } = await transact(chat.app, asOperator, async (ctx) => {
      const [account] = await listUsersByIds(ctx.db, ctx.realm.id, [ada.id]);
      if (!account) throw new Error('unreachable');
      return createToken(ctx, account, { name: 'Digest', scopes: ['read'] });
    });
    await transact(chat.app, asOperator, (ctx) => revokeToken(ctx, token.id));
    expect(await listAudited(token.id)).toEqual([
      { actor_id: null, action: 'token created' },
      { actor_id: null, action: 'token revoked' },
    ]);
  });
});
