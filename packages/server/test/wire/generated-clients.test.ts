// What clients rely on that a generator made from the document: media types, names, strings and headers are as
// documented.
import { getConstant, listTypes } from '@parley/openapi/document';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stateTypes } from '../../src/features/registration/state.ts';
import { type Chat, startChat, type TestUser } from '../chat.ts';
import { startDemo } from '../demo.ts';
import { document, operations } from '../examples.ts';
import { unlimited } from '../unlimited.ts';
import { FORM, rawCalls } from './raw.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat();
  [ada] = await chat.users('ada');
});
afterAll(() => chat.close());
const { call, post } = rawCalls(() => ({ chat, person: ada }));

describe('a name with brackets after a known parameter fails with an error that names it, wherever it is sent', () => {
  const page = 'anchor=newest&num_before=1&num_after=0';
  const expectApiError = (name: string) => ({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: expect.stringContaining(name) },
  });

  test.each(['narrow[0][operator]', 'narrow[]', 'narrow[0][]', 'anchor[x'])('in a query: %s', async (name) => {
    const answer = await call(`/messages?${page}&${encodeURIComponent(name)}=stream`);
    expect(answer).toMatchObject(expectApiError(name));
  });

  test('in a form, a multipart form and a JSON body', async () => {
    const multipart = new FormData();
    for (const [name, value] of [
      ['messages[]', '1'],
      ['op', 'add'],
      ['flag', 'read'],
    ] as const)
      multipart.set(name, value);
    const json = JSON.stringify({ 'messages[]': [1], op: 'add', flag: 'read' });
    const answers = [
      await post('/messages/flags', 'messages[]=1&op=add&flag=read'),
      await call('/messages/flags', { method: 'POST', body: multipart }),
      await post('/messages/flags', json, 'application/json'),
    ];
    for (const answer of answers) expect(answer).toMatchObject(expectApiError('messages[]'));
  });

  test('after a name that the operation does not know, it is reported as ignored too', async () => {
    const answer = await post('/mark_all_as_read?narrow[0]=x', 'colors[]=1');
    expect(answer.body.ignored_parameters_unsupported).toEqual(['colors[]', 'narrow[0]']);
  });
});

describe('the document lists', () => {
  const { EventType, StateType, Event } = document.components.schemas;

  test('every part of the state', () => {
    expect([...new Set(stateTypes)].sort()).toEqual(StateType?.enum);
  });

  test('every type of events that a queue can ask for', () => {
    const types = (Event?.oneOf ?? []).map((one) => String(getConstant(document, one, 'type')));
    const requestedTypes = new Set([...types, ...stateTypes]);
    // Waiting polls get it whatever types the queue has.
    requestedTypes.delete('heartbeat');
    expect([...requestedTypes].sort()).toEqual(EventType?.enum);
  });
});

test('types that are not listed are accepted and match nothing', async () => {
  const answer = await post('/register', 'event_types=["reaction_2"]&fetch_event_types=["weather"]');
  expect(answer).toMatchObject({ status: 200, body: { result: 'success', queue_id: expect.any(String) } });
});

test('JSON is the first media type of every body without files', () => {
  for (const { operation, id } of operations) {
    const [first, ...others] = Object.keys(operation.requestBody?.content ?? {});
    if (first !== undefined && first !== 'multipart/form-data') {
      expect([first, others], id).toEqual(['application/json', [FORM]]);
    }
  }
});

test('every query parameter is a simple value or a string, which generators send as it is', () => {
  for (const { parameters, id } of operations) {
    for (const parameter of parameters) {
      const types = listTypes(document, parameter.schema ?? {});
      expect(types, `${id}: ${parameter.name}`).not.toEqual([]);
      expect(['string', 'integer', 'boolean'], `${id}: ${parameter.name}`).toEqual(expect.arrayContaining(types));
    }
  }
});

describe('headers are declared where they are sent', () => {
  const declared = (id: string, status: string): string[] => {
    const found = operations.find((one) => one.id === id)?.responses.find((one) => one.status === status);
    return Object.keys(found?.response.headers ?? {}).map((name) => name.toLowerCase());
  };
  const sent = (headers: Headers) =>
    [...headers.keys()].filter((name) => /^(x-ratelimit-.*|x-request-id|retry-after)$/.test(name));

  test.each([
    ['of a counted request', 'getOwnUser', '/users/me', '200', undefined],
    ['of an error after the count', 'getStreamId', '/get_stream_id', '400', undefined],
    ['of a request over the rate limit', 'getOwnUser', '/users/me', '429', 11.4],
    ['of a request that is not counted', 'getServerSettings', '/server_settings', '200', undefined],
  ])('%s', async (_case, id, path, status, wait) => {
    const verdict = { limit: 200, remaining: 1, reset: Date.now(), wait };
    const demo = await startDemo({ requestLimits: { ...unlimited, account: async () => verdict } });
    try {
      const { email, api_key } = demo.demoUsers.find(({ name }) => name === 'Hamlet') ?? { email: '', api_key: '' };
      const authorization = `Basic ${Buffer.from(`${email}:${api_key}`).toString('base64')}`;
      const response = await fetch(`${demo.url}/api/v1${path}`, { headers: { authorization } });
      expect(String(response.status)).toBe(status);
      expect(sent(response.headers).sort()).toEqual(declared(id, status).sort());
    } finally {
      await demo.close();
    }
  });
});
