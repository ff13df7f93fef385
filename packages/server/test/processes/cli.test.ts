import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@parley/client';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectError } from '../chat.ts';
import { onPostgres } from '../database.ts';
import { hostFetch } from '../host-fetch.ts';
import {
  apiOf,
  createRealm,
  type Environment,
  embeddedPlace,
  endServers,
  freshFolder,
  type Login,
  PASSWORD,
  type Process,
  parley,
  parleyJson,
  postgresPlace,
  startServer,
  type TestEnvironment,
  unmigratedPlace,
} from '../parley.ts';

// Every command is a new process.
vi.setConfig({ testTimeout: 180_000 });
afterAll(endServers);

describe('the command line without a server', () => {
  let place: TestEnvironment;
  let environment: Environment;
  beforeAll(async () => {
    place = await embeddedPlace();
    environment = place.environment;
  });
  afterAll(() => place.remove());

  test('creates an organization on a new machine and lists it', async () => {
    const made = await createRealm(environment, 'acme');
    expect(made).toEqual({
      realm_id: expect.any(Number),
      user_id: expect.any(Number),
      email: 'olga@example.com',
      api_key: expect.stringMatching(/^\w{32}$/),
    });
    const listed = await parleyJson('realm list'.split(' '), environment);
    expect(listed).toEqual([{ realm_id: made.realm_id, subdomain: 'acme', name: 'Testing', deactivated: false }]);
    expect(statSync(join(environment.PARLEY_DATA_DIR ?? '', 'secret')).mode & 0o777).toBe(0o600);
  });

  test('fails with one sentence on stderr, exit code 1 and nothing on stdout', async () => {
    const again = await parley(
      [
        'realm',
        'create',
        '--subdomain',
        'acme',
        '--name',
        'X',
        '--owner-email',
        'x@example.com',
        '--owner-name',
        'Xx',
        '--owner-password',
        PASSWORD,
        '--json',
      ],
      environment,
    );
    expect(again).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is already an organization at the subdomain "acme".\n',
    });
  });

  test.each([
    [['realm', 'create', '--subdomain', 'x', '--json'], /--name/],
    [['realm', 'sett', 'acme', 'name', 'X'], /sett/],
    [['user', 'show', '--realm', 'acme', 'seven'], /seven/],
    [
      ['user', 'create', '--realm', 'acme', '--email', 'a@b.c', '--name', 'Ada', '--password', 'x', '--role', 'king'],
      /king/,
    ],
    [['user', 'create', '--realm', 'acme', '--email', 'a@b.c', '--name', 'Ada'], /--password/],
    [['user', 'create', '--realm', 'acme', '--email', 'a@b.c', '--name', 'Ada', '--bot'], /--bot-owner/],
    [['dance'], /dance/],
  ])('%j is an invalid command line: exit code 2', async (words, named) => {
    const { code, stdout, stderr } = await parley(words, environment);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(named);
  });

  test('an invalid or unknown variable stops every command with exit code 2', async () => {
    const bad = await parley(['realm', 'list'], { ...environment, PARLEY_PORT: 'eighty' });
    expect(bad).toEqual({ code: 2, stdout: '', stderr: 'PARLEY_PORT must be a port number, 0 to 65535.\n' });
    const unknown = await parley(['serve'], { ...environment, PARLEY_COLOUR: 'blue' });
    expect(unknown).toMatchObject({ code: 2, stderr: 'PARLEY_COLOUR is not a setting of Parley.\n' });
  });

  const status = (applied: boolean) => ({
    migrations: [
      '0000',
      '0001',
      '0002',
      '0003',
      '0004',
      '0005',
      '0006',
      '0007',
      '0008',
      '0009',
      '0010',
      '0011',
      '0012',
    ].map((name) => ({
      name,
      applied,
    })),
  });

  test('migrate has nothing to do in a new directory of the embedded database', async () => {
    const fresh = await embeddedPlace();
    expect(await parleyJson(['migrate', '--status'], fresh.environment)).toEqual(status(true));
    expect(await parleyJson(['migrate'], fresh.environment)).toEqual({ applied: [] });
    await fresh.remove();
  });

  test('migrate lists the migrations that it would apply', async () => {
    const fresh = await unmigratedPlace();
    expect(await parleyJson(['migrate', '--status'], fresh.environment)).toEqual(status(false));
    const { would_apply } = await parleyJson<{ would_apply: string[] }>(['migrate', '--dry-run'], fresh.environment);
    expect(would_apply).toEqual([
      '0000',
      '0001',
      '0002',
      '0003',
      '0004',
      '0005',
      '0006',
      '0007',
      '0008',
      '0009',
      '0010',
      '0011',
    ]);
    expect(await parleyJson(['migrate'], fresh.environment)).toEqual({ applied: would_apply });
    expect(await parleyJson(['migrate', '--status'], fresh.environment)).toEqual(status(true));
    await fresh.remove();
  });

  test('doctor reports problems and exits with 1', async () => {
    const { code, stdout } = await parley(['doctor'], { ...environment, PARLEY_MAIL: 'dir:/nowhere/at/all' });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^WRONG {2}mail: the server cannot write to \/nowhere\/at\/all:/m);
    expect(stdout).toMatch(/^ok {5}migrations: all applied/m);
    expect(await parleyJson(['doctor'], environment)).toMatchObject({ ok: true });
  });

  test('doctor reports which identity service is unavailable', async () => {
    const PARLEY_LDAP = '{"url":"ldap://127.0.0.1:1","base":"dc=example,dc=com"}';
    const PARLEY_OIDC = '[{"id":"acme","name":"Acme","issuer":"http://127.0.0.1:1","client_id":"parley"}]';
    const { code, stdout } = await parley(['doctor'], { ...environment, PARLEY_LDAP, PARLEY_OIDC });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^WRONG {2}directory: .*ECONNREFUSED.*: check PARLEY_LDAP$/m);
    expect(stdout).toMatch(/^WRONG {2}oidc:acme: http:\/\/127\.0\.0\.1:1 cannot be used.*: check PARLEY_OIDC$/m);
  });

  test('config shows the effective values and hides secrets', async () => {
    const { code, stdout } = await parley(['config'], {
      ...environment,
      PARLEY_SECRET: 'hunter2, and more that nobody would guess',
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^PARLEY_SECRET +\*{8}$/m);
    expect(stdout).not.toContain('hunter2');
  });
});

const rooms = [
  { on: 'the embedded database', fresh: embeddedPlace },
  ...(onPostgres ? [{ on: 'PostgreSQL', fresh: postgresPlace }] : []),
];

describe.each(rooms)('the command line beside a server on $on', ({ fresh }) => {
  let place: TestEnvironment;
  let environment: Environment;
  let server: Process;
  let olga: Login;
  const user = (...words: string[]) => parleyJson<Login & Record<string, unknown>>(['user', ...words], environment);

  beforeAll(async () => {
    place = await fresh();
    environment = place.environment;
    server = await startServer(environment);
    olga = await createRealm(environment);
  });
  afterAll(async () => {
    await server.end('SIGTERM');
    await place.remove();
  });

  test('the key that it prints is valid at once', async () => {
    expect(await apiOf(server, olga).getOwnUser()).toMatchObject({ user_id: olga.user_id, is_owner: true });
  });

  test('realm set changes a setting like PATCH /realm, with the same event', async () => {
    const api = apiOf(server, olga);
    const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['realm'] });
    const heard = api.getEvents({ queue_id, last_event_id });
    const changed = await parleyJson(['realm', 'set', '', 'message_retention_days', '30'], environment);
    expect(changed).toEqual({ message_retention_days: 30 });
    const event = {
      type: 'realm',
      op: 'update',
      property: 'message_retention_days',
      value: 30,
      id: expect.any(Number),
    };
    expect((await heard).events).toEqual([event]);
    expect(await parleyJson(['realm', 'set', '', 'notifications_stream_id', '-1'], environment)).toEqual({});
    expect(await parleyJson(['realm', 'set', '', 'name', '2026'], environment)).toEqual({ name: '2026' });
    expect(await parleyJson(['realm', 'show', ''], environment)).toMatchObject({
      settings: { name: '2026', message_retention_days: 30 },
    });
  });

  test.each([
    ['edit_topic_policy', '9', /edit_topic_policy/],
    ['message_retention_days', 'soon', /message_retention_days/],
    ['colour', 'blue', /"colour" is not a setting/],
  ])('realm set %s %s fails', async (key, value, named) => {
    const { code, stderr } = await parley(['realm', 'set', '', key, value], environment);
    expect(code).toBe(1);
    expect(stderr).toMatch(named);
  });

  test('creates users of every role, and bots', async () => {
    const folder = freshFolder();
    const file = join(folder.path, 'password');
    writeFileSync(file, `${PASSWORD}\n`);
    const ada = await user(
      'create',
      '--realm',
      '',
      '--email',
      'ada@example.com',
      '--name',
      'Ada A',
      '--password-file',
      file,
      '--role',
      'admin',
    );
    folder.remove();
    expect(await apiOf(server, ada).getOwnUser()).toMatchObject({ user_id: ada.user_id, is_admin: true, role: 200 });
    const bot = await user(
      'create',
      '--realm',
      '',
      '--email',
      'bot@example.com',
      '--name',
      'Bo Bot',
      '--bot',
      '--bot-owner',
      String(ada.user_id),
    );
    expect(await apiOf(server, bot).getOwnUser()).toMatchObject({ is_bot: true, role: 400 });
    const { code, stderr } = await parley(
      [
        'user',
        'create',
        '--realm',
        '',
        '--email',
        'b2@example.com',
        '--name',
        'B Two',
        '--bot',
        '--bot-owner',
        '999999',
      ],
      environment,
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'There is no user 999999.\n' });
    const everyone = await parleyJson<{ email: string; role: string; is_bot: boolean }[]>(
      ['user', 'list', '--realm', ''],
      environment,
    );
    expect(everyone.map(({ email, role, is_bot }) => [email, role, is_bot])).toEqual([
      ['olga@example.com', 'owner', false],
      ['ada@example.com', 'admin', false],
      ['bot@example.com', 'member', true],
    ]);
  });

  test('changes accounts: role, permission, key, password, state', async () => {
    const ben = await user(
      'create',
      '--realm',
      '',
      '--email',
      'ben@example.com',
      '--name',
      'Ben B',
      '--password',
      PASSWORD,
    );
    const of = ['--realm', '', String(ben.user_id)];
    expect(await user('set-role', ...of, 'moderator')).toMatchObject({ role: 'moderator' });
    expect(await user('grant', ...of, 'can_create_users')).toMatchObject({ can_create_users: true });
    expect(await user('revoke', ...of, 'can_create_users')).toMatchObject({ can_create_users: false });
    const { api_key } = await user('rotate-key', ...of);
    await expectError('INVALID_API_KEY', apiOf(server, ben).getOwnUser());
    const now = { email: ben.email, api_key };
    expect(await apiOf(server, now).getOwnUser()).toMatchObject({ user_id: ben.user_id });
    expect(await user('reset-password', ...of)).toEqual({ user_id: ben.user_id, password: expect.any(String) });
    expect(await user('deactivate', ...of)).toMatchObject({ is_active: false });
    await expectError('USER_DEACTIVATED', apiOf(server, now).getOwnUser());
    expect(await user('reactivate', ...of)).toMatchObject({ is_active: true });
    expect(await user('show', ...of)).toMatchObject({ email: 'ben@example.com', role: 'moderator' });
    await apiOf(server, now).getOwnUser();
  });

  test('deactivates an organization and reactivates it', async () => {
    const other = await createRealm(environment, 'other');
    const api = apiOf(server, other, 'other.localhost');
    await parleyJson(['realm', 'deactivate', 'other'], environment);
    await expectError('REALM_DEACTIVATED', api.getOwnUser());
    await parleyJson(['realm', 'reactivate', 'other'], environment);
    await api.getOwnUser();
  });

  test('doctor and migrate check the server’s own database', async () => {
    expect(await parleyJson(['doctor'], environment)).toMatchObject({ ok: true });
    expect(await parleyJson(['migrate'], environment)).toEqual({ applied: [] });
  });

  test('populate creates the given data, unread for the owner, and the same for the same seed', async () => {
    const api = apiOf(server, olga);
    const { queue_id, last_event_id } = await api.registerQueue({});
    const sizes = [
      '--users',
      '5',
      '--streams',
      '2',
      '--topics',
      '3',
      '--messages',
      '40',
      '--subscribers',
      '4',
      '--seed',
      '7',
    ];
    const made = await parleyJson<Populated>(['populate', '--realm', '', ...sizes], environment);
    expect(made).toMatchObject({
      users: 5,
      messages: 40,
      streams: [{ topics: { length: 3 } }, { topics: { length: 3 } }],
    });
    await expectError('BAD_EVENT_QUEUE_ID', api.getEvents({ queue_id, last_event_id, dont_block: true }));

    const state = await api.registerQueue({ include_subscribers: true });
    const ids = made.streams.map(({ stream_id }) => stream_id);
    const unread = state.unread_msgs?.streams.filter(({ stream_id }) => ids.includes(stream_id)) ?? [];
    expect(unread.flatMap(({ unread_message_ids }) => unread_message_ids)).toHaveLength(40);
    expect(unread.map(({ stream_id, topic }) => `${stream_id} ${topic}`).sort()).toEqual(
      made.streams.flatMap(({ stream_id, topics }) => topics.map((topic) => `${stream_id} ${topic}`)).sort(),
    );
    const subscribed = state.subscriptions?.filter(({ stream_id }) => ids.includes(stream_id)) ?? [];
    expect(subscribed.map(({ subscribers }) => subscribers?.length)).toEqual([5, 5]);

    const sent = await api.sendMessage({ type: 'stream', to: ids[0] as number, topic: 'new', content: 'hello' });
    const { messages } = await api.getMessages({
      anchor: 'newest',
      num_before: 100,
      num_after: 0,
      narrow: [{ operator: 'stream', operand: ids[0] as number }],
    });
    expect(messages.at(-1)?.id).toBe(sent.id);
    expect(messages.every(({ sender_id }, n) => n === messages.length - 1 || sender_id !== olga.user_id)).toBe(true);

    const again = await parleyJson<Populated>(['populate', '--realm', '', ...sizes], environment);
    expect(again.streams.map(({ topics }) => topics)).toEqual(made.streams.map(({ topics }) => topics));
  });
});

describe('parley retention beside a server', () => {
  let place: TestEnvironment;
  beforeAll(async () => {
    place = await embeddedPlace();
  });
  afterEach(endServers);
  afterAll(() => place.remove());

  test('lists the due messages, and removes exactly these', async () => {
    const environment = { ...place.environment, PARLEY_LOG: 'debug' };
    const server = await startServer(environment);
    // The server's own job does the same: its turn must be over, and the next is in ten minutes.
    await expect.poll(server.printed).toMatch(/remove-expired-messages.*job done/);
    const api = apiOf(server, await createRealm(environment));
    const sizes = ['--users', '2', '--streams', '1', '--topics', '1', '--messages', '60'];
    const { streams } = await parleyJson<Populated>(['populate', '--realm', '', ...sizes], environment);
    const retention = (...words: string[]) => parleyJson<Removed>(['retention', '--realm', '', ...words], environment);
    const nothing = { dry_run: true, messages: 0, streams: [], direct: null };
    expect(await retention('--dry-run')).toEqual(nothing);

    await api.updateStream({ stream_id: streams[0]?.stream_id ?? 0, message_retention_days: 10 });
    const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['delete_message'] });
    const due = await retention('--dry-run');
    // Two for each of twenty days, and the one that was sent exactly ten days before.
    expect(due).toMatchObject({
      dry_run: true,
      messages: 41,
      streams: [{ name: streams[0]?.name, days: 10, messages: 41 }],
    });
    expect(await retention('--dry-run')).toEqual(due);
    expect(await retention()).toEqual({ ...due, dry_run: false });
    const { events } = await api.getEvents({ queue_id, last_event_id });
    const gone = events.flatMap((event) => (event.type === 'delete_message' ? event.message_ids : []));
    expect(gone).toHaveLength(41);
    expect((await parley(['retention', '--realm', ''], environment)).stdout).toBe('0 messages were deleted.\n');
    await parley(['realm', 'deactivate', ''], environment);
    expect(await parley(['retention', '--realm', ''], environment)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The organization is deactivated: nothing of it is removed.\n',
    });
  });
});

interface Removed {
  dry_run: boolean;
  messages: number;
}

interface Populated {
  users: number;
  messages: number;
  streams: { stream_id: number; name: string; topics: string[] }[];
}

describe('parley dev', () => {
  let place: TestEnvironment;
  beforeAll(async () => {
    place = await embeddedPlace();
  });
  afterEach(endServers);
  afterAll(() => place.remove());

  test('creates a demo organization whose curl command works, and has the same one the next time', async () => {
    const first = await startServer(place.environment, 'dev');
    await expect.poll(() => first.printed()).toMatch(/Ctrl-C/);
    const keys = first.printed().match(/\b\w{32}$/gm);
    expect(keys).toHaveLength(6);
    const [, login, address] = /^curl -u (\S+) (http\S+)$/m.exec(first.printed()) ?? [];
    const answer = await hostFetch(Number(new URL(address ?? '').port))(
      new Request(address ?? '', { headers: { Authorization: `Basic ${btoa(login ?? '')}` } }),
    );
    expect(await answer.json()).toMatchObject({ result: 'success' });
    expect(await first.end('SIGINT')).toBe(0);
    const second = await startServer(place.environment, 'dev');
    await expect.poll(() => second.printed()).toMatch(/Ctrl-C/);
    expect(second.printed().match(/\b\w{32}$/gm)).toEqual(keys);
  });

  test('offers its users to the console at its own host name, and none under another one', async () => {
    const server = await startServer(place.environment, 'dev');
    await expect.poll(() => server.printed()).toMatch(/Ctrl-C/);
    const [, address = ''] = /^API reference\s+(http\S+)\/docs$/m.exec(server.printed()) ?? [];
    const { port } = new URL(address);
    const people = async (url: string) => (await hostFetch(Number(port))(new Request(`${url}/docs/demo.json`))).json();
    const printed = server.printed().match(/\b\w{32}$/gm) ?? [];
    const { people: offered } = (await people(address)) as { people: { email: string; api_key: string }[] };
    expect(offered).toMatchObject(printed.map((api_key) => ({ api_key })));
    const [desdemona] = offered;
    const { api_key } = await createClient(address, {
      login: { email: desdemona?.email ?? '', apiKey: desdemona?.api_key ?? '' },
      fetch: hostFetch(Number(port)),
    }).regenerateApiKey();
    expect(await people(address), 'the key that is valid now').toMatchObject({
      people: [{ api_key }, ...offered.slice(1)],
    });
    expect(await people(`http://elsewhere.example:${port}`)).toEqual({ people: [] });
  });
});
