// The test harness: an organization on a whole server, spoken to through the client.

import { type Calls, createClient, type ErrorCode, type ErrorResponse, ParleyError } from '@parley/client';
import { expect, vi } from 'vitest';
import { ROLE } from '../src/access/roles.ts';
import type { Ctx, PublicCtx, Realm, User } from '../src/core/context.ts';
import type { Delivered } from '../src/core/polls.ts';
import type { Server } from '../src/core/server.ts';
import { transact } from '../src/core/transaction.ts';
import { createRealm, createUser } from '../src/features/user-admin/index.ts';
import { whileCounting } from './counted-statements.ts';
import { hostFetch } from './host-fetch.ts';
import { listenAs, type MirrorListener } from './mirror.ts';
import { createMirroredUsers } from './mirrored-users.ts';
import { openChats } from './open-chats.ts';
import { openDatabase, openServer, type ServerOptions, sharedDatabase, sharedServer } from './test-server.ts';

export const PASSWORD = 'correct horse battery staple';
const roles = { owner: 100, admin: 200, moderator: 300, member: 400, guest: 600 } as const;

export interface TestUser {
  readonly id: number;
  readonly name: string;
  readonly full_name: string;
  readonly email: string;
  readonly apiKey: string;
  readonly api: Calls;
  /** The events of these types (all, if none is given) since the last call. */
  takeEvents<T extends Delivered['type']>(...types: T[]): Promise<Extract<Delivered, { type: T }>[]>;
}

export type Chat = Awaited<ReturnType<typeof startChat>>;
type ChatOptions = ServerOptions & {
  /**
   * A database that no other test file uses, where the organization is at the base domain. For tests about the clock,
   * about jobs that sweep all organizations, and about other processes.
   */
  ownDatabase?: boolean;
};

let made = 0;

/** The server of a chat, and how it is closed. */
async function serverFor({ ownDatabase = false, ...options }: ChatOptions) {
  if (!ownDatabase && Object.keys(options).length === 0) {
    const server = await sharedServer();
    server.clock.reset();
    return { ...server, close: async () => {} };
  }
  const counted = ownDatabase ? await openDatabase() : await sharedDatabase();
  const server = await openServer(counted, options);
  return {
    ...server,
    async close() {
      await server.close();
      if (ownDatabase) await counted.database.close();
    },
  };
}

/** Creates a new organization, by default on the server that the test files of this process share. */
export async function startChat(options: ChatOptions = {}) {
  const { app, database, clock, port, statements, closeConnections, close } = await serverFor(options);
  const subdomain = options.ownDatabase ? '' : `org${made++}`;
  const system = (realm: Realm) => ({ realm, me: undefined, client: 'ParleyTest' });
  const found = async (subdomain: string, name: string) => {
    const owner = { email: `owner${made++}@example.com`, full_name: 'Olga Owner', password: PASSWORD };
    return transact(app, { realm: undefined, me: undefined, client: 'ParleyTest' }, (ctx) =>
      createRealm(ctx, app.serverAddress, { subdomain, name, owner }),
    );
  };
  const root = await found(subdomain, 'Testing');
  const listeners: MirrorListener[] = [];
  const mirroredUsers = createMirroredUsers();

  async function user(
    name: string,
    { role = 'member', bot_of, bot_type = 1, realm = root.realm, mirrored = true }: UserOptions = {},
  ): Promise<TestUser> {
    const number = made++;
    const full_name = `${name[0]?.toUpperCase()}${name.slice(1)} ${number}`;
    const newUser = {
      email: `${name}${number}@example.com`,
      full_name,
      role: roles[role],
      ...(bot_of && { bot: { type: bot_type, owner_id: bot_of.id } }),
    };
    const row = await transact(app, system(realm), (ctx) => createUser(ctx, newUser));
    return person(row, realm, mirrored);
  }

  function apiOf(realm: Realm, login?: { email: string; apiKey: string } | { token: string }): Calls {
    return createClient(`http://${realm.host}:${port}`, {
      ...(login && ('token' in login ? login : { login })),
      fetch: hostFetch(port),
      retries: 0,
    });
  }

  async function person(row: User, realm: Realm, mirrored: boolean): Promise<TestUser> {
    const apiKey = app.server.apiKeyOf(realm, row);
    const api = apiOf(realm, { email: row.delivery_email, apiKey });
    const hasState = mirroredUsers.includes(row.role);
    const listener = mirrored && row.bot_type !== 2 ? await listenAs(api, hasState) : undefined;
    const made: TestUser = {
      id: row.id,
      name: row.full_name.split(' ')[0]?.toLowerCase() ?? '',
      full_name: row.full_name,
      email: row.delivery_email,
      apiKey,
      api,
      takeEvents: async (...types) => (listener ? listener.takeEvents(types) : []) as never,
    };
    if (listener) listeners.push(listener);
    if (listener && hasState) mirroredUsers.add(row.role, listener);
    return made;
  }

  const chat = {
    app,
    database,
    clock,
    url: `http://${root.realm.host}:${port}`,
    port,
    closeConnections,
    realm: root.realm,
    owner: await person(root.owner, root.realm, false),
    user,
    apiOf,
    person,
    /** New members. */
    async users<Names extends readonly string[]>(...names: Names): Promise<{ [K in keyof Names]: TestUser }> {
      const all: TestUser[] = [];
      for (const name of names) all.push(await user(name));
      return all as never;
    },
    /** Another organization on the same server, with its owner. */
    async otherRealm(name: string) {
      const { realm, owner } = await found(options.ownDatabase ? name : `${name}${made++}`, `Other ${name}`);
      return { realm, owner: await person(owner, realm, false) };
    },
    /** A stream that `by` created, with members. */
    async stream(name: string, { by, members = [], ...settings }: StreamOptions): Promise<number> {
      await by.api.subscribe({
        subscriptions: [{ name }],
        principals: [by.id, ...members.map(({ id }) => id)],
        ...settings,
      });
      return (await by.api.getStreamId({ stream: name })).stream_id;
    },
    async message({ from, to, topic = 'soup', content = 'hello' }: MessageOptions): Promise<number> {
      const direct = Array.isArray(to);
      const { id } = await from.api.sendMessage(
        direct
          ? { type: 'direct', to: to.map((one) => one.id), content }
          : { type: 'stream', to: to as string, topic, content },
      );
      return id;
    },
    /** A raw request to the API, at the organization's host. */
    fetch: (path: string, init: RequestInit = {}, realm: Realm = root.realm) =>
      hostFetch(port)(new Request(`http://${realm.host}:${port}${path}`, init)),
    /** Does something as the system, in a transaction: what a job does. */
    act: <T>(work: (ctx: PublicCtx<Server>) => Promise<T>, realm: Realm = root.realm): Promise<T> =>
      transact(app, system(realm), work as (ctx: Ctx<Server>) => Promise<T>),
    /** How many statements `work` took, `begin` and `commit` excepted. `onStatement` is called before each. */
    async statements(work: () => Promise<unknown>, onStatement?: () => void): Promise<number> {
      const before = statements();
      await whileCounting(work, onStatement);
      return statements() - before;
    },
    /** Checks the mirror law: earlier state + the events delivered since = the state now. */
    async holdMirrorLaw(): Promise<void> {
      mirroredUsers.reset();
      for (const listener of listeners.splice(0)) await listener.holdLaw();
    },
    async close(): Promise<void> {
      // A request that never releases its slot takes one from all others until the process ends.
      const { requests, polls } = app.admission;
      await vi.waitUntil(() => requests.running + polls.running === 0, { timeout: 30_000 });
      openChats.delete(chat);
      await close();
    },
  };
  openChats.add(chat);
  return chat;
}

interface UserOptions {
  role?: keyof typeof roles;
  bot_of?: { id: number };
  bot_type?: number;
  realm?: Realm;
  /** Whether the user has an event queue, and the mirror law is checked for them. */
  mirrored?: boolean;
}

type StreamOptions = { by: TestUser; members?: readonly TestUser[] } & Omit<
  Partial<Parameters<Calls['subscribe']>[0]>,
  'subscriptions' | 'principals'
>;

interface MessageOptions {
  from: TestUser;
  to: string | number | readonly { id: number }[];
  topic?: string;
  content?: string;
}

/** Asserts that a call fails with this code, and returns the error response. `msg` must match its message. */
export async function expectError<C extends ErrorCode>(
  code: C,
  call: Promise<unknown>,
  msg?: RegExp,
): Promise<Extract<ErrorResponse, { code: C }>> {
  const outcome: unknown = await call.then(
    (payload) => ({ unexpected: payload }),
    (error: unknown) => error,
  );
  if (!(outcome instanceof ParleyError))
    throw new Error(`Not refused, but: ${JSON.stringify(outcome)} ${outcome instanceof Error ? outcome.stack : ''}`);
  expect(outcome.body).toMatchObject({ result: 'error', code });
  if (msg) expect(outcome.body.msg).toMatch(msg);
  return outcome.body as Extract<ErrorResponse, { code: C }>;
}

export { ROLE };
