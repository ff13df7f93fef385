// How parameters are parsed (docs/behaviour/requests.md#values-in-forms-and-queries), the same for every operation.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../chat.ts';
import { basic, FORM, rawCalls } from './raw.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat();
  [ada] = await chat.users('ada');
});
afterAll(() => chat.close());
const { call, post } = rawCalls(() => ({ chat, person: ada }));

describe('values', () => {
  test.each([
    ['messages', 'messages=5&op=add&flag=read'],
    ['messages', 'messages=4,8&op=add&flag=read'],
    ['messages', 'messages=["4"]&op=add&flag=read'],
    ['messages', 'messages=[4.5]&op=add&flag=read'],
    ['messages', 'messages=&op=add&flag=read'],
    ['op', 'messages=[]&op="add"&flag=read'],
  ])('a malformed value of %s fails with an error that names it: %s', async (name, body) => {
    expect((await post('/messages/flags', body)).body).toMatchObject({
      code: 'BAD_REQUEST',
      msg: expect.stringContaining(name),
    });
  });

  test.each(['True', 'yes', '1', '"true"', '', ' true', 'true\n'])(
    'a boolean is exactly true or false, not %j',
    async (value) => {
      const answer = await call(`/streams?include_public=${encodeURIComponent(value)}`);
      expect(answer.body).toMatchObject({ code: 'BAD_REQUEST', msg: expect.stringContaining('"include_public"') });
    },
  );

  test.each(['"5"', ' 5', '5.0', '1e3', '0x5', '', '05', '-05'])('an integer is digits only, not %j', async (value) => {
    const answer = await call(`/messages?anchor=newest&num_after=0&num_before=${encodeURIComponent(value)}`);
    expect(answer.body).toMatchObject({ result: 'error', msg: expect.stringContaining('"num_before"') });
  });

  // shows: 1.3, 1.4
  test('a list of JSON in a query is read', async () => {
    const narrow = encodeURIComponent('[["is", "starred"]]');
    expect((await call(`/messages?anchor=newest&num_before=1&num_after=0&narrow=${narrow}`)).body).toMatchObject({
      messages: [],
    });
  });

  // shows: 1.3
  test('a plus in a query is a space', async () => {
    const answer = await call('/messages?anchor=newest&num_before=1&num_after=0&narrow=[["is",+"starred"]]');
    expect(answer.body).toMatchObject({ messages: [] });
  });

  test('a null character and a lone surrogate fail with an error that names the parameter', async () => {
    const missing = 'type=stream&to=x&topic=t&content=';
    expect((await post('/messages', `${missing}%00`)).body).toMatchObject({
      msg: expect.stringContaining('"content"'),
    });
    const half = JSON.stringify({ type: 'stream', to: 'x', topic: 't', content: 'a' }).replace('"a"', '"\\ud800"');
    expect((await post('/messages', half, 'application/json')).body).toMatchObject({
      msg: expect.stringContaining('"content"'),
    });
  });

  test('an unexpected key inside an object item fails', async () => {
    const answer = await post(
      '/users/me/subscriptions',
      `subscriptions=${encodeURIComponent('[{"name":"x","shiny":1}]')}`,
    );
    expect(answer.body).toMatchObject({ code: 'BAD_REQUEST', msg: expect.stringContaining('"subscriptions"') });
  });

  test('a name and its alias together fail', async () => {
    const answer = await post('/messages', 'type=stream&to=x&content=y&topic=a&subject=b');
    expect(answer.body).toMatchObject({ code: 'REQUEST_CONFUSING_VAR', var_name1: 'topic', var_name2: 'subject' });
  });

  // shows: 4.4.1
  test('an id that does not exist is unknown, however large', async () => {
    for (const id of ['999999', '9007199254740991', '99999999999999999999999']) {
      expect((await call(`/streams/${id}`)).body).toMatchObject({ code: 'BAD_REQUEST' });
      const flags = await post('/messages/flags', `messages=[${id}]&op=add&flag=starred`);
      expect(flags.body).toMatchObject({ code: 'BAD_REQUEST' });
    }
  });
});

describe('parameters an operation does not know', () => {
  // shows: 1.8, 9.4
  test('are listed, sorted by code point, on success', async () => {
    const answer = await post('/mark_all_as_read?zeta=1', 'alpha=1&Zeta=2&é=3');
    expect(answer.body.ignored_parameters_unsupported).toEqual(['Zeta', 'alpha', 'zeta', 'é']);
  });

  // shows: 1.8
  test('are listed for operations without parameters and for GET', async () => {
    expect((await call('/user_groups?x=1')).body.ignored_parameters_unsupported).toEqual(['x']);
    expect((await call('/server_settings?x=1')).body.ignored_parameters_unsupported).toEqual(['x']);
  });

  test('do not include client, aliases, or path parameters repeated', async () => {
    const answer = await call('/streams/1/members?client=me&stream_id=7');
    expect(answer.body).not.toHaveProperty('ignored_parameters_unsupported');
    expect((await call('/users/me?client=me')).body).not.toHaveProperty('ignored_parameters_unsupported');
  });

  test('named like parts of JavaScript objects are ordinary names', async () => {
    const answer = await post('/mark_all_as_read', '__proto__=1&constructor=2&toString=3');
    expect(answer.body.ignored_parameters_unsupported).toEqual(['__proto__', 'constructor', 'toString']);
  });
});

describe('names of earlier feature levels', () => {
  const asOwner = (path: string, method: string, fields: Record<string, string>) =>
    call(path, {
      method,
      body: new URLSearchParams(fields).toString(),
      type: FORM,
      auth: basic(chat.owner.email, chat.owner.apiKey),
    });

  // shows: 9.3, 9.6
  test('can_remove_subscribers_group_id, of before level 197, is reported as ignored', async () => {
    const can_remove_subscribers_group_id = '1';
    const fields = { subscriptions: '[{"name":"levels"}]', can_remove_subscribers_group_id };
    const { body } = await asOwner('/users/me/subscriptions', 'POST', fields);
    expect(body.ignored_parameters_unsupported).toEqual(['can_remove_subscribers_group_id']);
  });

  // shows: 9.7
  test('can_mention_group_id, of before level 198, is reported as ignored', async () => {
    await chat.owner.api.createUserGroup({ name: 'levels', description: '', members: [] });
    const { user_groups } = await chat.owner.api.getUserGroups();
    const id = user_groups.find(({ name }) => name === 'levels')?.id;
    const fields = { description: 'new', can_mention_group_id: '1' };
    const { body } = await asOwner(`/user_groups/${id}`, 'PATCH', fields);
    expect(body.ignored_parameters_unsupported).toEqual(['can_mention_group_id']);
  });

  // shows: 9.13
  test('url_format_string of linkifiers, of before level 176, is ignored', async () => {
    const url_format_string = 'https://t.example/%(id)s';
    const without = await asOwner('/realm/filters', 'POST', { pattern: 'L(?P<id>[0-9]+)', url_format_string });
    expect(without.body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'url_template' });
    const url_template = 'https://t.example/{id}';
    const fields = { pattern: 'L(?P<id>[0-9]+)', url_template, url_format_string };
    const { body } = await asOwner('/realm/filters', 'POST', fields);
    expect(body.ignored_parameters_unsupported).toEqual(['url_format_string']);
  });

  // shows: 9.13
  test('url_prefix of playgrounds, of before level 196, is ignored', async () => {
    const url_prefix = 'https://e.example/?code=';
    const without = await asOwner('/realm/playgrounds', 'POST', { name: 'Old', pygments_language: 'C', url_prefix });
    expect(without.body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'url_template' });
    const url_template = 'https://e.example/?code={code}';
    const fields = { name: 'Old', pygments_language: 'C', url_template, url_prefix };
    const { body } = await asOwner('/realm/playgrounds', 'POST', fields);
    expect(body.ignored_parameters_unsupported).toEqual(['url_prefix']);
  });
});
