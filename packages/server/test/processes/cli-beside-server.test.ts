// Commands beside a server that uses the same database.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  freshFolder,
  type Login,
  PASSWORD,
  type Process,
  parley,
  parleyJson,
  startServer,
  type TestEnvironment,
} from '../parley.ts';

// Every command is a new process.
vi.setConfig({ testTimeout: 180_000 });
afterAll(endServers);

const rooms = [
  { on: 'the embedded database', fresh: createEmbeddedEnvironment },
  ...(onPostgres ? [{ on: 'PostgreSQL', fresh: createPostgresEnvironment }] : []),
];

describe.each(rooms)('the command line beside a server on $on', ({ fresh }) => {
  let environment: TestEnvironment;
  let variables: Environment;
  let server: Process;
  let olga: Login;
  const user = (...words: string[]) => parleyJson<Login & Record<string, unknown>>(['user', ...words], variables);

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

  test('the key that it prints is valid at once', async () => {
    expect(await apiOf(server, olga).getOwnUser()).toMatchObject({ user_id: olga.user_id, is_owner: true });
  });

  test('realm set changes a setting like PATCH /realm, with the same event', async () => {
    const api = apiOf(server, olga);
    const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['realm'] });
    const heard = api.getEvents({ queue_id, last_event_id });
    const changed = await parleyJson(['realm', 'set', '', 'message_retention_days', '30'], variables);
    expect(changed).toEqual({ message_retention_days: 30 });
    const event = {
      type: 'realm',
      op: 'update',
      property: 'message_retention_days',
      value: 30,
      id: expect.any(Number),
    };
    expect((await heard).events).toEqual([event]);
    expect(await parleyJson(['realm', 'set', '', 'notifications_stream_id', '-1'], variables)).toEqual({});
    expect(await parleyJson(['realm', 'set', '', 'name', '2026'], variables)).toEqual({ name: '2026' });
    expect(await parleyJson(['realm', 'show', ''], variables)).toMatchObject({
      settings: { name: '2026', message_retention_days: 30 },
    });
  });

  test.each([
    ['edit_topic_policy', '9', /edit_topic_policy/],
    ['message_retention_days', 'soon', /message_retention_days/],
    ['colour', 'blue', /"colour" is not a setting/],
  ])('realm set %s %s fails', async (key, value, named) => {
    const { code, stderr } = await parley(['realm', 'set', '', key, value], variables);
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
      variables,
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'There is no user 999999.\n' });
    const everyone = await parleyJson<{ email: string; role: string; is_bot: boolean }[]>(
      ['user', 'list', '--realm', ''],
      variables,
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
    const other = await createRealm(variables, 'other');
    const api = apiOf(server, other, 'other.localhost');
    await parleyJson(['realm', 'deactivate', 'other'], variables);
    await expectError('REALM_DEACTIVATED', api.getOwnUser());
    await parleyJson(['realm', 'reactivate', 'other'], variables);
    await api.getOwnUser();
  });

  test('doctor and migrate check the server’s own database', async () => {
    expect(await parleyJson(['doctor'], variables)).toMatchObject({ ok: true });
    expect(await parleyJson(['migrate'], variables)).toEqual({ applied: [] });
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
    const made = await parleyJson<Populated>(['populate', '--realm', '', ...sizes], variables);
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

    const again = await parleyJson<Populated>(['populate', '--realm', '', ...sizes], variables);
    expect(again.streams.map(({ topics }) => topics)).toEqual(made.streams.map(({ topics }) => topics));
  });
});

interface Populated {
  users: number;
  messages: number;
  streams: { stream_id: number; name: string; topics: string[] }[];
}
