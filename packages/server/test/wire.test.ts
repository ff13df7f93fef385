// How requests and answers travel (behaviour 1.1, 1.2, 1.5), the same for every operation.
import { request } from 'node:http';
import { operations, readDocument } from '@parley/openapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, type Person, startChat } from './chat.ts';

let chat: Chat;
let ada: Person;
beforeAll(async () => {
  chat = await startChat();
  [ada] = await chat.users('ada');
});
afterAll(() => chat.close());

const basic = (email: string, key: string) => `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;
const FORM = 'application/x-www-form-urlencoded';

interface Raw {
  method?: string;
  body?: string | FormData;
  type?: string;
  auth?: string | null;
}

async function call(path: string, { method = 'GET', body, type, auth = basic(ada.email, ada.apiKey) }: Raw = {}) {
  const response = await chat.fetch(`/api/v1${path}`, {
    method,
    ...(body !== undefined && { body }),
    headers: { ...(auth !== null && { Authorization: auth }), ...(type && { 'Content-Type': type }) },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text ? JSON.parse(text) : undefined };
}
const post = (path: string, body: string, type = FORM) => call(path, { method: 'POST', body, type });

describe('bodies', () => {
  const flags = async (body: string | FormData, type?: string) =>
    call('/messages/flags', { method: 'POST', body, ...(type && { type }) });

  test('a form, a multipart form and JSON say the same', async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ messages: '[]', op: 'add', flag: 'read' })) form.set(name, value);
    const answers = [
      await flags('messages=[]&op=add&flag=read', FORM),
      await flags(form),
      await flags(JSON.stringify({ messages: [], op: 'add', flag: 'read' }), 'application/json'),
    ];
    for (const answer of answers) expect(answer.body).toEqual({ result: 'success', msg: '', messages: [] });
  });

  test.each([
    ['broken JSON', '{"messages":'],
    ['a list', '[1]'],
    ['a text', '"hi"'],
    ['null', 'null'],
  ])('a JSON body that is not one object is INVALID_JSON: %s', async (_case, body) => {
    const answer = await flags(body, 'application/json');
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_JSON' } });
  });

  test('every operation that reads a body says what is answered when it is no JSON', () => {
    const { paths } = readDocument() as { paths: Record<string, Record<string, object>> };
    const methods = Object.values(paths).flatMap((path) => Object.entries(path));
    const writes = methods.filter(([method]) => ['post', 'patch', 'put', 'delete'].includes(method));
    expect(writes.filter(([, operation]) => !JSON.stringify(operation).includes('/InvalidJson"'))).toEqual([]);
  });

  test('no parameter is said to be of an unknown kind', () => {
    const params = Object.values(operations).flatMap((one) => Object.values<{ expects: string }>(one.params));
    expect(params.filter(({ expects }) => /undefined|object Object/.test(expects))).toEqual([]);
  });

  test('null in a JSON body means absent', async () => {
    const answer = await flags(JSON.stringify({ messages: [], op: null, flag: 'read' }), 'application/json');
    expect(answer.body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'op' });
  });

  test('another content type is refused and the three are named', async () => {
    const answer = await flags('<xml/>', 'text/xml');
    expect(answer.body).toMatchObject({ code: 'BAD_REQUEST', msg: expect.stringContaining('application/json') });
  });

  test('DELETE bodies are read', async () => {
    const answer = await call('/events', { method: 'DELETE', body: 'queue_id=none', type: FORM });
    expect(answer.body).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID', queue_id: 'none' });
  });

  test('query parameters count on other verbs too, and the body wins', async () => {
    const both = await post('/messages/flags?op=spin&flag=read', 'messages=[]&op=add');
    expect(both.body).toMatchObject({ result: 'success' });
  });

  test('of a repeated name the last value counts', async () => {
    expect((await post('/messages/flags', 'messages=[]&op=spin&op=add&flag=read')).body).toMatchObject({
      result: 'success',
    });
    expect((await call('/streams?include_public=maybe&include_public=false')).body).toMatchObject({
      result: 'success',
    });
  });

  test('a body over the limit is refused with the limit', async () => {
    const answer = await post('/messages/flags', `messages=[${'1,'.repeat(4_500_000)}1]&op=add&flag=read`);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: expect.stringMatching(/at most \d+ bytes/) },
    });
  });

  test('JSON nested too deeply is refused by name', async () => {
    const deep = '['.repeat(5000) + ']'.repeat(5000);
    expect((await post('/messages/flags', `messages=${deep}&op=add&flag=read`)).body).toMatchObject({
      code: 'BAD_REQUEST',
      msg: expect.stringContaining('"messages"'),
    });
  });
});

describe('files', () => {
  const path = '/realm/emoji/soup';
  const form = (fields: Record<string, string | Blob>) => {
    const made = new FormData();
    for (const [name, value] of Object.entries(fields)) made.append(name, value);
    return made;
  };
  const picture = new Blob(['not a picture']);

  test('reach an operation that takes them', async () => {
    const answer = await call(path, { method: 'POST', body: form({ file: picture }) });
    expect(answer.body).toMatchObject({ code: 'BAD_REQUEST', msg: expect.stringMatching(/^file: .*picture/) });
  });

  test('that are missing are missing', async () => {
    for (const body of [form({}), form({ other: picture })]) {
      const answer = await call(path, { method: 'POST', body });
      expect(answer.body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'file' });
    }
  });

  test.each([
    ['a text in a multipart form', form({ file: 'soup' }), undefined],
    ['a text in a form', 'file=soup', FORM],
    ['JSON', '{"file": "soup"}', 'application/json'],
  ])('come in multipart forms, and as files: %s is refused by name', async (_case, body, type) => {
    const answer = await call(path, { method: 'POST', body, ...(type && { type }) });
    expect(answer.body).toMatchObject({
      code: 'BAD_REQUEST',
      msg: 'Parameter "file" must be a file of at most 5 MiB.',
    });
  });

  test('in a query are texts, and refused by name', async () => {
    const answer = await call(`${path}?file=soup`, { method: 'POST', body: form({ file: picture }) });
    expect(answer.body).toMatchObject({ code: 'BAD_REQUEST', msg: expect.stringContaining('"file"') });
  });

  test('that an operation does not take are ignored by name, whatever their size', async () => {
    const large = new Blob([new Uint8Array(6 * 1024 * 1024)]);
    const answer = await call('/mark_all_as_read', { method: 'POST', body: form({ zip: large }) });
    expect(answer.body).toMatchObject({ result: 'success', ignored_parameters_unsupported: ['zip'] });
  });

  test('under the name of another parameter are no value of it', async () => {
    const body = form({ messages: picture, op: 'add', flag: 'read' });
    expect((await call('/messages/flags', { method: 'POST', body })).body).toMatchObject({
      code: 'BAD_REQUEST',
      msg: expect.stringContaining('"messages"'),
    });
  });

  test.each([path, '/mark_all_as_read'])('that break off are refused, and harm nobody: %s', async (at) => {
    const body = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nabc';
    const answer = await call(at, { method: 'POST', body, type: 'multipart/form-data; boundary=x' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect((await call('/users/me')).status).toBe(200);
  });

  test('in a body over the limit are refused with a limit, and the connection goes on', async () => {
    for (const size of [6, 20]) {
      const body = form({ file: new Blob([new Uint8Array(size * 1024 * 1024)]) });
      expect(await call(path, { method: 'POST', body })).toMatchObject({
        status: 400,
        body: { code: 'BAD_REQUEST', msg: expect.stringMatching(/at most/) },
      });
    }
    expect((await call('/users/me')).status).toBe(200);
  });
});

describe('values', () => {
  test.each([
    ['messages', 'messages=5&op=add&flag=read'],
    ['messages', 'messages=4,8&op=add&flag=read'],
    ['messages', 'messages=["4"]&op=add&flag=read'],
    ['messages', 'messages=[4.5]&op=add&flag=read'],
    ['messages', 'messages=&op=add&flag=read'],
    ['op', 'messages=[]&op="add"&flag=read'],
  ])('a malformed value of %s is refused by name: %s', async (name, body) => {
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

  test.each(['"5"', ' 5', '5.0', '1e3', '0x5', '', '05', '-05'])('an integer is bare digits, not %j', async (value) => {
    const answer = await call(`/messages?anchor=newest&num_after=0&num_before=${encodeURIComponent(value)}`);
    expect(answer.body).toMatchObject({ result: 'error', msg: expect.stringContaining('"num_before"') });
  });

  test('a list of JSON in a query is read', async () => {
    const narrow = encodeURIComponent('[["is", "starred"]]');
    expect((await call(`/messages?anchor=newest&num_before=1&num_after=0&narrow=${narrow}`)).body).toMatchObject({
      messages: [],
    });
  });

  test('a plus in a query is a space', async () => {
    const answer = await call('/messages?anchor=newest&num_before=1&num_after=0&narrow=[["is",+"starred"]]');
    expect(answer.body).toMatchObject({ messages: [] });
  });

  test('a null character and half a character are refused by name', async () => {
    const missing = 'type=stream&to=x&topic=t&content=';
    expect((await post('/messages', `${missing}%00`)).body).toMatchObject({
      msg: expect.stringContaining('"content"'),
    });
    const half = JSON.stringify({ type: 'stream', to: 'x', topic: 't', content: 'a' }).replace('"a"', '"\\ud800"');
    expect((await post('/messages', half, 'application/json')).body).toMatchObject({
      msg: expect.stringContaining('"content"'),
    });
  });

  test('an unexpected key inside an object item is refused', async () => {
    const answer = await post(
      '/users/me/subscriptions',
      `subscriptions=${encodeURIComponent('[{"name":"x","shiny":1}]')}`,
    );
    expect(answer.body).toMatchObject({ code: 'BAD_REQUEST', msg: expect.stringContaining('"subscriptions"') });
  });

  test('a name and its alias together are confusing', async () => {
    const answer = await post('/messages', 'type=stream&to=x&content=y&topic=a&subject=b');
    expect(answer.body).toMatchObject({ code: 'REQUEST_CONFUSING_VAR', var_name1: 'topic', var_name2: 'subject' });
  });

  test('an id that names nothing is unknown, however large', async () => {
    for (const id of ['999999', '9007199254740991', '99999999999999999999999']) {
      expect((await call(`/streams/${id}`)).body).toMatchObject({ code: 'BAD_REQUEST' });
      const flags = await post('/messages/flags', `messages=[${id}]&op=add&flag=starred`);
      expect(flags.body).toMatchObject({ code: 'BAD_REQUEST' });
    }
  });
});

describe('parameters an operation does not know', () => {
  test('are listed, sorted by code point, on success', async () => {
    const answer = await post('/mark_all_as_read?zeta=1', 'alpha=1&Zeta=2&é=3');
    expect(answer.body.ignored_parameters_unsupported).toEqual(['Zeta', 'alpha', 'zeta', 'é']);
  });

  test('are listed for operations without parameters and for GET', async () => {
    expect((await call('/user_groups?x=1')).body.ignored_parameters_unsupported).toEqual(['x']);
    expect((await call('/server_settings?x=1')).body.ignored_parameters_unsupported).toEqual(['x']);
  });

  test('do not include client, aliases, or path parameters repeated', async () => {
    const answer = await call('/streams/1/members?client=me&stream_id=7');
    expect(answer.body).not.toHaveProperty('ignored_parameters_unsupported');
    expect((await call('/users/me?client=me')).body).not.toHaveProperty('ignored_parameters_unsupported');
  });

  test('named like parts of JavaScript objects are only names', async () => {
    const answer = await post('/mark_all_as_read', '__proto__=1&constructor=2&toString=3');
    expect(answer.body.ignored_parameters_unsupported).toEqual(['__proto__', 'constructor', 'toString']);
  });
});

describe('the paths', () => {
  test.each(Object.entries(operations))(
    '%s answers under /api/v1 and nowhere else',
    async (id, { path, method: verb }) => {
      const method = verb.toUpperCase();
      const named = path.replaceAll(/\{\w+\}/g, '1');
      const code = async (at: string) => {
        const answer = await chat.fetch(at, { method });
        return String((await answer.json().catch(() => ({}))).code);
      };
      expect(await code(`/api/v1${named}`)).not.toMatch(/NOT_FOUND|METHOD_NOT_ALLOWED/);
      // Without any prefix there is the file itself, whose address the operation makes a link for.
      const elsewhere = id === 'getFileUrl' ? [] : [''];
      for (const prefix of [...elsewhere, '/api', '/api/v2', '/v1'])
        expect(await code(prefix + named)).toBe('NOT_FOUND');
    },
  );
});

describe('names of earlier feature levels', () => {
  const asOwner = (path: string, method: string, fields: Record<string, string>) =>
    call(path, {
      method,
      body: new URLSearchParams(fields).toString(),
      type: FORM,
      auth: basic(chat.owner.email, chat.owner.apiKey),
    });

  test('can_remove_subscribers_group_id, of before level 197, is ignored by name', async () => {
    const can_remove_subscribers_group_id = '1';
    const fields = { subscriptions: '[{"name":"levels"}]', can_remove_subscribers_group_id };
    const { body } = await asOwner('/users/me/subscriptions', 'POST', fields);
    expect(body.ignored_parameters_unsupported).toEqual(['can_remove_subscribers_group_id']);
  });

  test('can_mention_group_id, of before level 198, is ignored by name', async () => {
    await chat.owner.api.createUserGroup({ name: 'levels', description: '', members: [] });
    const { user_groups } = await chat.owner.api.getUserGroups();
    const id = user_groups.find(({ name }) => name === 'levels')?.id;
    const fields = { description: 'new', can_mention_group_id: '1' };
    const { body } = await asOwner(`/user_groups/${id}`, 'PATCH', fields);
    expect(body.ignored_parameters_unsupported).toEqual(['can_mention_group_id']);
  });

  test('url_format_string of linkifiers, of before level 176, stands for nothing', async () => {
    const url_format_string = 'https://t.example/%(id)s';
    const without = await asOwner('/realm/filters', 'POST', { pattern: 'L(?P<id>[0-9]+)', url_format_string });
    expect(without.body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'url_template' });
    const url_template = 'https://t.example/{id}';
    const fields = { pattern: 'L(?P<id>[0-9]+)', url_template, url_format_string };
    const { body } = await asOwner('/realm/filters', 'POST', fields);
    expect(body.ignored_parameters_unsupported).toEqual(['url_format_string']);
  });

  test('url_prefix of playgrounds, of before level 196, stands for nothing', async () => {
    const url_prefix = 'https://e.example/?code=';
    const without = await asOwner('/realm/playgrounds', 'POST', { name: 'Old', pygments_language: 'C', url_prefix });
    expect(without.body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'url_template' });
    const url_template = 'https://e.example/?code={code}';
    const fields = { name: 'Old', pygments_language: 'C', url_template, url_prefix };
    const { body } = await asOwner('/realm/playgrounds', 'POST', fields);
    expect(body.ignored_parameters_unsupported).toEqual(['url_prefix']);
  });
});

describe('answers', () => {
  test('are JSON that nobody keeps, ending in a newline', async () => {
    for (const answer of [await call('/users/me'), await call('/nowhere')]) {
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.text.endsWith('}\n')).toBe(true);
    }
  });

  test('a success has an empty msg, no code, and nothing about parameters when all were known', async () => {
    for (const answer of [
      await call('/users/me'),
      await call('/server_settings'),
      await post('/mark_all_as_read', ''),
    ]) {
      expect(answer.body).toMatchObject({ result: 'success', msg: '' });
      expect(answer.body).not.toHaveProperty('code');
      expect(answer.body).not.toHaveProperty('ignored_parameters_unsupported');
    }
  });

  test('an unknown path is 404 NOT_FOUND', async () => {
    for (const path of [
      '/nowhere',
      '/messages/',
      '/Users/me',
      '/streams/abc',
      '/streams/-1',
      '/streams/1.5',
      '/messages/%ff',
    ]) {
      expect(await call(path)).toMatchObject({ status: 404, body: { result: 'error', code: 'NOT_FOUND' } });
    }
  });

  test('a wrong verb is 405 with the verbs that would do', async () => {
    const answer = await call('/messages', { method: 'DELETE' });
    expect(answer).toMatchObject({
      status: 405,
      body: { code: 'METHOD_NOT_ALLOWED', allowed_methods: ['GET', 'HEAD', 'POST'] },
    });
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  test('HEAD works wherever GET does', async () => {
    const answer = await call('/users/me', { method: 'HEAD' });
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(0);
  });

  test('OPTIONS is 204 with Allow', async () => {
    const answer = await call('/messages', { method: 'OPTIONS' });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
  });

  test.each([
    ['/messages', FORM, 'type='],
    [
      '/realm/emoji/soup',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a"',
    ],
  ])('a client that goes away in the middle of its body harms nobody: %s', async (path, type, begin) => {
    await new Promise<void>((resolve) => {
      const req = request(`http://127.0.0.1:${chat.port}/api/v1${path}`, {
        method: 'POST',
        headers: {
          Host: 'localhost',
          Authorization: basic(ada.email, ada.apiKey),
          'Content-Type': type,
          'Content-Length': 200,
        },
      });
      req.on('error', () => resolve());
      req.write(begin);
      setImmediate(() => req.destroy());
    });
    expect((await call('/users/me')).status).toBe(200);
  });
});

test('an address that is too long is refused in the envelope', async () => {
  const answer = await call(`/streams?x=${'a'.repeat(70_000)}`);
  expect(answer).toMatchObject({ status: 400, body: { result: 'error', code: 'BAD_REQUEST' } });
});

describe('the organization', () => {
  const at = (host: string) =>
    new Promise<{ status: number; code: string | undefined }>((resolve, reject) => {
      request(
        `http://127.0.0.1:${chat.port}/api/v1/users/me`,
        { headers: { Host: host, Authorization: basic(ada.email, ada.apiKey) } },
        (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, code: JSON.parse(text).code }));
        },
      )
        .on('error', reject)
        .end();
    });

  test('follows from the host name, whatever its case and port', async () => {
    expect(await at('LocalHost:1234')).toMatchObject({ status: 200 });
  });

  test('an unknown subdomain is 404 NONEXISTENT_SUBDOMAIN', async () => {
    for (const host of ['nobody.localhost', 'example.com', 'a.b.localhost', '']) {
      expect(await at(host)).toEqual({ status: 404, code: 'NONEXISTENT_SUBDOMAIN' });
    }
  });

  test('credentials of one organization are nothing in another', async () => {
    const { realm } = await chat.otherRealm('other');
    expect(await at(realm.host)).toEqual({ status: 401, code: 'INVALID_API_KEY' });
  });
});

describe('credentials', () => {
  const withAuth = (auth: string | null) => call('/users/me', { auth });

  test.each([
    ['none', null],
    ['another scheme', 'Bearer abc'],
    ['no credentials after the scheme', 'Basic'],
    ['not base64', 'Basic ???'],
    ['no colon', `Basic ${Buffer.from('ada').toString('base64')}`],
    ['two colons', `Basic ${Buffer.from('a:b:c').toString('base64')}`],
  ])('that cannot be read are UNAUTHORIZED: %s', async (_case, auth) => {
    const answer = await withAuth(auth);
    expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="parley"');
  });

  test('that are wrong are INVALID_API_KEY, and an unknown email reads no different from a wrong key', async () => {
    const wrong = await withAuth(basic(ada.email, 'x'.repeat(32)));
    const unknown = await withAuth(basic('nobody@example.com', ada.apiKey));
    const malformed = await withAuth(basic(ada.email, 'short'));
    expect(wrong).toMatchObject({ status: 401, body: { code: 'INVALID_API_KEY' } });
    expect(unknown.body).toEqual(wrong.body);
    expect(malformed.body).toEqual(wrong.body);
  });

  test('count whatever the case of the scheme and the email, and with spaces around them', async () => {
    const auth = `bAsIc ${Buffer.from(` ${ada.email.toUpperCase()} : ${ada.apiKey} `).toString('base64')}`;
    expect((await withAuth(auth)).status).toBe(200);
  });

  test('a key is 32 letters and digits', () => {
    expect(ada.apiKey).toMatch(/^[0-9A-Za-z]{32}$/);
  });
});

describe('the order of checks', () => {
  test('path, verb, organization, credentials, parameters', async () => {
    expect((await call('/nowhere', { auth: null })).body.code).toBe('NOT_FOUND');
    expect((await call('/messages', { method: 'PATCH', auth: null })).body.code).toBe('METHOD_NOT_ALLOWED');
    expect((await call('/messages', { method: 'POST', auth: null })).body.code).toBe('UNAUTHORIZED');
    expect((await call('/messages', { method: 'POST' })).body.code).toBe('REQUEST_VARIABLE_MISSING');
  });

  test('without the role the role error comes even when parameters are missing', async () => {
    expect((await call('/realm', { method: 'PATCH', body: '{', type: 'application/json' })).body.code).toBe(
      'UNAUTHORIZED_PRINCIPAL',
    );
    const guest = await chat.user('gus', { role: 'guest' });
    const answer = await call('/users/me/subscriptions', { method: 'POST', auth: basic(guest.email, guest.apiKey) });
    expect(answer.body).toMatchObject({ code: 'BAD_REQUEST', msg: expect.stringMatching(/guest/i) });
  });
});
