// Concurrent requests about tokens.
import { ParleyError } from '@parley/client';
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { countLockWaits } from '../../../test/lock-order.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const ROUNDS = 5;
const codesOf = (ends: readonly PromiseSettledResult<unknown>[]) =>
  ends.map((end) => {
    if (end.status === 'fulfilled') return 'done';
    return end.reason instanceof ParleyError ? end.reason.code : String(end.reason);
  });
const create = ({ api }: TestUser) => api.createToken({ name: 'Digest', scopes: ['read'] });
const count = async (table: 'tokens' | 'event_queues', { id }: TestUser) => {
  const [found] = await rows<{ count: number }>(
    chat.database.db,
    sql`select count(*)::int as count from ${sql.raw(table)} where user_id = ${id}`,
  );
  return found?.count;
};

test('an account that is deactivated, or gets a new key, while it creates a token has none afterwards', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    for (const end of [
      (who: TestUser) => chat.owner.api.deactivateUser({ user_id: who.id }),
      (who: TestUser) => who.api.regenerateApiKey({}),
    ]) {
      const ada = await chat.user('ada', { mirrored: false });
      const [created, ended] = codesOf(await Promise.allSettled([create(ada), end(ada)]));
      expect(ended).toBe('done');
      expect(['done', 'USER_DEACTIVATED', 'INVALID_API_KEY']).toContain(created);
      expect(await count('tokens', ada)).toBe(0);
    }
  }
});

test.runIf(onPostgres)('a request that creates a token with a key that is replaced concurrently fails', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  const created = await chat.database.db.transaction(async (tx) => {
    await tx.execute(sql`update users set key_version = key_version + 1 where id = ${ada.id}`);
    const pending = Promise.allSettled([create(ada)]);
    await expect.poll(() => countLockWaits(chat), { interval: 5 }).toBe(1);
    return { pending };
  });
  expect(codesOf(await created.pending)).toEqual(['INVALID_API_KEY']);
  expect(await count('tokens', ada)).toBe(0);
});

test('of two concurrent requests that revoke a token, one succeeds', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  const token_id = (await create(ada)).token.id;
  const revoke = ({ api }: TestUser) => api.revokeToken({ token_id });
  const ends = codesOf(await Promise.allSettled([revoke(ada), revoke(chat.owner)]));
  expect(ends.sort()).toEqual(['BAD_REQUEST', 'done']);
});

test('a token that is revoked while it registers a queue, or is used, leaves no queue', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const ada = await chat.user('ada', { mirrored: false });
    const { token, secret } = await create(ada);
    const api = chat.apiOf(chat.realm, { token: secret });
    const ends = codesOf(
      await Promise.allSettled([
        api.registerQueue({ event_types: ['message'] }),
        api.getOwnUser(),
        ada.api.revokeToken({ token_id: token.id }),
      ]),
    );
    expect(ends[2]).toBe('done');
    for (const code of ends) expect(['done', 'INVALID_TOKEN']).toContain(code);
    expect(await count('event_queues', ada)).toBe(0);
  }
});
