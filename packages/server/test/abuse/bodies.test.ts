// Limits of request bodies: bytes, fields and values, checked before the body is parsed.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { operations } from '@parley/openapi';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { DEFAULT_COLLECTION_LIMITS } from '../../src/core/collection-limits.ts';
import type { OperationId } from '../../src/core/contract.ts';
import { bounds } from '../../src/core/limits.ts';
import { updateCanCreateUsers } from '../../src/features/user-admin/index.ts';
import { type Chat, expectError, startChat, type TestUser } from '../chat.ts';
import { loginOf } from '../files.ts';
import { begin, FORM, send } from './raw-request.ts';

type Operation = (typeof operations)[OperationId];

const JSON_TYPE = 'application/json';

let chat: Chat;
let ada: TestUser;
let bot: TestUser;
beforeAll(async () => {
  chat = await startChat();
  [ada] = await chat.users('ada');
  bot = await chat.user('robo', { bot_of: chat.owner, mirrored: false });
  await chat.act((ctx) => updateCanCreateUsers(ctx, chat.owner.id, true));
});
afterAll(() => chat.close());
afterEach(() => void vi.restoreAllMocks());

const withBody = Object.entries(operations).filter(([, { method }]) => method !== 'get') as [string, Operation][];
const pathOf = ({ path }: Operation): string => path.replaceAll(/{\w+}/g, '1');
/** Of a user who can call the operation. */
const credentialsOf = ({ auth, requires }: Operation) =>
  auth === 'user' ? loginOf(requires === 'bot' ? bot : chat.owner) : {};

/** Bodies one byte over a limit, before or after decompression. */
const overBudget: Record<string, (limit: number) => { type: string; encoding?: string; body: Buffer }> = {
  'a form': (limit) => ({ type: FORM, encoding: 'gzip', body: gzipSync(`x=${'a'.repeat(limit - 1)}`) }),
  JSON: (limit) => ({ type: JSON_TYPE, encoding: 'br', body: brotliCompressSync(`{"x":"${'a'.repeat(limit - 7)}"}`) }),
};

describe.each(Object.entries(overBudget))('%s over the limit of its operation', (_, over) => {
  test.each(withBody)('fails and costs no statement beyond those of the credentials: %s', async (_id, operation) => {
    const { body: limit } = operation.budget;
    const { type, encoding = 'identity', body } = over(limit);
    const headers = { ...credentialsOf(operation), 'Content-Type': type, 'Content-Encoding': encoding };
    const before = await chat.statements(() => send(chat, pathOf(operation), { method: 'OPTIONS' }));
    const statements = await chat.statements(async () => {
      const response = await send(chat, pathOf(operation), { method: operation.method.toUpperCase(), headers, body });
      expect([response.status, response.body]).toEqual([
        400,
        { result: 'error', code: 'BAD_REQUEST', reason: 'invalid', msg: `The body can have at most ${limit} bytes.` },
      ]);
    });
    expect([before, statements]).toEqual([0, 1]);
  });
});

test.each(withBody)(
  'a body with a Content-Length over the limit of its operation is not read: %s',
  async (_, operation) => {
    const headers = {
      ...credentialsOf(operation),
      'Content-Type': FORM,
      'Content-Length': operation.budget.body + 1,
    };
    const { req, response } = begin(chat, pathOf(operation), { method: operation.method.toUpperCase(), headers });
    req.flushHeaders();
    expect((await response).body).toMatchObject({ code: 'BAD_REQUEST', msg: expect.stringContaining('bytes') });
    req.destroy();
  },
);

test('the fields of a multipart form count as those of a form, its file does not', async () => {
  const { body: limit } = operations.uploadFile.budget;
  const part = (name: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const upload = (field: string, file: string) =>
    send(chat, '/user_uploads', {
      headers: { ...loginOf(ada), 'Content-Type': 'multipart/form-data; boundary=x' },
      body: `${part('note', field)}${part('file"; filename="soup.txt', file)}--x--\r\n`,
    });
  expect((await upload('soup', 'x'.repeat(2 * limit))).status).toBe(200);
  const { body } = await upload('x'.repeat(limit), 'soup');
  expect(body).toMatchObject({ code: 'BAD_REQUEST', msg: `The body can have at most ${limit} bytes.` });
});

describe('a compressed body', () => {
  const words = new URLSearchParams({ alert_words: '["soup"]' }).toString();
  const encodings = { gzip: gzipSync, 'x-gzip': gzipSync, deflate: deflateSync, br: brotliCompressSync };
  const add = (encoding: string, body: string | Buffer) =>
    send(chat, '/users/me/alert_words', {
      headers: { ...loginOf(ada), 'Content-Type': FORM, 'Content-Encoding': encoding },
      body,
    });

  test.each(Object.entries(encodings))('is read: %s', async (encoding, compress) => {
    const { body } = await add(encoding, compress(words));
    expect(body).toMatchObject({ result: 'success', alert_words: ['soup'] });
  });

  test.each(Object.entries(encodings))('that is corrupt or truncated fails: %s', async (encoding, compress) => {
    for (const bytes of [Buffer.from('soup, as it is'), compress(words.repeat(100)).subarray(0, -9)]) {
      const { status, body } = await add(encoding, bytes);
      expect([status, body.code, body.msg]).toEqual([400, 'BAD_REQUEST', expect.stringContaining(encoding)]);
    }
  });

  test('in an unsupported encoding fails with an error that names it', async () => {
    const { status, body } = await add('compress', 'soup');
    expect([status, body.code, body.msg]).toEqual([400, 'BAD_REQUEST', expect.stringContaining('Content-Encoding')]);
  });

  test('is decompressed no further than the limit of its operation, for any caller', async () => {
    const reserve = vi.spyOn(chat.app.requestBytes, 'reserve');
    const { body } = await send(chat, '/fetch_api_key', {
      headers: { 'Content-Type': FORM, 'Content-Encoding': 'gzip' },
      // As many as fit: a kilobyte of them becomes one of the zeros below, a thousand times as large.
      body: gzipSync('a&'.repeat(1_000_000)),
    });
    const limit = operations.fetchApiKey.budget.body;
    expect(body).toMatchObject({ code: 'BAD_REQUEST', msg: `The body can have at most ${limit} bytes.` });
    expect(reserve.mock.calls.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThanOrEqual(limit);
  });
});

describe('the values of a body are counted before it is parsed', () => {
  const flags = (type: string, body: string) =>
    send(chat, '/messages/flags', { headers: { ...loginOf(ada), 'Content-Type': type }, body });
  const form = (messages: string) => new URLSearchParams({ op: 'add', flag: 'read', messages }).toString();
  const json = (messages: string) => `{"op":"add","flag":"read","messages":${messages}}`;
  const list = (length: number, item: string) => `[${Array.from({ length }, () => item).join(',')}]`;
  const keys = (length: number) => `{${Array.from({ length }, (_, n) => `"k${n}":0`).join(',')}}`;

  test.each([
    ['values of a list in a form', FORM, form(list(bounds.json_values + 2, '1')), 'values'],
    ['values of a list in JSON', JSON_TYPE, json(list(bounds.json_values + 2, '1')), 'values'],
    ['lists in a list', JSON_TYPE, json(list(bounds.json_nodes, '[]')), 'lists'],
    ['keys below the parameters', JSON_TYPE, json(`[${keys(bounds.json_nodes)}]`), 'keys'],
    ['keys in a field of a form', FORM, form(keys(bounds.json_nodes)), 'fields'],
    ['parameters in JSON', JSON_TYPE, keys(bounds.fields + 1), 'fields'],
    ['levels in a field of a form', FORM, form('['.repeat(1000) + ']'.repeat(1000)), 'deep'],
    ['levels in JSON', JSON_TYPE, json('['.repeat(1000) + ']'.repeat(1000)), 'deep'],
  ])('too many %s fail', async (_what, type, body, names) => {
    const parse = vi.spyOn(JSON, 'parse');
    const { status, body: errorResponse } = await flags(type, body);
    expect([status, errorResponse.code, errorResponse.msg]).toEqual([
      400,
      'BAD_REQUEST',
      expect.stringContaining(names),
    ]);
    for (const [text] of parse.mock.calls) expect(text.length).toBeLessThan(1000);
  });

  test.each([
    ['a form', () => flags(FORM, 'a&'.repeat(bounds.fields))],
    ['a query', () => send(chat, `/users/me?${'a&'.repeat(bounds.fields)}`, { method: 'GET', headers: loginOf(ada) })],
  ])('at most a thousand fields of %s are decoded', async (_, sendFields) => {
    const iterate = vi.spyOn(URLSearchParams.prototype, Symbol.iterator);
    const { status, body } = await sendFields();
    expect([status, body.code, body.msg]).toEqual([400, 'BAD_REQUEST', expect.stringContaining(`${bounds.fields}`)]);
    expect(iterate).not.toHaveBeenCalled();
  });

  test.each([FORM, JSON_TYPE])('100,000 message ids are valid: %s', async (type) => {
    const ids = `[${Array.from({ length: 100_000 }, (_, n) => 9_000_000_000_000 + n).join(',')}]`;
    const { body } = await flags(type, type === FORM ? form(ids) : json(ids));
    expect(body).toMatchObject({ result: 'success' });
  });
});

describe('headers before anything is known of the client', () => {
  test.each([
    ['Authorization', `Bearer ${'x '.repeat(30_000)}`, ' '],
    ['Authorization', `Basic ${'x '.repeat(30_000)}`, ' '],
  ])('are not taken apart, however long they are: %s', async (name, value, separator) => {
    const pieces: number[] = [];
    const { split } = String.prototype;
    const spy = vi.spyOn(String.prototype, 'split').mockImplementation(function (this: string, ...args) {
      const found = Reflect.apply(split, this, args) as string[];
      pieces.push(found.length);
      return found;
    });
    const { status } = await send(chat, '/events', { method: 'GET', headers: { [name]: value } });
    spy.mockRestore();
    expect(status).toBe(401);
    expect(value.split(separator).length).toBeGreaterThan(1000);
    expect(Math.max(...pieces)).toBeLessThan(100);
  });
});

test('the server does not read preferences that are longer than any client has', async () => {
  const { queue_id, last_event_id } = await ada.api.registerQueue({ fetch_event_types: [] });
  const query = new URLSearchParams({ queue_id, last_event_id: `${last_event_id}`, dont_block: 'true' });
  const Accept = `text/event-stream${',a/b;q=0.1'.repeat(5000)}`;
  const { headers } = await send(chat, `/events?${query}`, { method: 'GET', headers: { ...loginOf(ada), Accept } });
  expect(headers['content-type']).toBe('application/json');
});

test('an operation reports a hundred names that it does not know, the first hundred characters of each', async () => {
  const names = Array.from({ length: 150 }, (_, n) => `${String(n).padStart(3, '0')}${'é'.repeat(200)}`);
  const { body } = await send(chat, '/users/me/alert_words', {
    headers: { ...loginOf(ada), 'Content-Type': JSON_TYPE },
    body: JSON.stringify({ alert_words: [], ...Object.fromEntries(names.map((name) => [name, 1])) }),
  });
  expect(body.ignored_parameters_unsupported).toEqual(
    Array.from({ length: 100 }, (_, n) => `${String(n).padStart(3, '0')}${'é'.repeat(96)}…`),
  );
});

describe('the largest documented values are within the limit of a body in any encoding', () => {
  const soup = (length: number) => '\u{1F372}'.repeat(length);

  test('a message of 10,000 emoji', async () => {
    expect(await chat.message({ from: ada, to: [ada], content: soup(10_000) })).toEqual(expect.any(Number));
  });

  test('two hundred alert words of a hundred emoji', async () => {
    const alert_words = Array.from(
      { length: DEFAULT_COLLECTION_LIMITS.alert_words - 1 },
      (_, n) => `${n}${soup(bounds.alert_word - 3)}`,
    );
    expect((await ada.api.addAlertWords({ alert_words })).alert_words.length).toBe(
      DEFAULT_COLLECTION_LIMITS.alert_words,
    );
  });

  test('the description of a group', async () => {
    await chat.owner.api.createUserGroup({ name: 'cooks', description: soup(bounds.group_description), members: [] });
  });

  test('a comment on a deactivation', async () => {
    const ben = await chat.user('ben', { mirrored: false });
    const deactivation_notification_comment = soup(2000);
    await chat.owner.api.deactivateUser({ user_id: ben.id, deactivation_notification_comment });
  });

  test('one character more than that fails by the rule of the parameter, not by the limit of the body', async () => {
    await expectError('BAD_REQUEST', chat.message({ from: ada, to: [ada], content: soup(10_001) }), /10000|10,000/);
  });
});
