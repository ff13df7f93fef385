import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { picture } from '../../../test/pictures.ts';
import { computeRequestFingerprint } from './fingerprint.ts';
import { deleteExpiredKeys } from './index.ts';
import { claimKey } from './queries.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());

const say = (who: TestUser, content: string, idempotencyKey: string, to: readonly TestUser[] = [who]) =>
  who.api.sendMessage({ type: 'direct', to: to.map(({ id }) => id), content }, { idempotencyKey });
const heardBy = async (who: TestUser) => (await who.takeEvents('message')).map(({ message }) => message.content);

test('a request that is repeated with its key is carried out once and gets the first response', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const first = await say(ada, 'hello', 'greeting', [ben]);
  expect(await say(ada, 'hello', 'greeting', [ben])).toEqual(first);
  expect(await heardBy(ben)).toEqual(['<p>hello</p>']);
  expect((await say(ada, 'hello', 'another', [ben])).id).toBeGreaterThan(first.id);
  expect(await heardBy(ben)).toEqual(['<p>hello</p>']);
});

test('a request in JSON, or with its parameters in another order, is the same request', async () => {
  const ada = await chat.user('ada');
  const first = await say(ada, 'one', 'wire');
  const answer = await chat.fetch('/api/v1/messages', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Idempotency-Key': 'wire',
      Authorization: `Basic ${btoa(`${ada.email}:${ada.apiKey}`)}`,
    },
    body: JSON.stringify({ content: 'one', to: [ada.id], type: 'direct' }),
  });
  expect(await answer.json()).toMatchObject({ result: 'success', id: first.id });
});

test('another request with the same key fails with an error that names it, and changes nothing', async () => {
  const ada = await chat.user('ada');
  await say(ada, 'one', 'taken');
  await ada.takeEvents();
  await expectError('BAD_REQUEST', say(ada, 'two', 'taken'), /Idempotency-Key/);
  await expectError('BAD_REQUEST', ada.api.markAllAsRead({}, { idempotencyKey: 'taken' }), /Idempotency-Key/);
  expect(await ada.takeEvents()).toEqual([]);
});

test('keys belong to an account, in each organization', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const { owner } = await chat.otherRealm('keyring');
  const ids = [];
  for (const who of [ada, ben, owner]) ids.push((await say(who, 'mine', 'shared')).id);
  expect(new Set(ids).size).toBe(3);
});

test('ten concurrent repeats are carried out once', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const answers = await Promise.all(Array.from({ length: 10 }, () => say(ada, 'once', 'race', [ben])));
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  expect(await heardBy(ben)).toEqual(['<p>once</p>']);
});

test('an error response is repeated in the same words, though the request would succeed by now', async () => {
  const ada = await chat.user('ada');
  const enter = () =>
    ada.api.sendMessage({ type: 'stream', to: 'not yet', topic: 'x', content: 'y' }, { idempotencyKey: 'early' });
  const first = await expectError('STREAM_DOES_NOT_EXIST', enter());
  await chat.stream('not yet', { by: ada });
  expect(await expectError('STREAM_DOES_NOT_EXIST', enter())).toEqual(first);
});

test('an error before the operation began is not stored', async () => {
  const ada = await chat.user('ada');
  await expectError('REQUEST_VARIABLE_MISSING', ada.api.sendMessage({} as never, { idempotencyKey: 'unread' }));
  expect(await say(ada, 'now', 'unread')).toMatchObject({ id: expect.any(Number) });
});

test('after a day a key can be used again, whether or not it was removed by then', async () => {
  const ada = await chat.user('ada');
  const [swept, left] = [await say(ada, 'daily', 'swept'), await say(ada, 'daily', 'left')];
  chat.clock.advance({ hours: 23 });
  await deleteExpiredKeys(chat.database.db, chat.clock());
  expect([await say(ada, 'daily', 'swept'), await say(ada, 'daily', 'left')]).toEqual([swept, left]);
  chat.clock.advance({ hours: 2 });
  expect((await say(ada, 'daily', 'left')).id).toBeGreaterThan(left.id);
  await deleteExpiredKeys(chat.database.db, chat.clock());
  expect((await say(ada, 'daily', 'swept')).id).toBeGreaterThan(swept.id);
});

test('an invalid key fails with an error that names it; operations that write nothing ignore it', async () => {
  const ada = await chat.user('ada');
  await expectError('BAD_REQUEST', say(ada, 'x', 'two words'), /Idempotency-Key/);
  await expectError('BAD_REQUEST', say(ada, 'x', 'x'.repeat(256)), /Idempotency-Key/);
  expect(await ada.api.getOwnUser({}, { idempotencyKey: 'two words' })).toMatchObject({ user_id: ada.id });
});

test('an operation with transactions of its own is carried out once, too', async () => {
  const admin = await chat.user('admin', { role: 'admin' });
  const file = await picture();
  const upload = (idempotencyKey: string) => admin.api.uploadCustomEmoji({ name: 'once', file }, { idempotencyKey });
  await upload('picture');
  await upload('picture');
  await expectError('BAD_REQUEST', upload('another picture'));
  await admin.api.deactivateCustomEmoji({ name: 'once' });
  await expectError('BAD_REQUEST', upload('another picture'));
});

test('a repeat during such an operation fails with a retry time; after its process died, the repeat is carried out', async () => {
  const admin = await chat.user('admin', { role: 'admin' });
  const file = await picture();
  const params = { name: 'died', file: { bytes: new Uint8Array(await file.arrayBuffer()), name: 'blob' } };
  const claim = {
    key: 'crash',
    fingerprint: computeRequestFingerprint(chat.app.secrets.current, 'uploadCustomEmoji', params),
    now: chat.clock(),
  };
  await claimKey(chat.database.db, { realm_id: chat.realm.id, id: admin.id }, claim);
  const upload = () => admin.api.uploadCustomEmoji({ name: 'died', file }, { idempotencyKey: 'crash' });
  const errorResponse = await expectError('RATE_LIMIT_HIT', upload(), /still/);
  expect(errorResponse['retry-after']).toBe(1);
  chat.clock.advance({ minutes: 6 });
  await upload();
  await upload();
});

test('a response with an API key is not stored in plain text', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  const { api_key } = await ada.api.regenerateApiKey({}, { idempotencyKey: 'new-key' });
  const stored = await rows<{ answer: string }>(
    chat.database.db,
    sql`select answer from idempotency_keys where user_id = ${ada.id}`,
  );
  expect(stored).toHaveLength(1);
  const bytes = Buffer.from(stored[0]?.answer ?? '', 'base64').toString('latin1');
  expect(bytes.length).toBeGreaterThan(0);
  expect(bytes).not.toContain(api_key);
});
