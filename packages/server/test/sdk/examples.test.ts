// The programs in examples/, started as a reader would, with a real server.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Client, createClient } from '@parley/client';
import { CredentialsError, fromEnvironment, fromFile } from '@parley/client/node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestLogin, type TestServer } from '../../src/testing/index.ts';

const examples = fileURLToPath(new URL('../../../../examples/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'parley-examples-'));
const running = new Set<ChildProcess>();
let server: TestServer;
let owner: Client;

beforeAll(async () => {
  server = await startTestServer();
  owner = createClient(server.url, { login: server.login });
  await owner.subscribe({ subscriptions: [{ name: 'kitchen' }] });
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts an example; its credentials are in a file of the home folder, as on users' machines. */
function run(name: string, login: TestLogin, ...words: string[]) {
  const lines = ['[api]', '# mine', `url = ${server.url}`, `email=${login.email}`, `key=${login.apiKey}`];
  writeFileSync(join(folder, '.parleyrc'), lines.join('\n'));
  return start(name, words);
}

/** Starts an example in this environment. */
function start(name: string, words: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const env = { PATH: process.env.PATH, HOME: folder, ...variables };
  const child = spawn(process.execPath, [`${examples}${name}.mjs`, ...words], { cwd: folder, env });
  running.add(child);
  const printed: string[] = [];
  const listeners = new Set<() => void>();
  const note = (line: string) => {
    printed.push(line);
    for (const tell of listeners) tell();
  };
  createInterface(child.stdout).on('line', note);
  createInterface(child.stderr).on('line', note);
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child);
    return { code: code as number, printed };
  });
  return {
    child,
    ended,
    /** Resolves when a matching line was printed. */
    prints: (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        const look = () => printed.some((line) => pattern.test(line)) && resolve();
        listeners.add(look);
        void ended.then(() =>
          reject(new Error(`The example ended before it printed ${pattern}: ${printed.join('\n')}`)),
        );
        look();
      }),
  };
}

test('the echo bot responds to direct messages and mentions where it can, and ends at a signal', async () => {
  const bot = await server.bot('Echo');
  await owner.subscribe({ subscriptions: [{ name: 'kitchen' }, { name: 'notices' }], principals: [bot.user_id] });
  const { stream_id } = await owner.getStreamId({ stream: 'notices' });
  await owner.updateStream({ stream_id, stream_post_policy: 2 });
  const echo = run('echo-bot', bot);
  await echo.prints(/listens/);
  const events = owner.events({ types: ['message'] });
  await events.open();
  await owner.sendMessage({ type: 'stream', to: 'notices', topic: 'soup', content: '@**Echo** for admins only' });
  await owner.sendMessage({ type: 'direct', to: [bot.user_id], content: 'Is anybody there?' });
  await owner.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content: 'Not for bots.' });
  await owner.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content: '@**Echo** hello' });
  const answers: string[] = [];
  for await (const event of events) {
    if (event.type !== 'message' || event.message.sender_id !== bot.user_id) continue;
    answers.push(`${event.message.type} ${event.message.content}`);
    if (answers.length === 2) break;
  }
  expect(answers.sort()).toEqual(['private Is anybody there?', 'stream @**Echo** hello']);
  echo.child.kill('SIGTERM');
  expect(await echo.ended).toMatchObject({ code: 0 });
});

test('the echo bot responds once to messages sent while it was down, also after kill -9', async () => {
  const bot = await server.bot('Echo Two');
  const first = run('echo-bot', bot);
  await first.prints(/listens/);
  first.child.kill('SIGKILL');
  await first.ended;
  const events = owner.events({ types: ['message'] });
  await events.open();
  for (const content of ['one', 'two']) await owner.sendMessage({ type: 'direct', to: [bot.user_id], content });
  const second = run('echo-bot', bot);
  await owner.sendMessage({ type: 'direct', to: [bot.user_id], content: 'three' });
  const answers: string[] = [];
  for await (const event of events) {
    if (event.type === 'message' && event.message.sender_id === bot.user_id) answers.push(event.message.content);
    if (answers.length === 3) break;
  }
  expect(answers).toEqual(['one', 'two', 'three']);
  second.child.kill('SIGTERM');
  expect(await second.ended).toMatchObject({ code: 0 });
});

test('the follower prints earlier and new messages of a stream', async () => {
  await owner.subscribe({ subscriptions: [{ name: 'pantry' }] });
  await owner.sendMessage({ type: 'stream', to: 'pantry', topic: 'stock', content: 'Flour is low.' });
  const follower = run('follow-stream', server.login, 'pantry', '2');
  await follower.prints(/following pantry/);
  await owner.sendMessage({ type: 'stream', to: 'pantry', topic: 'stock', content: 'So is sugar.' });
  await owner.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content: 'Elsewhere.' });
  await owner.sendMessage({ type: 'stream', to: 'pantry', topic: 'stock', content: 'Both are coming.' });
  const { code, printed } = await follower.ended;
  expect(code).toBe(0);
  expect(printed.filter((line) => line.includes('[stock]'))).toEqual([
    '[stock] Olga Owner: Flour is low.',
    '[stock] Olga Owner: So is sugar.',
    '[stock] Olga Owner: Both are coming.',
  ]);
});

test('the follower works with a token with the scope read, and a program that writes does not', async () => {
  const { secret } = await owner.createToken({ name: 'Follower', scopes: ['read'] });
  const variables = { PARLEY_URL: server.url, PARLEY_TOKEN: secret };
  const follower = start('follow-stream', ['pantry', '1'], variables);
  await follower.prints(/following pantry/);
  await owner.sendMessage({ type: 'stream', to: 'pantry', topic: 'stock', content: 'All is well.' });
  expect(await follower.ended).toMatchObject({ code: 0 });
  const digest = await start('daily-digest', [], variables).ended;
  expect(digest.code).toBe(1);
  expect(digest.printed.join('\n')).toContain('INSUFFICIENT_SCOPE');
});

test('the digest schedules one message with the unread ones, however often it runs', async () => {
  const ben = await server.user('Ben');
  await owner.subscribe({ subscriptions: [{ name: 'kitchen' }], principals: [ben.user_id] });
  await owner.sendMessage({ type: 'stream', to: 'kitchen', topic: 'menu', content: 'Soup?' });
  const first = await run('daily-digest', ben).ended;
  expect(first).toMatchObject({ code: 0, printed: [expect.stringMatching(/^Digest \d+ goes out/)] });
  await owner.sendMessage({ type: 'stream', to: 'kitchen', topic: 'menu', content: 'Salad?' });
  expect(await run('daily-digest', ben).ended).toEqual({ code: 0, printed: ['The digest is scheduled already.'] });
  const { scheduled_messages } = await createClient(server.url, { login: ben }).getScheduledMessages();
  expect(scheduled_messages).toMatchObject([{ content: expect.stringContaining('#**kitchen>menu**: 1 unread') }]);
});

test('the program of the quickstart prints the messages that it receives', async () => {
  const page = readFileSync(new URL('../../../../apps/docs/src/content/docs/quickstart.mdx', import.meta.url), 'utf8');
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
  const program = join(folder, 'hello.mjs');
  writeFileSync(program, code.replace('http://localhost:8080', server.url));
  mkdirSync(join(folder, 'node_modules/@parley'), { recursive: true });
  symlinkSync(fileURLToPath(new URL('../../../client', import.meta.url)), join(folder, 'node_modules/@parley/client'));
  await owner.subscribe({ subscriptions: [{ name: 'general' }] });
  const env = { PATH: process.env.PATH, EMAIL: server.login.email, API_KEY: server.login.apiKey };
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
  expect(stdout).toBe('Olga Owner: Is anybody there?\n');
});

test('credentials come from the environment or a file, and the error names missing ones', () => {
  const environment = { PARLEY_URL: 'http://localhost:1', PARLEY_EMAIL: 'a@example.com', PARLEY_API_KEY: 'secret' };
  const login = { email: 'a@example.com', apiKey: 'secret' };
  expect(fromEnvironment(environment)).toEqual({ url: 'http://localhost:1', login });
  expect(fromEnvironment({})).toBeUndefined();
  expect(() => fromEnvironment({ ...environment, PARLEY_EMAIL: '' })).toThrow('The environment lacks PARLEY_EMAIL.');
  const withToken = { PARLEY_URL: 'http://localhost:1', PARLEY_TOKEN: 'parley_secret' };
  expect(fromEnvironment(withToken)).toEqual({ url: 'http://localhost:1', token: 'parley_secret' });
  expect(() => fromEnvironment({ PARLEY_TOKEN: 'parley_secret' })).toThrow('The environment lacks PARLEY_URL.');
  expect(() => fromEnvironment({ ...environment, ...withToken })).toThrow(
    'The environment has PARLEY_TOKEN and PARLEY_EMAIL and PARLEY_API_KEY: leave one out.',
  );
  const file = join(folder, 'half');
  writeFileSync(file, 'url=http://localhost:1\nkey=secret=\n');
  expect(() => fromFile(file)).toThrow(`${file} lacks email.`);
  expect(() => fromFile(join(folder, 'nowhere'))).toThrow(CredentialsError);
  writeFileSync(file, 'url=http://localhost:1\r\nemail=a@example.com\r\nkey=secret=\r\n');
  expect(fromFile(file)).toEqual({ url: 'http://localhost:1', login: { email: 'a@example.com', apiKey: 'secret=' } });
  writeFileSync(file, 'url=http://localhost:1\ntoken=parley_secret\n');
  expect(fromFile(file)).toEqual({ url: 'http://localhost:1', token: 'parley_secret' });
  writeFileSync(file, 'url=http://localhost:1\ntoken=parley_secret\nkey=secret\n');
  expect(() => fromFile(file)).toThrow(`${file} has token and key: leave one out.`);
});
