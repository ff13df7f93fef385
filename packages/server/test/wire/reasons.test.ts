// Why a request is rejected with BAD_REQUEST (docs/behaviour/requests.md#reasons-of-bad-requests).
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ErrorResponse } from '@parley/client';
import { listReasons } from '@parley/openapi/document';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLimits } from '../../src/http/limits/index.ts';
import { validateResponse } from '../../src/http/validator/index.ts';
import { type Chat, expectError, startChat, type TestUser } from '../chat.ts';
import { document } from '../examples.ts';

type Rejected = Extract<ErrorResponse, { code: 'BAD_REQUEST' }>;

const limits = createLimits({
  account: [],
  events: [],
  ip: [],
  password: [{ seconds: 1800, count: 1 }],
  email_change: [],
});
let chat: Chat;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  chat = await startChat({ limits, collection_limits: { alert_words: 1, user_topics: 1, streams: 3 } });
  [ada, ben] = await chat.users('ada', 'ben');
});
afterAll(async () => {
  await chat.close();
  limits.close();
});

const reject = (call: Promise<unknown>): Promise<Rejected> => expectError('BAD_REQUEST', call);

describe('each reason', () => {
  const requests: Record<Rejected['reason'], () => Promise<unknown>> = {
    invalid: () => ada.api.renderMessage({ content: ' ' }),
    not_found: () => ada.api.getUser({ user_id: 999_999 }),
    forbidden: async () => {
      const message_id = await chat.message({ from: ben, to: [ada] });
      return ada.api.updateMessage({ message_id, content: 'mine' });
    },
    limit_reached: () => ada.api.addAlertWords({ alert_words: ['soup', 'bread'] }),
    conflict: async () => {
      await ada.api.muteUser({ user_id: ben.id });
      return ada.api.muteUser({ user_id: ben.id });
    },
  };

  test('has a request here', () => expect(Object.keys(requests)).toEqual(listReasons(document)));

  test.each(Object.entries(requests))('%s', async (reason, send) => {
    expect(await reject(send())).toEqual({ result: 'error', code: 'BAD_REQUEST', reason, msg: expect.any(String) });
  });
});

test('an object that the caller cannot see and one that does not exist have the same reason', async () => {
  const hidden = await chat.message({ from: ben, to: [ben] });
  const responses = await Promise.all(
    [hidden, 999_999].map(async (message_id) => {
      const { msg, ...others } = await reject(ada.api.getMessage({ message_id }));
      return { ...others, msg: msg.replace(String(message_id), '') };
    }),
  );
  expect(responses[0]).toEqual(responses[1]);
  expect(responses[0]?.reason).toBe('not_found');
});

test('an unknown object of the path has status 404 and the reason not_found, and so has a repeat with its key', async () => {
  const remove = () => ada.api.deleteDraft({ draft_id: 999_999 }, { idempotencyKey: 'no-such-draft' });
  const expected = { status: 404, code: 'BAD_REQUEST', reason: 'not_found' };
  await expect(remove()).rejects.toMatchObject(expected);
  await expect(remove()).rejects.toMatchObject(expected);
});

test('an error response that is repeated with its key has its reason', async () => {
  const mute = () => ada.api.muteUser({ user_id: ada.id }, { idempotencyKey: 'myself' });
  const first = await reject(mute());
  expect(first.reason).toBe('invalid');
  expect(await reject(mute())).toEqual(first);
});

test('of several errors the first has the reason', async () => {
  const playground = { name: 'Elsinore', pygments_language: 'Python', url_template: 'https://x.example/{code}' };
  await chat.owner.api.addPlayground(playground);
  const { reason, errors } = (await reject(chat.owner.api.addPlayground(playground))) as Rejected & { errors?: object };
  expect([reason, Object.keys(errors ?? {})]).toEqual(['conflict', ['__all__']]);
  const nameless = await reject(chat.owner.api.addPlayground({ ...playground, name: ' ' }));
  expect(nameless.reason).toBe('invalid');
});

test('what is no HTTP request is invalid', async () => {
  const socket = connect(chat.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.end('soup\r\n\r\n');
  const [, body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(JSON.parse(body)).toMatchObject({ code: 'BAD_REQUEST', reason: 'invalid' });
});

test.each(['updateSettings', 'updateDisplaySettings', 'updateNotificationSettings'] as const)(
  'the reasons of %s',
  async (operation) => {
    const user = await chat.user('carl');
    const update = user.api[operation];
    expect(await reject(update({ default_language: 'x' }))).toMatchObject({ reason: 'invalid' });
    expect(await reject(update({ email: ben.email }))).toMatchObject({ reason: 'conflict' });
    const password = { new_password: 'a wholly different sentence', old_password: 'wrong' };
    expect(await reject(update(password))).toMatchObject({ reason: 'invalid' });
    expect(await reject(update(password))).toMatchObject({ reason: 'limit_reached' });
    await chat.owner.api.updateRealm({ email_changes_disabled: true });
    expect(await reject(update({ email: 'new@example.com' }))).toMatchObject({ reason: 'forbidden' });
    await chat.owner.api.updateRealm({ email_changes_disabled: false });
  },
);

describe('reasons of operations that share their code with others', () => {
  test('updateMutedTopic: the limit of topics', async () => {
    const stream_id = await chat.stream('kitchen', { by: ada });
    await ada.api.updateMutedTopic({ stream_id, topic: 'soup', op: 'add' });
    const more = ada.api.updateMutedTopic({ stream_id, topic: 'bread', op: 'add' });
    expect((await reject(more)).reason).toBe('limit_reached');
  });

  test('updateSubscriptionProperty: no subscription', async () => {
    const stream_id = await chat.stream('cellar', { by: ada });
    const change = ben.api.updateSubscriptionProperty({ stream_id, property: 'pin_to_top', value: true });
    expect((await reject(change)).reason).toBe('conflict');
  });

  test('updateSubscriptions: the limit of streams', async () => {
    const names = ['garden', 'attic', 'roof', 'shed'].map((name) => ({ name }));
    expect((await reject(ada.api.updateSubscriptions({ add: names }))).reason).toBe('limit_reached');
  });

  test('updateProfileField: two fields at most in profile summaries', async () => {
    const { api } = chat.owner;
    const create = (name: string, display_in_profile_summary: boolean) =>
      api.createProfileField({ name, field_type: 1, display_in_profile_summary });
    for (const name of ['Height', 'Weight']) await create(name, true);
    const { id } = await create('Width', false);
    const show = api.updateProfileField({ field_id: id, display_in_profile_summary: true });
    expect((await reject(show)).reason).toBe('limit_reached');
  });
});

test('a response with a reason that the operation does not document is no valid response', () => {
  const body = (reason: string) => ({ result: 'error', code: 'BAD_REQUEST', msg: 'No.', reason });
  expect(validateResponse('getUser', 400, body('not_found'))).toBeUndefined();
  expect(validateResponse('getUser', 400, body('conflict'))?.message).toContain('/response/reason');
  expect(validateResponse('deleteDraft', 404, body('not_found'))).toBeUndefined();
  expect(validateResponse('deleteDraft', 404, body('conflict'))).toBeDefined();
  expect(validateResponse('getUser', 400, { result: 'error', code: 'BAD_REQUEST', msg: 'No.' })).toBeDefined();
});
