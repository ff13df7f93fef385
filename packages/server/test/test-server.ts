// Servers for tests: one for each worker process, on one database, or one of a test's own.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type App, type AppOptions, createApp } from '../src/app.ts';
import { type Mail, readConfig } from '../src/config/index.ts';
import { computeAdmissionLimits } from '../src/core/admission-limits.ts';
import type { CollectionLimits } from '../src/core/collection-limits.ts';
import { createLog } from '../src/core/log.ts';
import { defaultTimes } from '../src/features/events/index.ts';
import { rejectEarly } from '../src/http/admission/early.ts';
import { createListener } from '../src/http/listener.ts';
import { createServer } from '../src/http/server.ts';
import { createMailer } from '../src/mail/mailer.ts';
import { countRequests, noteStatement } from './counted-statements.ts';
import { freshDatabase, type TestDatabase } from './database.ts';
import { recordSeenResponses } from './seen-responses.ts';
import { seeStatement } from './seen-statements.ts';
import { unlimited } from './unlimited.ts';

export type ServerOptions = Partial<
  Pick<
    AppOptions,
    | 'limits'
    | 'requestLimits'
    | 'pollTimes'
    | 'onBadResponse'
    | 'trustProxy'
    | 'budget'
    | 'idleTimeoutMs'
    | 'identity'
    | 'requestQuota'
    | 'keyLimits'
    | 'responseQuota'
    | 'admissionLimits'
    | 'allowedOrigins'
  >
> & {
  web_public_streams_enabled?: boolean;
  /** The most bytes of the files of an organization. */
  upload_space?: number;
  /** `PARLEY_COLLECTION_LIMITS`: limits by name; the others keep their defaults. */
  collection_limits?: Partial<CollectionLimits>;
  scheme?: 'http' | 'https';
  mail?: Mail;
};

/** A database that counts statements while `whileCounting` runs, without `begin` and `commit`. */
interface CountedDatabase {
  readonly database: TestDatabase;
  statements(): number;
}

export interface HarnessServer extends CountedDatabase {
  readonly app: App;
  readonly clock: TestClock;
  readonly port: number;
  /** Closes the connections of all clients, at once. */
  closeConnections(): void;
  /** Stops the server; its database stays open. */
  close(): Promise<void>;
}

export type TestClock = ReturnType<typeof createClock>;

function createClock() {
  let ahead = 0;
  let stopped: number | undefined;
  return Object.assign(() => new Date((stopped ?? Date.now()) + ahead), {
    /** Stops the clock, except for `advance`. */
    stop() {
      stopped ??= Date.now();
    },
    advance({ seconds = 0, minutes = 0, hours = 0, days = 0 }) {
      ahead += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
    },
    reset() {
      ahead = 0;
      stopped = undefined;
    },
  });
}

export async function openDatabase(): Promise<CountedDatabase> {
  let statements = 0;
  const database = await freshDatabase((text) => {
    if (noteStatement()) statements++;
    seeStatement(text);
  });
  return { database, statements: () => statements };
}

export async function openServer(counted: CountedDatabase, options: ServerOptions = {}): Promise<HarnessServer> {
  const clock = createClock();
  const app = await makeApp(counted.database, clock, options);
  const api = createServer(app, [recordSeenResponses]);
  const listener = createListener(api, undefined, rejectEarly(app)).listen(0, '127.0.0.1');
  // An embedded database can block this process for seconds: a connection must not be closed as idle just when it is
  // used again.
  listener.keepAliveTimeout = 120_000;
  countRequests(listener);
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    ...counted,
    app,
    clock,
    port,
    closeConnections: () => listener.closeAllConnections(),
    async close() {
      app.polls.close();
      listener.closeAllConnections();
      listener.close();
      await once(listener, 'close');
    },
  };
}

let database: Promise<CountedDatabase> | undefined;
let server: Promise<HarnessServer> | undefined;

/** The database that all test files of this process share, each with an organization of its own. */
export function sharedDatabase(): Promise<CountedDatabase> {
  database ??= openDatabase();
  return database;
}

/** The server with default options that all test files of this process share. */
export function sharedServer(): Promise<HarnessServer> {
  // Only the server itself listens to it, so notifications can be rare.
  const pollTimes = { ...testTimes, coalesce: 100 };
  server ??= sharedDatabase().then((counted) => openServer(counted, { pollTimes }));
  return server;
}

/** Tests have one account do many things concurrently, on a machine that may be busy. */
export const roomy = {
  requests: { running: 100, waiting: 1_000 },
  polls: { running: 100, waiting: 1_000 },
  serial: { running: 100, waiting: 1_000 },
  transactions: computeAdmissionLimits(100).transactions,
};

/** Presence is not delayed: tests wait for it. */
const testTimes = { ...defaultTimes, fallback: 50, delay: 0, pace: 0 };

async function makeApp(database: TestDatabase, clock: () => Date, options: ServerOptions): Promise<App> {
  return createApp({
    database,
    clock,
    log: createLog('silent'),
    limits: options.limits ?? unlimited,
    requestLimits: options.requestLimits ?? unlimited,
    mailer: createMailer(options.mail ?? { to: 'log' }, createLog('silent'), 'localhost'),
    secrets: { current: 'a secret of at least thirty-two characters' },
    serverAddress: {
      base_domain: 'localhost',
      port: undefined,
      scheme: options.scheme ?? 'http',
      web_public_streams_enabled: options.web_public_streams_enabled ?? false,
    },
    trustProxy: options.trustProxy ?? false,
    onBadResponse: options.onBadResponse,
    budget: options.budget,
    idleTimeoutMs: options.idleTimeoutMs,
    requestQuota: options.requestQuota,
    keyLimits: options.keyLimits,
    responseQuota: options.responseQuota,
    admissionLimits: options.admissionLimits ?? roomy,
    allowedOrigins: options.allowedOrigins,
    uploadSpace: options.upload_space,
    collectionLimits: readConfig({ PARLEY_COLLECTION_LIMITS: JSON.stringify(options.collection_limits ?? {}) })
      .collection_limits,
    identity: options.identity,
    pollTimes: options.pollTimes ?? testTimes,
  });
}
