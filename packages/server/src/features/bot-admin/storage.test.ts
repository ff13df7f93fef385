import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { basic, FORM } from '../../../test/wire/raw.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat();
  [ada] = await chat.users('ada');
});
afterAll(() => chat.close());
const newBot = () => chat.user('bot', { bot_of: ada });
const storageOf = async ({ api }: TestUser) => (await api.getBotStorage()).storage;

/** A request as libraries for bots write it: values other than strings are JSON, in a query or a form. */
async function send(bot: TestUser, method: 'GET' | 'PUT' | 'DELETE', params: Record<string, unknown>) {
  const encoded = new URLSearchParams(Object.entries(params).map(([name, value]) => [name, JSON.stringify(value)]));
  const headers = { Authorization: basic(bot.email, bot.apiKey), 'Content-Type': FORM };
  const response =
    method === 'GET'
      ? await chat.fetch(`/api/v1/bot_storage?${encoded}`, { headers })
      : await chat.fetch('/api/v1/bot_storage', { method, headers, body: encoded.toString() });
  return { status: response.status, body: await response.json() };
}

test('a bot stores strings by key, reads them back and deletes them, in the form of existing libraries', async () => {
  const bot = await newBot();
  const success = { result: 'success', msg: '' };
  expect(await send(bot, 'GET', {})).toEqual({ status: 200, body: { ...success, storage: {} } });
  const storage = { greeting: 'Hello', count: '12', 'état "1"': '{"soup": true}' };
  expect(await send(bot, 'PUT', { storage })).toEqual({ status: 200, body: success });
  expect(await send(bot, 'GET', {})).toEqual({ status: 200, body: { ...success, storage } });
  expect(await send(bot, 'GET', { keys: ['count'] })).toMatchObject({ body: { storage: { count: '12' } } });
  expect(await send(bot, 'DELETE', { keys: ['count', 'greeting'] })).toEqual({ status: 200, body: success });
  expect(await storageOf(bot)).toEqual({ 'état "1"': '{"soup": true}' });
  expect(await send(bot, 'DELETE', {})).toEqual({ status: 200, body: success });
  expect(await storageOf(bot)).toEqual({});
});

test('a key that exists gets the new value, and other keys stay', async () => {
  const bot = await newBot();
  await bot.api.updateBotStorage({ storage: { a: 'one', b: 'two' } });
  await bot.api.updateBotStorage({ storage: { b: 'three', c: '' } });
  await bot.api.updateBotStorage({ storage: {} });
  expect(await storageOf(bot)).toEqual({ a: 'one', b: 'three', c: '' });
});

test('each bot has a storage of its own, and users have none', async () => {
  const [one, other] = [await newBot(), await newBot()];
  await one.api.updateBotStorage({ storage: { a: 'mine' } });
  await other.api.updateBotStorage({ storage: { a: 'theirs' } });
  await other.api.deleteBotStorage();
  expect(await storageOf(one)).toEqual({ a: 'mine' });
  expect(await storageOf(other)).toEqual({});
  await expectError('BAD_REQUEST', ada.api.getBotStorage(), /^Only bots/);
  await expectError('BAD_REQUEST', ada.api.updateBotStorage({ storage: { a: 'x' } }), /^Only bots/);
  await expectError('BAD_REQUEST', ada.api.deleteBotStorage(), /^Only bots/);
});

test('an error names a key that does not exist, and nothing is deleted', async () => {
  const bot = await newBot();
  await bot.api.updateBotStorage({ storage: { a: 'one' } });
  const keys = ['a', 'missing'];
  await expectError('BAD_REQUEST', bot.api.getBotStorage({ keys }), /^keys: .*"missing"/);
  await expectError('BAD_REQUEST', bot.api.deleteBotStorage({ keys }), /^keys: .*"missing"/);
  expect(await storageOf(bot)).toEqual({ a: 'one' });
  expect((await bot.api.getBotStorage({ keys: [] })).storage).toEqual({});
  await bot.api.deleteBotStorage({ keys: [] });
  expect(await storageOf(bot)).toEqual({ a: 'one' });
});

describe('values that cannot be stored', () => {
  test.each([
    ['a number', { a: 12 }],
    ['null', { a: null }],
    ['an object', { a: {} }],
    ['a list in place of the object', ['a']],
    ['a text in place of the object', 'a'],
  ])('%s fails with an error that names the parameter', async (_case, storage) => {
    const bot = await newBot();
    expect(await send(bot, 'PUT', { storage })).toEqual({
      status: 400,
      body: expect.objectContaining({ code: 'BAD_REQUEST', msg: expect.stringContaining('"storage"') }),
    });
    expect(await storageOf(bot)).toEqual({});
  });

  test('a key has 1 to 200 characters, and one invalid key fails the request', async () => {
    const bot = await newBot();
    for (const key of ['', 'é'.repeat(201)]) {
      await expectError(
        'BAD_REQUEST',
        bot.api.updateBotStorage({ storage: { a: 'x', [key]: 'x' } }),
        /^storage: a key/,
      );
    }
    expect(await storageOf(bot)).toEqual({});
    const longest = '😀'.repeat(200);
    await bot.api.updateBotStorage({ storage: { [longest]: 'x' } });
    expect(await storageOf(bot)).toEqual({ [longest]: 'x' });
  });
});

test('values too large for one response fail, and can be read in parts', async () => {
  const roomy = await startChat({ collection_limits: { bot_storage_bytes: 64 * 1024 ** 2 } });
  try {
    const [owner] = await roomy.users('owner');
    const { api } = await roomy.user('bot', { bot_of: owner, mirrored: false });
    const half = 'x'.repeat(5 * 1024 ** 2);
    await api.updateBotStorage({ storage: { a: half } });
    await api.updateBotStorage({ storage: { b: half } });
    await expectError('BAD_REQUEST', api.getBotStorage(), /^keys: .*8388608 bytes/);
    expect((await api.getBotStorage({ keys: ['b'] })).storage.b).toHaveLength(half.length);
  } finally {
    await roomy.close();
  }
});

test('a value that replaces a shorter one counts in full, and a request over the limit stores nothing', async () => {
  const small = await startChat({ collection_limits: { bot_storage: 2, bot_storage_bytes: 100 } });
  try {
    const [owner] = await small.users('owner');
    const { api } = await small.user('bot', { bot_of: owner, mirrored: false });
    await api.updateBotStorage({ storage: { a: 'x' } });
    const tooLong = api.updateBotStorage({ storage: { a: 'x'.repeat(100) } });
    await expectError('BAD_REQUEST', tooLong, /\(limit "bot_storage_bytes"\)/);
    await expectError('BAD_REQUEST', api.updateBotStorage({ storage: { b: '', c: '' } }), /\(limit "bot_storage"\)/);
    await api.updateBotStorage({ storage: { a: 'y', b: '' } });
    expect((await api.getBotStorage()).storage).toEqual({ a: 'y', b: '' });
  } finally {
    await small.close();
  }
});
