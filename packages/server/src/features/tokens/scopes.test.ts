// The scopes of tokens: each operation of the document with each scope, and tokens limited to a stream or to types of
// events.
import { type Calls, ParleyError } from '@parley/client';
import { operations } from '@parley/openapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import type { OperationId } from '../../core/contract.ts';

let chat: Chat;
let hall: number;
let vault: number;
beforeAll(async () => {
  chat = await startChat();
  hall = await chat.stream('hall', { by: chat.owner });
  vault = await chat.stream('vault', { by: chat.owner });
});
afterAll(() => chat.close());

type NewToken = Parameters<Calls['createToken']>[0];
const SCOPES = ['read', 'write', 'admin'] as const;

const create = (more: Partial<NewToken>, by = chat.owner) =>
  by.api.createToken({ name: 'Digest', scopes: [...SCOPES], ...more });
const tokenOf = async (more: Partial<NewToken>, by?: TestUser): Promise<Calls> =>
  chat.apiOf(chat.realm, { token: (await create(more, by)).secret });

const withCredentials = (Object.keys(operations) as OperationId[]).filter((id) => operations[id].auth === 'user');

/**
 * Calls an operation without parameters, with ids in its path that do not exist. The scope is checked before they are
 * read.
 */
async function call(id: OperationId, secret: string): Promise<[status: number, code: string | undefined]> {
  const { method, path } = operations[id];
  const response = await chat.fetch(`/api/v1${path.replaceAll(/\{\w+\}/g, '987654321')}`, {
    method: method.toUpperCase(),
    headers: { Authorization: `Bearer ${secret}` },
  });
  return [response.status, ((await response.json()) as { code?: string }).code];
}

test.each(SCOPES)(
  'a token with the scope %s can be used for the operations with this scope, and for no other',
  async (scope) => {
    const { secret } = await create({ scopes: [scope] });
    const refused: string[] = [];
    for (const id of withCredentials) {
      const [status, code] = await call(id, secret);
      expect(status === 403, id).toBe(code === 'INSUFFICIENT_SCOPE');
      if (status === 403) refused.push(id);
    }
    expect(refused.sort()).toEqual(withCredentials.filter((id) => operations[id].scope !== scope).sort());
  },
);

test('the scope follows from the document: GET needs read, operations of administrators admin, the rest write', () => {
  const scopeOf = (id: OperationId) => operations[id].scope;
  expect(
    ['getMessages', 'getEvents', 'registerQueue', 'acknowledgeEvents', 'deleteQueue', 'renderMessage'].map((id) =>
      scopeOf(id as OperationId),
    ),
  ).toEqual(Array(6).fill('read'));
  expect(['sendMessage', 'markAllAsRead', 'subscribe', 'uploadFile'].map((id) => scopeOf(id as OperationId))).toEqual(
    Array(4).fill('write'),
  );
  expect(['updateRealm', 'createUser', 'deactivateUser', 'updateUser'].map((id) => scopeOf(id as OperationId))).toEqual(
    Array(4).fill('admin'),
  );
});

test('operations that return lasting credentials, or change those of the account, need the API key', () => {
  const keyOnly = withCredentials.filter((id) => operations[id].scope === 'key');
  expect(keyOnly.sort()).toEqual([
    'createApplication',
    'createBot',
    'createToken',
    'deactivateOwnUser',
    'deleteApplication',
    'getApplications',
    'getBots',
    'getStreamEmailAddress',
    'getTokens',
    'regenerateApiKey',
    'regenerateApplicationSecret',
    'regenerateBotApiKey',
    'revokeToken',
    'updateApplication',
    'updateBot',
    'updateDisplaySettings',
    'updateNotificationSettings',
    'updateSettings',
  ]);
});

test('no operation with the scope write is for administrators only', () => {
  const found = withCredentials.filter((id) => operations[id].requires === 'administrator');
  expect(found.filter((id) => !['admin', 'key'].includes(operations[id].scope ?? ''))).toEqual([]);
});

describe('a token that is limited to a stream', () => {
  let api: Calls;
  beforeAll(async () => {
    api = await tokenOf({ stream_id: hall });
  });
  const newest = { anchor: 'newest', num_before: 10, num_after: 0 } as const;

  test('can be used for no operation that is not about a stream', async () => {
    const { secret } = await create({ stream_id: hall });
    const served: string[] = [];
    for (const id of withCredentials) if ((await call(id, secret))[0] !== 403) served.push(id);
    // These fail for their parameters, or have none that name a stream.
    expect(served.sort()).toEqual([
      'acknowledgeEvents',
      'deleteQueue',
      'getEvents',
      'getMessages',
      'markStreamAsRead',
      'markTopicAsRead',
      'registerQueue',
      'sendMessage',
    ]);
    expect(served.every((id) => operations[id as OperationId].token_limit !== null)).toBe(true);
  });

  test('sends to the stream by its id, and to no other', async () => {
    const message = { topic: 'soup', content: 'done' };
    const { id } = await api.sendMessage({ type: 'stream', to: hall, ...message });
    expect((await chat.owner.api.getMessage({ message_id: id })).message).toMatchObject({ stream_id: hall });
    for (const wrong of [
      { type: 'stream', to: vault },
      { type: 'stream', to: 'hall' },
      { type: 'stream', to: String(hall) },
      { type: 'stream', to: [hall] },
      { type: 'direct', to: [chat.owner.id] },
      { type: 'private', to: hall },
    ] as const)
      await expectError(
        'INSUFFICIENT_SCOPE',
        api.sendMessage({ ...wrong, ...message } as never),
        /limited to the stream/,
      );
  });

  test('fetches the messages of the stream, with a term that names it by its id', async () => {
    await chat.message({ from: chat.owner, to: 'vault', content: 'gold' });
    await chat.message({ from: chat.owner, to: 'hall', content: 'soup' });
    for (const narrow of [
      [['stream', hall]],
      [['search', 'soup'], { operator: 'stream', operand: hall }],
      [{ operator: 'stream', operand: hall, negated: false }],
    ] as never[]) {
      const { messages } = await api.getMessages({ ...newest, narrow });
      expect(messages.map(({ content }) => content)).toContain('<p>soup</p>');
      expect(new Set(messages.map(({ stream_id }) => stream_id))).toEqual(new Set([hall]));
    }
    for (const narrow of [
      undefined,
      [],
      [['stream', vault]],
      [['stream', 'hall']],
      [['topic', hall]],
      [{ operator: 'stream', operand: hall, negated: true }],
      [['is', 'unread']],
    ] as never[])
      await expectError('INSUFFICIENT_SCOPE', api.getMessages({ ...newest, narrow }), /narrow/);
    const { messages } = await api.getMessages({
      ...newest,
      narrow: [
        ['stream', hall],
        ['stream', vault],
      ],
    });
    expect(messages).toEqual([]);
  });

  test('fetches topics, subscribers and details of the stream, and of no other', async () => {
    const about: ((stream_id: number) => Promise<unknown>)[] = [
      (stream_id) => api.getStream({ stream_id }),
      (stream_id) => api.getStreamTopics({ stream_id }),
      (stream_id) => api.getStreamMembers({ stream_id }),
      (stream_id) => api.markStreamAsRead({ stream_id }),
      (stream_id) => api.markTopicAsRead({ stream_id, topic_name: 'soup' }),
    ];
    for (const call of about) {
      await call(hall);
      const error = await expectError('INSUFFICIENT_SCOPE', call(vault), /limited to the stream/);
      expect(error).toMatchObject({ limited_to: 'stream' });
    }
  });

  test('receives the messages of the stream and nothing else, and gets no state', async () => {
    for (const wrong of [
      { event_types: ['message', 'realm_user'] },
      { fetch_event_types: ['message'] },
      { event_types: ['presence'] },
    ] as const)
      await expectError('INSUFFICIENT_SCOPE', api.registerQueue(wrong), /event_types/);
    const registered = await api.registerQueue({ all_public_streams: true });
    expect(Object.keys(registered).sort()).toEqual(
      ['last_event_id', 'queue_id', 'service_feature_level', 'service_merge_base', 'service_version'].sort(),
    );
    await chat.message({ from: chat.owner, to: 'vault', content: 'gold' });
    await chat.message({ from: chat.owner, to: [chat.owner], content: 'secret' });
    await chat.message({ from: chat.owner, to: 'hall', content: 'soup' });
    await chat.owner.api.updateRealm({ description: 'Changed' });
    const { events } = await api.getEvents({ ...registered, dont_block: true });
    expect(events).toMatchObject([{ type: 'message', message: { content: 'soup', stream_id: hall } }]);
  });

  test('receives no message that was moved out of the stream', async () => {
    const { queue_id, last_event_id } = await api.registerQueue();
    const message_id = await chat.message({ from: chat.owner, to: 'hall', topic: 'moving', content: 'gone' });
    await chat.owner.api.updateMessage({
      message_id,
      stream_id: vault,
      send_notification_to_old_thread: false,
      send_notification_to_new_thread: false,
    } as never);
    const { events } = await api.getEvents({ queue_id, last_event_id, dont_block: true });
    expect(events).toEqual([]);
  });

  test('is limited by its event types and its scopes, too', async () => {
    const both = await tokenOf({ stream_id: hall, event_types: ['realm_user'] });
    for (const [type, limited_to] of [
      ['message', 'event_types'],
      ['realm_user', 'stream'],
    ] as const) {
      const problem = await expectError('INSUFFICIENT_SCOPE', both.registerQueue({ event_types: [type] }));
      expect(problem).toMatchObject({ limited_to });
    }
    const reads = await tokenOf({ stream_id: hall, scopes: ['read'] });
    const send = reads.sendMessage({ type: 'stream', to: hall, content: 'no' });
    const error = await expectError('INSUFFICIENT_SCOPE', send, /"write"/);
    expect(error).not.toHaveProperty('limited_to');
  });
});

describe('a token that is limited to types of events', () => {
  test('reads event queues of these types, and nothing else', async () => {
    const api = await tokenOf({ event_types: ['realm', 'message'] });
    const { secret } = await create({ event_types: ['realm'] });
    for (const id of withCredentials.filter((one) => operations[one].scope === 'read')) {
      const isQueue = operations[id].token_limit === 'queue';
      expect((await call(id, secret))[0] === 403, id).toBe(!isQueue);
    }
    for (const wrong of [
      { event_types: ['presence'] },
      { event_types: ['realm'], fetch_event_types: ['realm_user'] },
    ] as const) {
      const error = await expectError('INSUFFICIENT_SCOPE', api.registerQueue(wrong), /not for/);
      expect(error).toMatchObject({ limited_to: 'event_types' });
    }
    const registered = await api.registerQueue();
    expect(registered).toHaveProperty('realm_name');
    expect(registered).not.toHaveProperty('realm_users');
    await chat.user('newcomer', { mirrored: false });
    await chat.owner.api.updateRealm({ description: 'Changed again' });
    const { events } = await api.getEvents({ ...registered, dont_block: true });
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['realm']));
  });

  test('writes what its scopes allow', async () => {
    const api = await tokenOf({ event_types: ['message'], scopes: ['write'] });
    await api.sendMessage({ type: 'stream', to: 'hall', topic: 'soup', content: 'posted' });
    await expect(api.registerQueue()).rejects.toThrow(ParleyError);
  });
});
