import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { operations } from '../../test/examples.ts';
import type { Schema } from '../core/contract.ts';
import { PartlySerializedResponse, PreserializedFields } from '../core/preserialized-fields.ts';
import { PreserializedItems, type PreserializedJson } from '../core/preserialized-json.ts';
import { SerializedList } from '../core/serialized-items.ts';
import { beginCall, getCall } from './call.ts';
import {
  checkResponse,
  createItemSerialization,
  createResponseValidation,
  type OnBadResponse,
  validateParams,
} from './validate.ts';
import type { InvalidResponseError } from './validator/index.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const failed: ErrorRequestHandler = (error: Error, _req, res, _next) =>
  void res.status(500).json({ [error.name]: error.message });

/** Sends a request for `getStreams` to a server that responds as `respond` does. */
async function request(respond: RequestHandler, onBadResponse?: OnBadResponse) {
  const begun: RequestHandler = (req, _res, next) => {
    const params = { include_public: true };
    beginCall(req, { id: 'getStreams', started: 0, path: {}, caller: undefined, params, ignored: [] });
    next();
  };
  const app = express().use(begun, createResponseValidation({ onBadResponse }), validateParams, respond, failed);
  const server = app.listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

const documented = operations.find(({ id }) => id === 'getStreams')?.examples.find(({ status }) => status === 200)
  ?.value as { streams: { stream_id: number }[] };

test('a documented response is sent unchanged', async () => {
  expect(await request((_req, res) => void res.json(documented))).toEqual({ status: 200, body: documented });
});

test('an undocumented field fails the request, and the error names the field', async () => {
  const body = { ...documented, secret: 1 };
  expect(await request((_req, res) => void res.json(body))).toEqual({
    status: 500,
    body: { InvalidResponseError: '/response/secret must NOT have unevaluated properties' },
  });
});

test('an undocumented status fails the request, and a response without a body as well', async () => {
  const teapot = await request((_req, res) => void res.status(418).json(documented));
  expect(teapot.body).toEqual({ InvalidResponseError: 'getStreams documents no response with status 418' });
  const empty = await request((_req, res) => void res.json(undefined));
  expect(empty.body).toEqual({ InvalidResponseError: 'the response needs a body' });
});

test('in production an undocumented response is logged and sent', async () => {
  const noted: [InvalidResponseError, string][] = [];
  const body = { ...documented, secret: 1 };
  const sent = await request(
    (_req, res) => void res.json(body),
    (problem, operation) => void noted.push([problem, operation]),
  );
  expect(sent).toEqual({ status: 200, body });
  expect(noted.map(([{ errors }, operation]) => ({ errors, operation }))).toEqual([
    {
      operation: 'getStreams',
      errors: [{ path: '/secret', message: 'must NOT have unevaluated properties' }],
    },
  ]);
});

test('a response that reports a failure of the server is not validated', async () => {
  const body = { anything: true };
  expect(await request((_req, res) => void res.status(503).json(body))).toEqual({ status: 503, body });
});

test('defaults of the document are set in the parameters', async () => {
  const { body } = await request((req, res) => {
    res.status(500).json(getCall(req).params);
  });
  expect(body).toMatchObject({ include_public: true, include_all_active: false });
});

test('items of a serialized list are validated once, however many responses contain them', async () => {
  const list = new CountedList(documented.streams);
  const respond: RequestHandler = (_req, res) => void res.json({ ...documented, streams: list.all() });
  for (let n = 0; n < 3; n++) expect(await request(respond)).toEqual({ status: 200, body: documented });
  expect(list.reads).toBe(1);
});

test('an invalid item of a serialized list fails each request, and so does an item that only one response has', async () => {
  const [first] = documented.streams as [{ stream_id: number }];
  const invalid = { ...first, secret: 1 };
  const respond =
    (streams: PreserializedJson<object>): RequestHandler =>
    (_req, res) =>
      void res.json({ ...documented, streams });
  const broken = new CountedList([invalid]);
  const valid = new CountedList(documented.streams);
  for (let n = 0; n < 2; n++) expect((await request(respond(broken.all()))).status).toBe(500);
  expect((await request(respond(valid.all()))).status).toBe(200);
  expect((await request(respond(valid.all(new Map([[first.stream_id, invalid]]))))).status).toBe(500);
});

describe('preserialized fields', () => {
  const registration = operations
    .find(({ id }) => id === 'registerQueue')
    ?.examples.find(({ status }) => status === 200);
  const { realm_name, realm_description, ...own } = { ...(registration?.value as Record<string, unknown>) };
  const check = (own: object, ...shared: PreserializedFields<object>[]) =>
    checkResponse({}, 'registerQueue', 200, new PartlySerializedResponse(own, shared));

  test('are validated once for each operation, however many responses have them', () => {
    const fields: Record<string, unknown> = { realm_name, realm_description };
    const shared = new PreserializedFields(fields);
    expect(() => check(own, shared)).not.toThrow();
    // They never change, but here this shows whether they are validated again.
    fields.realm_name = 5;
    expect(() => check(own, shared)).not.toThrow();
    expect(() => checkResponse({}, 'getStreams', 200, new PartlySerializedResponse(documented, [shared]))).toThrow(
      '/response/realm_name',
    );
  });

  test('fail each request if they are invalid, and so does an invalid field beside valid ones', () => {
    const valid = new PreserializedFields({ realm_name });
    const invalid = new PreserializedFields({ realm_description: 5 });
    for (let n = 0; n < 2; n++) expect(() => check(own, valid, invalid)).toThrow('/response/realm_description');
    expect(() => check(own, valid)).not.toThrow();
    expect(() => check({ ...own, secret: 1 }, valid)).toThrow('/response/secret');
  });
});

describe('an item that is validated and serialized alone', () => {
  const page = operations.find(({ id }) => id === 'getMessages')?.examples.find(({ status }) => status === 200)?.value;
  const [message] = (page as { messages: [Schema<'Message'>] }).messages;
  const invalid = { ...message, secret: 1 };
  const list = (item: Schema<'Message'>, onBadResponse?: OnBadResponse) =>
    new SerializedList([createItemSerialization({ onBadResponse }).serializeItem('getMessages', item)]);

  test('is sent unchanged', () => {
    expect(JSON.parse(String(Buffer.concat(list(message).pieces)))).toEqual([message]);
    expect(() => checkResponse({}, 'getMessages', 200, { ...(page as object), messages: list(message) })).not.toThrow();
  });

  test('has the same JSON as a string and in pieces, and is validated for both', () => {
    const { serializeItem, stringifyItem } = createItemSerialization({});
    const pieces = serializeItem('getMessages', message);
    expect(stringifyItem('getMessages', message)).toBe(String(Buffer.concat(pieces)));
    expect(() => stringifyItem('getMessages', invalid)).toThrow('/response/messages/*/secret');
  });

  test('fails the request if it is invalid, and the error names the field', () => {
    const problem = '/response/messages/*/secret must NOT have unevaluated properties';
    expect(() => list(invalid)).toThrow(problem);
    expect(() => list({ ...message, content: 1 } as never)).toThrow('/response/messages/*/content must be string');
  });

  test('in production is logged and sent if it is invalid', () => {
    const noted: string[] = [];
    const { pieces } = list(invalid, ({ errors }, operation) =>
      noted.push(operation, ...errors.map(({ path }) => path)),
    );
    expect(noted).toEqual(['getMessages', '/messages/*/secret']);
    expect(JSON.parse(String(Buffer.concat(pieces)))).toEqual([invalid]);
  });
});

/** Counts how often its items are created again, as validation does. */
class CountedList extends PreserializedItems<{ stream_id: number }> {
  reads = 0;

  constructor(streams: readonly { stream_id: number }[]) {
    super(streams, ({ stream_id }) => stream_id);
  }

  override items() {
    this.reads += 1;
    return super.items();
  }
}
