// Requests as libraries and terminal clients for this kind of API write them, and what these clients read in the
// responses.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../chat.ts';
import { FORM, rawCalls } from './raw.ts';

let chat: Chat;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  chat = await startChat();
  [ada, ben] = await chat.users('ada', 'ben');
});
afterAll(() => chat.close());
const { call, post } = rawCalls(() => ({ chat, person: ada }));
const query = (params: Record<string, string>) => new URLSearchParams(params).toString();

/** Larger than every message id. */
const BEYOND_NEWEST = 10_000_000_000_000_000;

describe('the first unread message as an anchor', () => {
  const page = { num_before: '2', num_after: '2', apply_markdown: 'false', narrow: '[["is", "private"]]' };
  const messages = (params: Record<string, string>) => call(`/messages?${query({ ...page, ...params })}`);

  test('is requested without an anchor by use_first_unread_anchor, as by anchor=first_unread', async () => {
    const first = await chat.message({ from: ben, to: [ada], content: 'one' });
    const second = await chat.message({ from: ben, to: [ada], content: 'two' });
    const expected = {
      result: 'success',
      anchor: first,
      found_anchor: true,
      found_newest: true,
      messages: [{ id: first }, { id: second }],
    };
    const byFlag = await messages({ use_first_unread_anchor: 'true' });
    expect(byFlag.body).toMatchObject(expected);
    expect(byFlag.body).not.toHaveProperty('ignored_parameters_unsupported');
    expect((await messages({ use_first_unread_anchor: 'true', anchor: '0' })).body).toMatchObject(expected);
    expect((await messages({ anchor: 'first_unread' })).body).toMatchObject(expected);
    await ada.api.markAllAsRead();
  });

  test('is 10000000000000000 when nothing is unread, so that a client knows it is no message', async () => {
    const read = await chat.message({ from: ben, to: [ada] });
    await ada.api.markAllAsRead();
    const { text, body } = await messages({ use_first_unread_anchor: 'true' });
    expect(text).toContain('"anchor":10000000000000000,');
    expect(body).toMatchObject({ anchor: BEYOND_NEWEST, found_anchor: false, found_newest: true });
    expect(body.messages.at(-1)).toMatchObject({ id: read });
    expect((await messages({ anchor: 'first_unread' })).body).toMatchObject({ anchor: BEYOND_NEWEST });
    expect((await messages({ anchor: 'newest' })).body).toMatchObject({ anchor: BEYOND_NEWEST });
    const again = await messages({ anchor: String(BEYOND_NEWEST) });
    expect(again.body.messages).toEqual(body.messages);
  });

  test.each<Record<string, string>>([{}, { use_first_unread_anchor: 'false' }])(
    'is not assumed: %j without an anchor fails',
    async (params) => {
      const { status, body } = await messages(params);
      expect(status).toBe(400);
      expect(body).toEqual({
        result: 'error',
        msg: 'Parameter "anchor" is missing.',
        code: 'REQUEST_VARIABLE_MISSING',
        var_name: 'anchor',
      });
    },
  );
});

describe('the events of a queue', () => {
  const register = async () => (await post('/register', 'event_types=["message"]')).body;
  const events = (queue_id: string, last_event_id: number) =>
    call(`/events?${query({ queue_id, last_event_id: String(last_event_id), dont_block: 'true' })}`);

  test('come from the beginning with last_event_id=-1, again and again until one was acknowledged', async () => {
    const { queue_id } = await register();
    expect((await events(queue_id, -1)).body).toMatchObject({ result: 'success', events: [] });
    const message = await chat.message({ from: ben, to: [ada] });
    for (let times = 0; times < 2; times++) {
      const { status, body } = await events(queue_id, -1);
      expect(status).toBe(200);
      expect(body.events).toMatchObject([{ type: 'message', message: { id: message } }]);
    }
  });

  test('fail with last_event_id=-1 after one was acknowledged, and the error has the reason', async () => {
    const { queue_id } = await register();
    await chat.message({ from: ben, to: [ada] });
    const [first] = (await events(queue_id, -1)).body.events;
    const second = await chat.message({ from: ben, to: [ada] });
    expect((await events(queue_id, first.id)).body.events).toMatchObject([{ message: { id: second } }]);
    const { status, body } = await events(queue_id, -1);
    expect([status, body]).toEqual([
      400,
      {
        result: 'error',
        code: 'BAD_REQUEST',
        reason: 'conflict',
        msg: `last_event_id: -1 asks from the beginning of the queue, but events up to ${first.id} were acknowledged and are gone. Send the id of the last event that you have, or register a new queue.`,
      },
    ]);
    expect((await events(queue_id, first.id)).body.events).toMatchObject([{ message: { id: second } }]);
  });

  test('are waited for with last_event_id=-1', async () => {
    const { queue_id } = await register();
    const waiting = call(`/events?${query({ queue_id, last_event_id: '-1' })}`);
    const message = await chat.message({ from: ben, to: [ada] });
    expect((await waiting).body.events).toMatchObject([{ message: { id: message } }]);
  });
});

test('the response to a new bot has the credentials for the program of the bot', async () => {
  const { status, body } = await post('/bots', 'full_name=Soup%20Bot&short_name=soup', FORM);
  expect([status, body]).toEqual([
    200,
    {
      result: 'success',
      msg: '',
      user_id: expect.any(Number),
      email: `soup-bot@${chat.realm.host}`,
      api_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
    },
  ]);
  const bot = rawCalls(() => ({ chat, person: { ...ada, email: body.email, apiKey: body.api_key } }));
  expect((await bot.call('/users/me')).body).toMatchObject({ user_id: body.user_id, is_bot: true });
});
