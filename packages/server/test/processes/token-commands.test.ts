// `parley token`, beside a running server and without one.
import { type Calls, createClient } from '@parley/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectError } from '../chat.ts';
import { onPostgres } from '../database.ts';
import {
  apiOf,
  createEmbeddedEnvironment,
  createPostgresEnvironment,
  createRealm,
  type Environment,
  endServers,
  type Login,
  type Process,
  parley,
  parleyJson,
  startServer,
  type TestEnvironment,
} from '../parley.ts';

// Every command is a new process.
vi.setConfig({ testTimeout: 180_000 });
afterAll(endServers);

type Created = Awaited<ReturnType<Calls['createToken']>>;
type Listed = Awaited<ReturnType<Calls['getTokens']>>['tokens'];

const databases = [
  { on: 'the embedded database', fresh: createEmbeddedEnvironment },
  ...(onPostgres ? [{ on: 'PostgreSQL', fresh: createPostgresEnvironment }] : []),
];

describe.each(databases)('parley token beside a server on $on', ({ fresh }) => {
  let environment: TestEnvironment;
  let variables: Environment;
  let server: Process;
  let olga: Login;
  const token = <T = Created>(...words: string[]) =>
    parleyJson<T>(['token', words[0] ?? '', '--realm', '', ...words.slice(1)], variables);
  const fails = async (...words: string[]) => {
    const { code, stdout, stderr } = await parley(
      ['token', words[0] ?? '', '--realm', '', ...words.slice(1)],
      variables,
    );
    expect(stdout).toBe('');
    return { code, stderr: stderr.trim() };
  };
  const withToken = (secret: string) => createClient(server.url.replace('127.0.0.1', 'localhost'), { token: secret });

  beforeAll(async () => {
    environment = await fresh();
    variables = environment.variables;
    server = await startServer(variables);
    olga = await createRealm(variables);
  });
  afterAll(async () => {
    await server.end('SIGTERM');
    await environment.remove();
  });

  test('a token acts as the account at once, within its scopes, and is listed with the others', async () => {
    const { token: made, secret } = await token(
      'create',
      '--email',
      'OLGA@example.com',
      '--name',
      'CI',
      '--scope',
      'read',
    );
    expect(made).toMatchObject({
      user_id: olga.user_id,
      name: 'CI',
      scopes: ['read'],
      expires_at: null,
      stream_id: null,
    });
    expect(await withToken(secret).getOwnUser()).toMatchObject({ user_id: olga.user_id });
    await expectError('INSUFFICIENT_SCOPE', withToken(secret).markAllAsRead());
    const listed = await token<Listed>('list', '--user', String(olga.user_id));
    expect(listed).toEqual((await apiOf(server, olga).getTokens()).tokens);
    expect(listed).toMatchObject([{ id: made.id, last_used_at: expect.any(Number) }]);
  });

  test('a token has the scopes, the expiry and the limits of the command', async () => {
    const api = apiOf(server, olga);
    await api.subscribe({ subscriptions: [{ name: 'builds' }] });
    const { stream_id } = await api.getStreamId({ stream: 'builds' });
    const words = ['--user', String(olga.user_id), '--name', 'Builds', '--scope', 'read', '--scope', 'write'];
    const limits = [
      '--expires-in',
      '90d',
      '--stream',
      String(stream_id),
      '--event-type',
      'message',
      '--event-type',
      'typing',
    ];
    const { token: made } = await token('create', ...words, ...limits);
    expect(made).toMatchObject({ scopes: ['read', 'write'], stream_id, event_types: ['message', 'typing'] });
    expect((made.expires_at ?? 0) - made.created_at).toBe(90 * 86_400);
  });

  test('a revoked token ends at once, and is unknown afterwards', async () => {
    const { token: made, secret } = await token(
      'create',
      '--user',
      `${olga.user_id}`,
      '--name',
      'Old',
      '--scope',
      'read',
    );
    const queue = await withToken(secret).registerQueue({ event_types: ['message'] });
    const poll = withToken(secret).getEvents({ queue_id: queue.queue_id, last_event_id: -1 });
    expect(await token('revoke', `${made.id}`)).toEqual({ token_id: made.id, revoked: true });
    expect((await poll).events).toEqual([]);
    await expectError('INVALID_TOKEN', withToken(secret).getOwnUser());
    expect(await fails('revoke', `${made.id}`)).toEqual({ code: 1, stderr: `There is no token ${made.id}.` });
  });

  test.each([
    ['no account', ['--scope', 'read'], 2, 'Give either --user or --email.'],
    [
      'both ways to name an account',
      ['--scope', 'read', '--user', '8', '--email', 'a@b.example'],
      2,
      'Give either --user or --email.',
    ],
    ['an account that does not exist', ['--scope', 'read', '--user', '999999'], 1, 'There is no user 999999.'],
    [
      'an email of no account',
      ['--scope', 'read', '--email', 'eve@example.com'],
      1,
      'There is no user "eve@example.com".',
    ],
    ['no scope', ['--user', '8'], 2, /--scope/],
    ['an unknown scope', ['--scope', 'root', '--user', '8'], 2, /It must be one of read, write, admin\./],
    ['a duration without a unit', ['--scope', 'read', '--user', '8', '--expires-in', '90'], 2, /s, m, h or d/],
    [
      'more than ten years',
      ['--scope', 'read', '--email', 'olga@example.com', '--expires-in', '3651d'],
      1,
      /lifespan_secs/,
    ],
    [
      'a stream that does not exist',
      ['--scope', 'read', '--email', 'olga@example.com', '--stream', '987654'],
      1,
      /stream id/,
    ],
  ])('create fails for %s, and creates nothing', async (_what, words, code, message) => {
    const before = await token<Listed>('list', '--user', String(olga.user_id));
    const failed = await fails('create', '--name', 'CI', ...words);
    expect(failed.code).toBe(code);
    expect(failed.stderr).toMatch(message);
    expect(await token<Listed>('list', '--user', String(olga.user_id))).toEqual(before);
  });

  test('accounts that cannot use a token get none: incoming webhooks, deactivated accounts and the server’s own bot', async () => {
    const api = apiOf(server, olga);
    const hook = await api.createBot({ full_name: 'Hook', short_name: 'hook', bot_type: 2 });
    const bot = await api.createBot({ full_name: 'Bo', short_name: 'bo' });
    await api.deactivateBot({ bot_id: bot.user_id });
    const create = (id: number) => fails('create', '--name', 'CI', '--scope', 'write', '--user', String(id));
    expect(await create(hook.user_id)).toEqual({
      code: 1,
      stderr: 'An incoming webhook has no tokens: use its API key.',
    });
    expect(await create(bot.user_id)).toEqual({ code: 1, stderr: 'This account has been deactivated.' });
    const { cross_realm_bots = [] } = await api.registerQueue({ fetch_event_types: ['realm_user'] });
    const { user_id = 0 } = cross_realm_bots[0] ?? {};
    expect(await create(user_id)).toEqual({ code: 1, stderr: `There is no user ${user_id}.` });
  });
});

test('parley token works without a server, and prints the secret on a line of its own', async () => {
  const { variables, remove } = await createEmbeddedEnvironment();
  await createRealm(variables, 'acme');
  const words = ['--realm', 'acme', '--email', 'olga@example.com'];
  const { stdout } = await parley(['token', 'create', ...words, '--name', 'CI', '--scope', 'read'], variables);
  expect(stdout).toMatch(/^Token 1 of user \d+: read; does not expire\nparley_[0-9A-Za-z]{36}\n$/);
  const listed = await parley(['token', 'list', ...words], variables);
  expect(listed.stdout).toBe('id  name  for                    last used\n1   CI    read; does not expire  never\n');
  await remove();
});
