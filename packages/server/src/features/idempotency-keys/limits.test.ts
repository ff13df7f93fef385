// How many keys and bytes of responses the server keeps for an account.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { picture } from '../../../test/pictures.ts';
import { bounds } from '../../core/limits.ts';
import { transact } from '../../core/transaction.ts';
import { listUsersByIds } from '../users/index.ts';
import { type IdempotentRequest, runIdempotent } from './index.ts';

const LIMITS = { keys: 5, bytes: 10_000 };

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ keyLimits: LIMITS, ownDatabase: true });
});
afterAll(() => chat.close());

const say = (who: TestUser, content: string, idempotencyKey: string) =>
  who.api.sendMessage({ type: 'direct', to: [who.id], content }, { idempotencyKey });
const countKeys = ({ id }: TestUser) =>
  rows<{ key: string; bytes: number }>(
    chat.database.db,
    sql`select key, octet_length(answer) as bytes from idempotency_keys where user_id = ${id} order by key`,
  );

test('an account that used all its keys can use no new one; repeats succeed, and other accounts have keys of their own', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const first = await say(ada, 'soup', 'k0');
  for (let n = 1; n < LIMITS.keys; n++) await say(ada, 'soup', `k${n}`);
  await expectError('BAD_REQUEST', say(ada, 'more', 'new'), /Idempotency-Key: .* 5 keys/);
  const file = await picture();
  await expectError(
    'BAD_REQUEST',
    ada.api.uploadCustomEmoji({ name: 'soup', file }, { idempotencyKey: 'apart' }),
    /5 keys/,
  );
  expect((await countKeys(ada)).map(({ key }) => key)).toEqual(['k0', 'k1', 'k2', 'k3', 'k4']);
  expect(await say(ada, 'soup', 'k0')).toEqual(first);
  await say(ben, 'soup', 'new');
  await ada.api.sendMessage({ type: 'direct', to: [ada.id], content: 'without a key' });
  chat.clock.advance({ hours: 25 });
  await say(ada, 'soup', 'next-day');
});

test('error responses count as well, and each is stored in few bytes, whatever was sent', async () => {
  const ada = await chat.user('ada');
  const narrow = [{ operator: 'x'.repeat(2_000_000) as 'stream', operand: 'y'.repeat(2_000_000) }];
  const request = (idempotencyKey: string) =>
    ada.api.updateMessageFlagsForNarrow(
      { anchor: 'newest', num_before: 1, num_after: 0, op: 'add', flag: 'read', narrow },
      { idempotencyKey },
    );
  const errorResponse = await expectError('BAD_NARROW', request('k0'));
  expect(errorResponse.desc.length).toBeLessThan(300);
  expect(await expectError('BAD_NARROW', request('k0'))).toEqual(errorResponse);
  for (let n = 1; n < LIMITS.keys; n++) await expectError('BAD_NARROW', request(`k${n}`));
  await expectError('BAD_REQUEST', request('one-more'), /keys/);
  for (const { bytes } of await countKeys(ada)) expect(bytes).toBeLessThan(2000);
});

test('an account whose stored responses use all its bytes can use no new key', async () => {
  const ada = await chat.user('ada');
  const ids = Array.from({ length: 3000 }, (_, n) => n + 9_000_000);
  const flag = (idempotencyKey: string) =>
    ada.api.updateMessageFlags({ op: 'add', flag: 'read', messages: ids }, { idempotencyKey });
  const ids_of_ada = await Promise.all(Array.from({ length: 3 }, () => chat.message({ from: ada, to: [ada] })));
  ids.push(...ids_of_ada);
  await flag('first');
  await rows(
    chat.database.db,
    sql`update idempotency_keys set answer = ${'x'.repeat(LIMITS.bytes)} where user_id = ${ada.id}`,
  );
  chat.clock.advance({ minutes: 11 });
  await expectError('BAD_REQUEST', flag('second'), /Idempotency-Key: .* 10000 bytes/);
});

test('a response too large to be stored is sent once; a repeat fails, and nothing happens twice', async () => {
  const ada = await chat.user('ada');
  const named: IdempotentRequest = { key: 'large', fingerprints: ['x'], sent: {} };
  let done = 0;
  const [me] = await chat.act((ctx) => listUsersByIds(ctx.db, chat.realm.id, [ada.id]));
  const request = () =>
    transact(chat.app, { realm: chat.realm, me, client: 'ParleyTest' }, (ctx) =>
      runIdempotent(ctx, named, async () => ({
        result: 'success',
        text: 'x'.repeat(bounds.idempotent_response),
        done: ++done,
      })),
    );
  expect(await request()).toMatchObject({ done: 1 });
  await expect(request()).rejects.toThrow(/Idempotency-Key: .*too large/);
  expect(done).toBe(1);
});
