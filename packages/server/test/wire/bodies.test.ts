// Request bodies and files (docs/behaviour/requests.md#bodies), the same for every operation.
import { operations, readDocument } from '@parley/openapi';
import { listOperations, listResponses } from '@parley/openapi/document';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../chat.ts';
import { FORM, rawCalls } from './raw.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat();
  [ada] = await chat.users('ada');
});
afterAll(() => chat.close());
const { call, post } = rawCalls(() => ({ chat, person: ada }));

describe('bodies', () => {
  const flags = async (body: string | FormData, type?: string) =>
    call('/messages/flags', { method: 'POST', body, ...(type && { type }) });

  // shows: 1.2
  test('a form, a multipart form and JSON have the same meaning', async () => {
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

  test('every operation that reads a body documents INVALID_JSON', () => {
    const document = readDocument();
    const writes = listOperations(document).filter(({ method }) => method !== 'get');
    expect(writes.length).toBeGreaterThan(0);
    for (const { operation } of writes) {
      const codes = listResponses(document, operation).flatMap((response) => response.codes);
      expect(codes, operation.operationId).toContain('INVALID_JSON');
    }
  });

  test('no parameter is documented as of an unknown kind', () => {
    const params = Object.values(operations).flatMap((one) => Object.values<{ expects: string }>(one.params));
    expect(params.filter(({ expects }) => /undefined|object Object/.test(expects))).toEqual([]);
  });

  test('null in a JSON body means absent', async () => {
    const answer = await flags(JSON.stringify({ messages: [], op: null, flag: 'read' }), 'application/json');
    expect(answer.body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'op' });
  });

  test('another content type fails, and the error names the three', async () => {
    const answer = await flags('<xml/>', 'text/xml');
    expect(answer.body).toMatchObject({ code: 'BAD_REQUEST', msg: expect.stringContaining('application/json') });
  });

  // shows: 1.2
  test('bodies of DELETE are read', async () => {
    const answer = await call('/events', { method: 'DELETE', body: 'queue_id=none', type: FORM });
    expect(answer.body).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID', queue_id: 'none' });
  });

  test('query parameters are read with other verbs too, and the body takes precedence', async () => {
    const both = await post('/messages/flags?op=spin&flag=read', 'messages=[]&op=add');
    expect(both.body).toMatchObject({ result: 'success' });
  });

  test('the last value of a repeated name counts', async () => {
    expect((await post('/messages/flags', 'messages=[]&op=spin&op=add&flag=read')).body).toMatchObject({
      result: 'success',
    });
    expect((await call('/streams?include_public=maybe&include_public=false')).body).toMatchObject({
      result: 'success',
    });
  });

  test('a body over the limit fails, and the error has the limit', async () => {
    const answer = await post('/messages/flags', `messages=[${'1,'.repeat(4_500_000)}1]&op=add&flag=read`);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: expect.stringMatching(/at most \d+ bytes/) },
    });
  });

  test('JSON nested too deeply fails with an error that names it', async () => {
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

  test.each(['file', 'other'])('reach an operation that takes them, as a part named %j', async (name) => {
    const answer = await call(path, { method: 'POST', body: form({ [name]: picture }) });
    expect(answer.body).toMatchObject({ code: 'BAD_REQUEST', msg: expect.stringMatching(/^file: .*picture/) });
  });

  test('that are missing fail as missing', async () => {
    for (const body of [form({}), form({ other: 'text' })]) {
      const answer = await call(path, { method: 'POST', body });
      expect(answer.body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'file' });
    }
  });

  test.each([
    ['a text in a multipart form', form({ file: 'soup' }), undefined],
    ['a text in a form', 'file=soup', FORM],
    ['JSON', '{"file": "soup"}', 'application/json'],
  ])('come in multipart forms, and as files: %s fails with an error that names it', async (_case, body, type) => {
    const answer = await call(path, { method: 'POST', body, ...(type && { type }) });
    expect(answer.body).toMatchObject({
      code: 'BAD_REQUEST',
      msg: 'Parameter "file" must be a file of at most 5 MiB.',
    });
  });

  test('in a query are texts, and fail with an error that names them', async () => {
    const answer = await call(`${path}?file=soup`, { method: 'POST', body: form({ file: picture }) });
    expect(answer.body).toMatchObject({ code: 'BAD_REQUEST', msg: expect.stringContaining('"file"') });
  });

  test('that an operation does not take are reported as ignored, and count against its limit', async () => {
    const send = (bytes: number) =>
      call('/mark_all_as_read', { method: 'POST', body: form({ zip: new Blob([new Uint8Array(bytes)]) }) });
    const { body: limit } = operations.markAllAsRead.budget;
    expect((await send(limit / 2)).body).toMatchObject({
      result: 'success',
      ignored_parameters_unsupported: ['zip'],
    });
    expect((await send(limit)).body).toMatchObject({ code: 'BAD_REQUEST', msg: expect.stringContaining('bytes') });
  });

  test('under the name of another parameter are no value of it', async () => {
    const body = form({ messages: picture, op: 'add', flag: 'read' });
    expect((await call('/messages/flags', { method: 'POST', body })).body).toMatchObject({
      code: 'BAD_REQUEST',
      msg: expect.stringContaining('"messages"'),
    });
  });

  test.each([path, '/mark_all_as_read'])('that are truncated fail, and later requests succeed: %s', async (at) => {
    const body = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nabc';
    const answer = await call(at, { method: 'POST', body, type: 'multipart/form-data; boundary=x' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect((await call('/users/me')).status).toBe(200);
  });

  test('in a body over the limit fail with a limit, and the connection goes on', async () => {
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
