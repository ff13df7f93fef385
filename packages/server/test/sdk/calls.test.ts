// Calls whose response is late, lost, an error, or of another server.
import { type ClientOptions, createClient, ParleyError, TransportError } from '@parley/client';
import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, between, closeServers } from './scripted-server.ts';

afterEach(closeServers);

const html =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end('<h1>Not now</h1>');
const json =
  (status: number, body: object): Answer =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
const done = json(200, { result: 'success', msg: '', id: 7 });
const limited = json(429, { result: 'error', msg: 'Later.', code: 'RATE_LIMIT_HIT', 'retry-after': 0.05 });
const unavailable: Answer = (response) =>
  response
    .writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '1' })
    .end(JSON.stringify({ result: 'error', msg: 'Later.', code: 'SERVICE_UNAVAILABLE', 'retry-after': 1 }));
const broken: Answer = (response) => response.destroy();
const message = { type: 'stream', to: 'kitchen', topic: 'soup', content: 'hello' } as const;
const login = { email: 'ädä@example.com', apiKey: 'gjA04ZYcqXKalvYMA8OeXSfzUOLrtbZv' };

describe('a call is retried', () => {
  test('after a rate limit, for any operation, when the server says', async () => {
    const { url, heard } = await between(limited, limited, done);
    const waits: number[] = [];
    const client = createClient(url, { onRetry: ({ wait }) => waits.push(wait) });
    expect(await client.sendMessage(message)).toEqual({ id: 7 });
    expect(heard).toHaveLength(3);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(50);
  });

  test('after a failure or a lost response, if repeating is safe', async () => {
    const { url, heard } = await between(broken, html(502), json(200, { result: 'success', msg: '', streams: [] }));
    expect(await createClient(url).getStreams()).toEqual({ streams: [] });
    expect(heard).toHaveLength(3);
  });

  test('after a failure of a write with an Idempotency-Key, with the same key', async () => {
    const { url, heard } = await between(broken, done);
    await createClient(url).sendMessage(message, { idempotencyKey: 'mine' });
    expect(heard.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine']);
  });

  test('after SERVICE_UNAVAILABLE, a write with the same Idempotency-Key, when the server says', async () => {
    const { url, heard } = await between(unavailable, done);
    const waits: number[] = [];
    const client = createClient(url, { onRetry: ({ wait }) => waits.push(wait) });
    await client.sendMessage(message, { idempotencyKey: 'mine' });
    expect(heard.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine']);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1000);
  });
});

describe('with idempotency: auto', () => {
  test('a write is retried with its own key, and each write has another key', async () => {
    const { url, heard } = await between(broken, done);
    const client = createClient(url, { idempotency: 'auto' });
    await client.sendMessage(message);
    await client.sendMessage(message);
    const [first, again, second] = heard.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[!-~]{16,255}$/);
    expect(again).toBe(first);
    expect(second).toMatch(/^[!-~]{16,255}$/);
    expect(second).not.toBe(first);
  });

  test('a key of the caller stays, and operations that take no key get none', async () => {
    const { url, heard } = await between(done);
    const client = createClient(url, { idempotency: 'auto' });
    await client.sendMessage(message, { idempotencyKey: 'mine' });
    await client.getStreams();
    await client.setTyping({ op: 'start', to: [4] });
    await client.fetchApiKey({ username: 'ada', password: 'secret' });
    const keys = heard.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(['mine', undefined, undefined, undefined]);
  });
});

describe('withResponse', () => {
  test('returns the status and the headers of the last attempt beside the data', async () => {
    const { url } = await between(limited, (response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'X-RateLimit-Remaining': '7' })
        .end(JSON.stringify({ result: 'success', msg: '', streams: [] })),
    );
    const { data, response } = await createClient(url).getStreams().withResponse();
    expect(data).toEqual({ streams: [] });
    expect([response.status, response.headers.get('X-RateLimit-Remaining')]).toEqual([200, '7']);
  });

  test('rejects once, with the error', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const { url } = await between(json(400, { result: 'error', msg: 'No.', code: 'BAD_REQUEST' }));
    const call = createClient(url).getStreams().withResponse();
    await expect(call).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

describe('a call is not retried', () => {
  test.each([
    ['a lost response', broken],
    ['a failure', html(503)],
  ])('after %s, if it might be carried out twice', async (_, answer) => {
    const { url, heard } = await between(answer);
    await expect(createClient(url).sendMessage(message)).rejects.toBeInstanceOf(TransportError);
    expect(heard).toHaveLength(1);
  });

  test('after SERVICE_UNAVAILABLE, if it might be carried out twice', async () => {
    const { url, heard } = await between(unavailable);
    await expect(createClient(url).sendMessage(message)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(heard).toHaveLength(1);
  });

  test('after another error response', async () => {
    const { url, heard } = await between(json(400, { result: 'error', msg: 'No.', code: 'BAD_REQUEST' }));
    await expect(createClient(url).getStreams()).rejects.toMatchObject({ code: 'BAD_REQUEST', status: 400 });
    expect(heard).toHaveLength(1);
  });

  test('when the wait would be longer than a minute', async () => {
    const { url, heard } = await between(html(429, { 'Retry-After': '61' }));
    await expect(createClient(url).getStreams()).rejects.toMatchObject({ status: 429, retryAfter: 61 });
    expect(heard).toHaveLength(1);
  });

  test('more often than the option says', async () => {
    const { url, heard } = await between(limited);
    await expect(createClient(url).getStreams({}, { retries: 1 })).rejects.toMatchObject({ code: 'RATE_LIMIT_HIT' });
    expect(heard).toHaveLength(2);
  });
});

describe('a call rejects with', () => {
  test('a response that is not Parley’s: its status and its first bytes', async () => {
    const { url } = await between(html(404));
    const error = await createClient(url)
      .getStreams()
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TransportError);
    const place = `getStreams at ${url}`;
    expect(error).toMatchObject({
      status: 404,
      start: '<h1>Not now</h1>',
      message: `${place}: 404, not Parley: <h1>Not now</h1>`,
    });
  });

  test('an error response with a code that this client does not know', async () => {
    const { url } = await between(json(418, { result: 'error', msg: 'Tea.', code: 'TEAPOT', spout: 'short' }));
    const error = await createClient(url)
      .getStreams()
      .catch((caught: unknown) => caught);
    expect(ParleyError.is(error)).toBe(true);
    expect(error).toMatchObject({ code: 'TEAPOT', body: { spout: 'short' } });
  });

  test('its timeout', async () => {
    const { url } = await between(() => {});
    const error = await createClient(url)
      .getStreams({}, { timeout: 50, retries: 0 })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({
      status: undefined,
      message: `getStreams at ${url}: no response (none within 50 ms)`,
    });
  });

  test('the operation, the server and the reason where there is none', async () => {
    const { url } = await between(() => {});
    closeServers();
    const error = await createClient(url, { retries: 0 })
      .getStreams()
      .catch((caught: Error) => caught.message);
    expect(error).toMatch(`getStreams at ${url}: no response (`);
    expect(error).toMatch(/ECONNREFUSED/);
  });

  test('the reason of its signal, while it waits for a response and between two attempts', async () => {
    const { url } = await between(() => {});
    const ending = new AbortController();
    const waiting = createClient(url).getStreams({}, { signal: ending.signal });
    ending.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');

    const later = new AbortController();
    const { url: busy } = await between(html(429, { 'Retry-After': '30' }));
    const client = createClient(busy, { onRetry: () => later.abort(new Error('enough')) });
    await expect(client.getStreams({}, { signal: later.signal })).rejects.toThrow('enough');
  });
});

test('hooks see every attempt, and can add headers', async () => {
  const { url, heard } = await between(limited, done);
  const seen: unknown[] = [];
  const client = createClient(url, {
    onRequest: ({ operation, attempt, request }) => {
      request.headers.set('Trace', `${operation} ${attempt}`);
    },
    onResponse: ({ attempt, response }) => seen.push([attempt, response.status]),
  });
  await client.sendMessage(message);
  expect(heard.map(({ headers }) => headers.trace)).toEqual(['sendMessage 1', 'sendMessage 2']);
  expect(seen).toEqual([
    [1, 429],
    [2, 200],
  ]);
});

describe('an error in a hook rejects the call, which is not sent again', () => {
  const fault = new TypeError('an error of the hook');
  const fails = () => {
    throw fault;
  };
  test.each([
    ['onRequest', 0],
    ['onResponse', 1],
    ['onIgnoredParameters', 1],
  ] as const)('%s', async (hook, sent) => {
    const answer = json(200, { result: 'success', msg: '', id: 4, ignored_parameters_unsupported: ['x'] });
    const { url, heard } = await between(answer);
    const client = createClient(url, { [hook]: fails });
    await expect(client.sendMessage(message, { idempotencyKey: 'mine' })).rejects.toBe(fault);
    expect(heard).toHaveLength(sent);
  });

  test.each([
    ['onRequest', 0],
    ['onResponse', 1],
    ['onIgnoredParameters', 1],
    ['onRetry', 1],
  ] as const)('also %s that is asynchronous', async (hook, sent) => {
    const answer = json(200, { result: 'success', msg: '', id: 4, ignored_parameters_unsupported: ['x'] });
    const { url, heard } = await between(hook === 'onRetry' ? limited : answer, answer);
    const client = createClient(url, { [hook]: async () => fails() });
    await expect(client.sendMessage(message, { idempotencyKey: 'mine' })).rejects.toBe(fault);
    expect(heard).toHaveLength(sent);
  });

  test('also a log', async () => {
    const { url, heard } = await between(done);
    const client = createClient(url, { logger: { debug: fails, warn: fails } });
    await expect(client.sendMessage(message, { idempotencyKey: 'mine' })).rejects.toBe(fault);
    expect(heard).toHaveLength(1);
  });

  test('also that of an iteration', async () => {
    const client = createClient('http://localhost:1', { onRequest: fails });
    await expect(client.events().next()).rejects.toBe(fault);
  });
});

test('a client with an invalid URL is not created', () => {
  expect(() => createClient('localhost:8080')).toThrow(/localhost:8080 is not http/);
});

test.each(['', '/', '/api/v1', '/api/v1/'])(
  'a client takes the URL of an organization with "%s" at its end',
  async (end) => {
    const { url, heard } = await between(done);
    const client = createClient(url + end);
    await client.sendMessage(message);
    expect([client.url, heard.map((request) => request.url)]).toEqual([url, ['/api/v1/messages']]);
  },
);

test.each([
  ['apiKey', { email: 'ada@example.com', apiKey: undefined }, 'login.apiKey is undefined.'],
  ['apiKey', { email: 'ada@example.com', apiKey: '' }, 'login.apiKey is "".'],
  ['email', { email: undefined, apiKey: 'x'.repeat(32) }, 'login.email is undefined.'],
])('a client without its %s is not created, and the error names it: %j', (_, login, message) => {
  expect(() => createClient('http://localhost:1', { login: login as never })).toThrow(new TypeError(message));
});

test('an error has the reason of the response, and none where an older server sends none', async () => {
  const rejected = { result: 'error', msg: 'No.', code: 'BAD_REQUEST' };
  const { url } = await between(json(400, { ...rejected, reason: 'not_found' }), json(400, rejected));
  await expect(createClient(url).getStreams()).rejects.toMatchObject({ reason: 'not_found' });
  await expect(createClient(url).getStreams()).rejects.toMatchObject({ reason: undefined });
});

test('an error has its operation', async () => {
  const { url } = await between(json(400, { result: 'error', msg: 'No.', code: 'BAD_REQUEST' }));
  const error = await createClient(url)
    .getStreams()
    .catch((caught: unknown) => caught);
  expect(ParleyError.isFrom(error, 'getStreams')).toBe(true);
  expect(ParleyError.isFrom(error, 'sendMessage')).toBe(false);
  expect(ParleyError.isFrom(new Error('No.'), 'getStreams')).toBe(false);
});

test('an invalid header name is no missing response', async () => {
  await expect(createClient('http://localhost:1', { name: 'Söup €' }).getStreams()).rejects.toBeInstanceOf(TypeError);
});

test('a timeout can be longer than a timer can be', async () => {
  const { url } = await between(json(200, { result: 'success', msg: '', streams: [] }));
  expect(await createClient(url).getStreams({}, { timeout: Number.POSITIVE_INFINITY })).toEqual({ streams: [] });
});

test('a log has neither credentials nor contents', async () => {
  const lines: string[] = [];
  const logger: ClientOptions['logger'] = { debug: (line) => lines.push(line), warn: (line) => lines.push(line) };
  const { url } = await between(limited, html(500), json(400, { result: 'error', msg: 'hello', code: 'BAD_REQUEST' }));
  const client = createClient(url, { login, logger });
  await client.sendMessage(message, { idempotencyKey: 'my key' }).catch(() => {});
  expect(lines).toHaveLength(5);
  expect(lines.join('\n')).toMatch(/sendMessage: RATE_LIMIT_HIT, again in \d+ ms/);
  expect(lines.join('\n')).not.toMatch(new RegExp(`hello|soup|my key|${login.apiKey}|${login.email}|Basic|Not now`));
});
