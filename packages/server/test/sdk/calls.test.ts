// Calls whose response is late, lost, an error, or of another server.
import { type ClientOptions, createClient, TransportError } from '@parley/client';
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
