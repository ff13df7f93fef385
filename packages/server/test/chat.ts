// The test harness: a whole server, spoken to through the client.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  applyEvent,
  type Calls,
  createClient,
  type ErrorCode,
  ParleyError,
  type Refusal,
  type State,
} from '@parley/client';
import { expect } from 'vitest';
import { type App, type AppOptions, createApp } from '../src/app.ts';
import type { Mail } from '../src/config/index.ts';
import type { Ctx, Delivered, PublicCtx, Realm, User } from '../src/core/context.ts';
import { createLog } from '../src/core/log.ts';
import { transact } from '../src/core/transaction.ts';
import { createRealm, createUser } from '../src/features/accounts/index.ts';
import { defaultTimes } from '../src/features/events/index.ts';
import { ROLE } from '../src/features/realm/index.ts';
import { createListener } from '../src/http/listener.ts';
import { createServer } from '../src/http/server.ts';
import { createMailer } from '../src/mail/mailer.ts';
import { freshDatabase, type TestDatabase } from './database.ts';
import { hostFetch } from './host-fetch.ts';
import { openChats } from './open-chats.ts';
import { seeAnswers } from './seen-answers.ts';
import { unlimited } from './unlimited.ts';

export const PASSWORD = 'correct horse battery staple';
const roles = { owner: 100, admin: 200, moderator: 300, member: 400, guest: 600 } as const;

export interface Person {
  readonly id: number;
  readonly name: string;
  readonly full_name: string;
  readonly email: string;
  readonly apiKey: string;
  readonly api: Calls;
  /** Events of these types (all, if none is named) since the last time one asked for them. */
  hears<T extends Delivered['type']>(...types: T[]): Promise<Extract<Delivered, { type: T }>[]>;
}

export type Chat = Awaited<ReturnType<typeof startChat>>;
type ChatOptions = Partial<
  Pick<
    AppOptions,
    'limits' | 'requestLimits' | 'pollTimes' | 'onBadResponse' | 'trustProxy' | 'budget' | 'patience' | 'identity'
  >
> & {
  web_public_streams_enabled?: boolean;
  /** Bytes that the files of an organization may take up. */
  upload_space?: number;
  scheme?: 'http' | 'https';
  mail?: Mail;
};

let made = 0;

export async function startChat(options: ChatOptions = {}) {
  let statements = 0;
  const database = await freshDatabase(() => statements++);
  let ahead = 0;
  let stopped: number | undefined;
  const clock = Object.assign(() => new Date((stopped ?? Date.now()) + ahead), {
    /** From now on time stands still but for `advance`. */
    stop() {
      stopped ??= Date.now();
    },
    advance({ seconds = 0, minutes = 0, hours = 0, days = 0 }) {
      ahead += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
    },
  });
  const app = await makeApp(database, clock, options);
  const listener = createListener(createServer(app, [seeAnswers])).listen(0, '127.0.0.1');
  // An embedded database keeps this process busy for seconds: a connection must not be closed as idle just when it is used again.
  listener.keepAliveTimeout = 120_000;
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const url = `http://localhost:${port}`;
  const system = (realm: Realm) => ({ realm, me: undefined, client: 'ParleyTest' });
  const found = async (subdomain: string, name: string) => {
    const owner = { email: `owner${made++}@example.com`, full_name: 'Olga Owner', password: PASSWORD };
    return transact(app, { realm: undefined, me: undefined, client: 'ParleyTest' }, (ctx) =>
      createRealm(ctx, app.place, { subdomain, name, owner }),
    );
  };
  const root = await found('', 'Testing');
  const people: Mirrored[] = [];

  async function user(
    name: string,
    { role = 'member', bot_of, bot_type = 1, realm = root.realm, mirrored = true }: UserOptions = {},
  ): Promise<Person> {
    const number = made++;
    const full_name = `${name[0]?.toUpperCase()}${name.slice(1)} ${number}`;
    const wanted = {
      email: `${name}${number}@example.com`,
      full_name,
      role: roles[role],
      ...(bot_of && { bot: { type: bot_type, owner_id: bot_of.id } }),
    };
    const row = await transact(app, system(realm), (ctx) => createUser(ctx, wanted));
    return person(row, realm, mirrored);
  }

  function apiOf(realm: Realm, login?: { email: string; apiKey: string }): Calls {
    return createClient(`http://${realm.host}:${port}`, {
      ...(login && { login }),
      fetch: hostFetch(port),
      retries: 0,
    });
  }

  async function person(row: User, realm: Realm, mirrored: boolean): Promise<Person> {
    const apiKey = app.server.apiKeyOf(row);
    const api = apiOf(realm, { email: row.delivery_email, apiKey });
    const listening = mirrored && row.bot_type !== 2 ? await listenAs(api) : undefined;
    const made: Person = {
      id: row.id,
      name: row.full_name.split(' ')[0]?.toLowerCase() ?? '',
      full_name: row.full_name,
      email: row.delivery_email,
      apiKey,
      api,
      hears: async (...types) => (listening ? listening.hears(types) : []) as never,
    };
    if (listening) people.push({ person: made, ...listening });
    return made;
  }

  const chat = {
    app,
    database,
    clock,
    url,
    port,
    realm: root.realm,
    owner: await person(root.owner, root.realm, false),
    user,
    apiOf,
    person,
    /** Members, each new. */
    async users<Names extends readonly string[]>(...names: Names): Promise<{ [K in keyof Names]: Person }> {
      const all: Person[] = [];
      for (const name of names) all.push(await user(name));
      return all as never;
    },
    /** Another organization on the same server, with its owner. */
    async otherRealm(subdomain: string) {
      const { realm, owner } = await found(subdomain, `Other ${subdomain}`);
      return { realm, owner: await person(owner, realm, false) };
    },
    /** A stream that `by` made, with members. */
    async stream(name: string, { by, members = [], ...settings }: StreamOptions): Promise<number> {
      await by.api.subscribe({
        subscriptions: [{ name }],
        principals: [by.id, ...members.map(({ id }) => id)],
        ...settings,
      });
      const { streams } = await by.api.getStreams();
      return streams.find((stream) => stream.name === name)?.stream_id ?? Number.NaN;
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
    act: <T>(work: (ctx: PublicCtx) => Promise<T>, realm: Realm = root.realm): Promise<T> =>
      transact(app, system(realm), work as (ctx: Ctx) => Promise<T>),
    /** How many statements `work` took, `begin` and `commit` excepted. */
    async statements(work: () => Promise<unknown>): Promise<number> {
      const before = statements;
      await work();
      return statements - before;
    },
    /** The law of the event log: earlier state + the events heard since = the state as it is now. */
    async holdMirrorLaw(): Promise<void> {
      for (const mirrored of people.splice(0)) await mirrored.holdLaw();
    },
    async close(): Promise<void> {
      openChats.delete(chat);
      app.polls.close();
      listener.closeAllConnections();
      listener.close();
      await once(listener, 'close');
      await database.close();
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
  /** Whether they have an event queue, and the mirror law is checked for them. */
  mirrored?: boolean;
}

type StreamOptions = { by: Person; members?: readonly Person[] } & Omit<
  Partial<Parameters<Calls['subscribe']>[0]>,
  'subscriptions' | 'principals'
>;

interface MessageOptions {
  from: Person;
  to: string | number | readonly { id: number }[];
  topic?: string;
  content?: string;
}

interface Mirrored {
  person: Person;
  holdLaw(): Promise<void>;
}

const registration = { include_subscribers: true, client_gravatar: false, apply_markdown: true } as const;

/** Opens a queue and follows it: what was heard, and the state that follows from it. */
async function listenAs(api: Calls) {
  const { queue_id, last_event_id, ...first } = await api.registerQueue(registration);
  let last = last_event_id;
  let state: State = first;
  let unheard: Delivered[] = [];
  // Which message is the newest that is left, no event can tell.
  let lostSome = false;
  async function drain(): Promise<void> {
    for (;;) {
      const { events } = await api.getEvents({ queue_id, last_event_id: last, dont_block: true });
      if (events.length === 0) return;
      for (const event of events) {
        expect(event.id, 'event ids ascend').toBeGreaterThan(last);
        last = event.id;
        lostSome ||= event.type === 'delete_message' || (event.type === 'update_message' && 'new_stream_id' in event);
        state = applyEvent(state, event, registration);
        unheard.push(event);
      }
    }
  }
  return {
    async hears(types: readonly string[]): Promise<Delivered[]> {
      await drain();
      const wanted = (event: Delivered) => types.length === 0 || types.includes(event.type);
      const heard = unheard.filter(wanted);
      unheard = unheard.filter((event) => !wanted(event));
      return heard;
    },
    async holdLaw(): Promise<void> {
      try {
        await drain();
      } catch (error) {
        // Whoever was deactivated has no queue any more, and whose organization was has nothing.
        if (error instanceof ParleyError && [401, 404].includes(error.status)) return;
        if (error instanceof ParleyError && error.code === 'BAD_EVENT_QUEUE_ID') return;
        throw error;
      }
      const { queue_id: _, last_event_id: __, ...now } = await api.registerQueue(registration);
      const newest = lostSome && { max_message_id: now.max_message_id };
      // Nor what time it is.
      const { server_timestamp } = now;
      expect({ ...state, ...newest, server_timestamp }, 'state + events = fresh state').toEqual(now);
    },
  };
}

async function makeApp(database: TestDatabase, clock: () => Date, options: ChatOptions): Promise<App> {
  return createApp({
    database,
    clock,
    log: createLog('silent'),
    limits: options.limits ?? unlimited,
    requestLimits: options.requestLimits ?? unlimited,
    mailer: createMailer(options.mail ?? { to: 'log' }, createLog('silent'), 'localhost'),
    secret: 'a secret of at least thirty-two characters',
    place: {
      base_domain: 'localhost',
      port: undefined,
      scheme: options.scheme ?? 'http',
      web_public_streams_enabled: options.web_public_streams_enabled ?? false,
    },
    trustProxy: options.trustProxy ?? false,
    onBadResponse: options.onBadResponse,
    budget: options.budget,
    patience: options.patience,
    uploadSpace: options.upload_space,
    identity: options.identity,
    pollTimes: options.pollTimes ?? { ...defaultTimes, fallback: 50 },
  });
}

/** Asserts that a call is refused so, and gives the refusal. `msg` must match what the refusal has to name. */
export async function refused<C extends ErrorCode>(
  code: C,
  call: Promise<unknown>,
  msg?: RegExp,
): Promise<Extract<Refusal, { code: C }>> {
  const outcome: unknown = await call.then(
    (payload) => ({ unexpected: payload }),
    (error: unknown) => error,
  );
  if (!(outcome instanceof ParleyError))
    throw new Error(`Not refused, but: ${JSON.stringify(outcome)} ${outcome instanceof Error ? outcome.stack : ''}`);
  expect(outcome.body).toMatchObject({ result: 'error', code });
  if (msg) expect(outcome.body.msg).toMatch(msg);
  return outcome.body as Extract<Refusal, { code: C }>;
}

export { ROLE };
