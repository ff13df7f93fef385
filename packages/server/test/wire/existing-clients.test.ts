// Requests as libraries and terminal clients for this kind of API write them, and what these clients read in the
// responses.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../chat.ts';
import { picture } from '../pictures.ts';
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

describe('a file', () => {
  const file = async () => new File([await picture('png')], 'soup.png', { type: 'image/png' });
  let made = 0;
  const paths = () => ['/user_uploads', `/realm/emoji/soup${made++}`, '/users/me/avatar'];
  const send = (path: string, body: FormData) => call(path, { method: 'POST', body });

  test.each(['/home/ada/pictures/soup.png', 'filename', 'file', 'name'])(
    'can be a part of any name, such as %j',
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

  test('must be present', async () => {
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

  test('must be the only one: of two neither is stored', async () => {
    const { attachments } = await ada.api.getAttachments();
    for (const path of paths()) {
      const form = new FormData();
      form.append('/tmp/one.png', await file());
      form.append('/tmp/two.png', await file());
      const { status, body } = await send(path, form);
      expect([status, body], path).toEqual([
        400,
        { result: 'error', code: 'BAD_REQUEST', reason: 'invalid', msg: 'The body must have exactly one file.' },
      ]);
    }
    expect((await ada.api.getAttachments()).attachments).toEqual(attachments);
  });

  test('has its limit, whatever its part is called', async () => {
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

describe('the state of a registration', () => {
  const register = async (person: TestUser, ...types: string[]) => {
    const { post } = rawCalls(() => ({ chat, person }));
    const fetched = types.length > 0 ? `fetch_event_types=${JSON.stringify(types)}` : '';
    return (await post('/register', fetched)).body;
  };

  test('has what clients need to know of the server and the organization', async () => {
    const state = await register(ada, 'realm');
    expect(state).toMatchObject({
      realm_bot_domain: chat.realm.host,
      realm_email_auth_enabled: true,
      realm_password_auth_enabled: true,
      max_icon_file_size_mib: 5,
      server_generation: expect.any(Number),
      realm_default_external_accounts: {
        github: {
          name: 'GitHub username',
          text: 'GitHub',
          hint: expect.any(String),
          url_pattern: 'https://github.com/%(username)s',
        },
        twitter: expect.objectContaining({ url_pattern: 'https://twitter.com/%(username)s' }),
      },
    });
    for (const subtype of Object.keys(state.realm_default_external_accounts)) {
      const name = `Account ${subtype}`;
      await chat.owner.api.createProfileField({ name, field_type: 7, field_data: { subtype } });
    }
  });

  test('has the URL of the names of all Unicode emoji, which needs no login and changes with them', async () => {
    const { server_emoji_data_url } = await register(ada, 'realm');
    const response = await chat.fetch(server_emoji_data_url);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toMatch(/^application\/json/);
    expect(response.headers.get('Cache-Control')).toContain('immutable');
    const { code_to_names } = await response.json();
    expect(code_to_names).toMatchObject({
      '1f419': expect.arrayContaining(['octopus']),
      '1f44d': expect.arrayContaining(['+1', 'thumbs_up']),
    });
    const [first] = Object.keys(code_to_names);
    await ada.api.addReaction({
      message_id: await chat.message({ from: ada, to: [ada] }),
      emoji_name: code_to_names[first ?? ''][0],
      emoji_code: first,
      reaction_type: 'unicode_emoji',
    });
    const ofOtherVersion = await chat.fetch('/emoji/data/0123456789abcdef.json');
    expect([ofOtherVersion.status, ofOtherVersion.headers.get('Cache-Control')]).toEqual([200, 'public, max-age=0']);
    expect((await chat.fetch('/emoji/data/other.json')).status).toBe(404);
  });

  test('has the authentication methods', async () => {
    const { realm, owner } = await chat.otherRealm('ways');
    const mia = await chat.user('mia', { realm });
    const enabled = async (Email: boolean, LDAP: boolean) => {
      await owner.api.updateRealm({ authentication_methods: { Email, LDAP } });
      const { realm_email_auth_enabled, realm_password_auth_enabled } = await mia.api.registerQueue();
      return [realm_email_auth_enabled, realm_password_auth_enabled];
    };
    expect(await enabled(false, true)).toEqual([false, true]);
    expect(await enabled(false, false)).toEqual([false, false]);
    expect(await enabled(true, false)).toEqual([true, true]);
  });

  test("has the source of the user's own avatar", async () => {
    const [mia] = await chat.users('mia');
    const source = async () => (await register(mia, 'realm_user')).avatar_source;
    expect(await source()).toBe('G');
    await mia.api.uploadAvatar({ file: await picture() });
    expect(await source()).toBe('U');
    await mia.api.deleteAvatar();
    expect(await source()).toBe('G');
  });

  test('lists muted topics for clients that do not fetch user_topic', async () => {
    const [mia] = await chat.users('mia');
    const stream_id = await chat.stream('kitchen', { by: mia });
    await mia.api.updateUserTopic({ stream_id, topic: 'noise', visibility_policy: 1 });
    await mia.api.updateUserTopic({ stream_id, topic: 'soup', visibility_policy: 3 });
    const { user_topics } = await register(mia, 'user_topic');
    const state = await register(mia, 'muted_topics');
    expect(state.muted_topics).toEqual([['kitchen', 'noise', user_topics[0].last_updated]]);
    expect(state).not.toHaveProperty('user_topics');
    expect(await register(mia, 'muted_topics', 'user_topic')).not.toHaveProperty('muted_topics');
    expect(await register(mia)).not.toHaveProperty('muted_topics');
  });

  test('lists direct conversations, those with the newest messages first', async () => {
    const [mia, max, eva] = await chat.users('mia', 'max', 'eva');
    const recent = async (person: TestUser) =>
      (await register(person, 'recent_private_conversations')).recent_private_conversations;
    expect(await recent(mia)).toEqual([]);
    await chat.message({ from: mia, to: [max] });
    const group = await chat.message({ from: max, to: [eva, mia] });
    const own = await chat.message({ from: mia, to: [mia] });
    await chat.stream('pantry', { by: mia, members: [max] });
    await chat.message({ from: max, to: 'pantry' });
    const answered = await chat.message({ from: max, to: [mia] });
    expect(await recent(mia)).toEqual([
      { user_ids: [max.id], max_message_id: answered },
      { user_ids: [], max_message_id: own },
      { user_ids: [max.id, eva.id], max_message_id: group },
    ]);
    expect(await recent(eva)).toEqual([{ user_ids: [mia.id, max.id], max_message_id: group }]);
  });

  test('marks custom profile fields that are shown in short profiles, and events do', async () => {
    const { realm, owner } = await chat.otherRealm('summary');
    const mia = await chat.user('mia', { realm });
    const create = (name: string, field_type: 1 | 2 | 6, display_in_profile_summary?: boolean) =>
      owner.api.createProfileField({ name, field_type, display_in_profile_summary });
    const { id: team } = await create('Team', 1, true);
    const { id: room } = await create('Room', 1);
    const shown = async () => (await mia.api.registerQueue()).custom_profile_fields ?? [];
    const fieldOf = (id: number, name: string, order: number) => ({
      id,
      name,
      type: 1,
      hint: '',
      field_data: '',
      order,
    });
    expect(await shown()).toEqual([
      { ...fieldOf(team, 'Team', 1), display_in_profile_summary: true },
      fieldOf(room, 'Room', 2),
    ]);
    await owner.api.updateProfileField({ field_id: room, display_in_profile_summary: true });
    const [, , event] = await mia.takeEvents('custom_profile_fields');
    expect(event?.fields).toEqual(await shown());
    expect((await shown())[1]).toEqual({ ...fieldOf(room, 'Room', 2), display_in_profile_summary: true });
    await expectError('BAD_REQUEST', create('Floor', 1, true), /display_in_profile_summary: at most 2/);
    await owner.api.updateProfileField({ field_id: team, display_in_profile_summary: false });
    expect((await shown())[0]).toEqual(fieldOf(team, 'Team', 1));
    for (const type of [2, 6] as const) {
      await expectError('BAD_REQUEST', create('Floor', type, true), /display_in_profile_summary: a field of this type/);
    }
    await create('Floor', 1, true);
  });
});
