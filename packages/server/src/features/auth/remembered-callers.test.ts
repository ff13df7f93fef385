import { type Calls, ParleyError } from '@parley/client';
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { startSecondProcess } from '../../../test/second-process.ts';
import { deactivateRealm } from '../realm-admin/index.ts';

type Process = Awaited<ReturnType<typeof startSecondProcess>>;

describe.runIf(onPostgres)('callers that a process remembers', () => {
  let chat: Chat;
  let process: Process;
  let statements: string[] = [];
  beforeAll(async () => {
    chat = await startChat({ ownDatabase: true });
    process = await startSecondProcess(chat, { onStatement: (text) => void statements.push(text) });
  });
  afterAll(async () => {
    await process.close();
    await chat.close();
  });

  const readsCaller = (text: string) => text.includes('"key_salt"');

  /** Sends requests of the user until they read no credentials. */
  const untilRemembered = (api: Calls): Promise<true> =>
    vi.waitUntil(
      async () => {
        await Promise.all(Array.from({ length: 8 }, () => api.getOwnUser()));
        statements = [];
        await Promise.all(Array.from({ length: 8 }, () => api.getOwnUser()));
        return !statements.some(readsCaller);
      },
      { timeout: 30_000, interval: 1 },
    );

  test('cost no statement for their credentials', async () => {
    const [ada] = await chat.users('ada');
    expect(await untilRemembered(process.apiOf(ada))).toBe(true);
  });

  test('read nothing of their account: only whether there was an event', async () => {
    const [ada] = await chat.users('ada');
    const api = process.apiOf(ada);
    await untilRemembered(api);
    await vi.waitUntil(
      async () => {
        statements = [];
        await Promise.all(Array.from({ length: 8 }, () => api.getOwnUser()));
        return statements.every((text) => text.includes('realm_clock') && !readsCaller(text));
      },
      { timeout: 30_000, interval: 1 },
    );
  });

  test('are read from tables whose changes renew the version', async () => {
    const [ada] = await chat.users('ada');
    statements = [];
    await process.apiOf(ada).getOwnUser();
    const texts = statements.filter((text) => readsCaller(text) || text.includes('profile_values'));
    const read = new Set([...texts.join(' ').matchAll(/\b(?:from|join) "?(\w+)"?/g)].map(([, table]) => table));
    const renewing = await rows<{ table: string }>(
      chat.database.db,
      sql`select tgrelid::regclass::text as "table" from pg_trigger where tgname like '%caller_version'`,
    );
    // The newest event is not remembered, and the names of system groups do not change.
    const others = ['caller_version', 'realm_clock', 'user_groups'];
    expect([...read].sort()).toEqual([...renewing.map(({ table }) => table), ...others].sort());
  });

  test('need the key of their account', async () => {
    const [ada] = await chat.users('ada');
    await untilRemembered(process.apiOf(ada));
    const wrong = process.apiOf({ ...ada, apiKey: 'x'.repeat(32) });
    await expect(wrong.getOwnUser()).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
  });

  const codeOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => 'success',
      (error: unknown) => (error instanceof ParleyError ? error.code : error),
    );

  interface Change {
    readonly what: string;
    change(user: TestUser, owner: Calls): Promise<unknown>;
    read(api: Calls): Promise<unknown>;
    readonly after: unknown;
  }

  const changes: Change[] = [
    {
      what: 'a new API key',
      change: ({ api }) => api.regenerateApiKey(),
      read: (api) => codeOf(api.getOwnUser()),
      after: 'INVALID_API_KEY',
    },
    {
      what: 'the end of an account',
      change: ({ id }, owner) => owner.deactivateUser({ user_id: id }),
      read: (api) => codeOf(api.getOwnUser()),
      after: 'USER_DEACTIVATED',
    },
    {
      what: 'another role',
      change: ({ id }, owner) => owner.updateUser({ user_id: id, role: 600 }),
      read: async (api) => (await api.getOwnUser()).role,
      after: 600,
    },
    {
      what: 'another name',
      change: ({ api }) => api.updateSettings({ full_name: 'Ida Other' }),
      read: async (api) => (await api.getOwnUser()).full_name,
      after: 'Ida Other',
    },
    {
      what: 'another value of a custom profile field',
      change: async ({ api, id: user_id }, owner) => {
        const { id } = await owner.createProfileField({ name: `Dish of ${user_id}`, field_type: 1 });
        await api.updateProfileData({ data: [{ id, value: 'soup' }] });
      },
      read: async (api) => Object.values((await api.getOwnUser()).profile_data ?? {}).map(({ value }) => value),
      after: ['soup'],
    },
  ];

  test.each(changes)('$what at another process counts from its response on', async ({ change, read, after }) => {
    for (let n = 0; n < 5; n++) {
      const [user] = await chat.users('ada');
      const api = process.apiOf(user);
      await untilRemembered(api);
      await change(user, chat.owner.api);
      expect(await read(api)).toEqual(after);
    }
  });

  test('a change at the same process counts from its response on', async () => {
    const [ada] = await chat.users('ada');
    const api = process.apiOf(ada);
    for (let n = 0; n < 5; n++) {
      await untilRemembered(api);
      await api.updateSettings({ full_name: `Ada ${n}` });
      expect((await api.getOwnUser()).full_name).toBe(`Ada ${n}`);
    }
  });

  test('the end of an organization counts at once for all of its accounts', async () => {
    const { realm, owner } = await chat.otherRealm('short');
    const api = process.apiOf(owner, realm);
    await untilRemembered(api);
    await chat.act(deactivateRealm, realm);
    expect(await codeOf(api.getOwnUser())).toBe('REALM_DEACTIVATED');
  });

  test('changes one after another are never seen late, while requests of many accounts come', async () => {
    const users = await chat.users('ada', 'ben', 'cleo');
    let isDone = false;
    const load = users.map(async (user) => {
      while (!isDone) await process.apiOf(user).getOwnUser();
    });
    try {
      for (let n = 0; n < 60; n++) {
        const user = users[n % users.length] ?? chat.owner;
        const role = n % 2 === 0 ? 300 : 400;
        await chat.owner.api.updateUser({ user_id: user.id, role });
        expect((await process.apiOf(user).getOwnUser()).role).toBe(role);
      }
    } finally {
      isDone = true;
      await Promise.all(load);
    }
  });
});
