// Requests as libraries and terminal clients for this kind of API write them, and what these clients read in the responses.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, type Person, startChat } from '../chat.ts';
import { picture } from '../pictures.ts';
import { FORM, rawCalls } from './raw.ts';

let chat: Chat;
let ada: Person;
let ben: Person;
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

  test('is asked for without an anchor by use_first_unread_anchor, as by anchor=first_unread', async () => {
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
    'is not assumed: %j without an anchor is refused',
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

describe('a file', () => {
  const file = async () => new File([await picture('png')], 'soup.png', { type: 'image/png' });
  let made = 0;
  const paths = () => ['/user_uploads', `/realm/emoji/soup${made++}`, '/users/me/avatar'];
  const send = (path: string, body: FormData) => call(path, { method: 'POST', body });

  test.each(['/home/ada/pictures/soup.png', 'filename', 'file', 'name'])(
    'can come as a part of any name, such as %j',
    async (name) => {
      for (const path of paths()) {
        const form = new FormData();
        form.append(name, await file());
        const { status, body } = await send(path, form);
        expect([status, body], path).toEqual([200, expect.objectContaining({ result: 'success', msg: '' })]);
        expect(body).not.toHaveProperty('ignored_parameters_unsupported');
        if (path === '/user_uploads') expect(body.uri).toMatch(/^\/user_uploads\/\d+\/[0-9a-f-]{36}\/soup\.png$/);
      }
    },
  );

  test('must be there', async () => {
    for (const path of paths()) {
      const form = new FormData();
      form.append('caption', 'Soup');
      const { status, body } = await send(path, form);
      expect([status, body.code, body.msg], path).toEqual([
        400,
        'REQUEST_VARIABLE_MISSING',
        'Parameter "file" is missing.',
      ]);
    }
  });

  test('must be the only one: of two neither is kept', async () => {
    const { attachments } = await ada.api.getAttachments();
    for (const path of paths()) {
      const form = new FormData();
      form.append('/tmp/one.png', await file());
      form.append('/tmp/two.png', await file());
      const { status, body } = await send(path, form);
      expect([status, body], path).toEqual([
        400,
        { result: 'error', code: 'BAD_REQUEST', msg: 'The body must have exactly one file.' },
      ]);
    }
    expect((await ada.api.getAttachments()).attachments).toEqual(attachments);
  });

  test('is within its limit, whatever its part is called', async () => {
    const form = new FormData();
    form.append('/tmp/large.png', new File([new Uint8Array(5 * 1024 * 1024 + 1)], 'large.png'));
    const { status, body } = await send('/users/me/avatar', form);
    expect([status, body.msg]).toEqual([400, 'Parameter "file" must be a file of at most 5 MiB.']);
  });

  test('is no parameter of other operations, which report its name', async () => {
    const form = new FormData();
    form.append('/tmp/soup.png', await file());
    const { body } = await send('/mark_all_as_read', form);
    expect(body).toMatchObject({ result: 'success', ignored_parameters_unsupported: ['/tmp/soup.png'] });
  });
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

  test('are refused with last_event_id=-1 after one was acknowledged, and the message says so', async () => {
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
        msg: `last_event_id: -1 asks from the beginning of the queue, but events up to ${first.id} were acknowledged and are gone. Send the id of the last event that you have, or register a new queue.`,
      },
    ]);
    expect((await events(queue_id, first.id)).body.events).toMatchObject([{ message: { id: second } }]);
  });

  test('wait for a client that asks with last_event_id=-1', async () => {
    const { queue_id } = await register();
    const waiting = call(`/events?${query({ queue_id, last_event_id: '-1' })}`);
    const message = await chat.message({ from: ben, to: [ada] });
    expect((await waiting).body.events).toMatchObject([{ message: { id: message } }]);
  });
});

test('the response to a new bot has what the program of the bot logs in with', async () => {
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
