// The server under measurement: the built `parley serve`, in a process that reports its counters.
import type { AddressInfo } from 'node:net';
import { getHeapSpaceStatistics } from 'node:v8';
import { connectPostgres } from '@parley/db';
import { sql } from '@parley/db/sql';
import { serveCalls } from './child.ts';

export interface BenchServerOptions {
  readonly database_url: string;
  readonly secret: string;
  /** Operations that respond with this at once, without work of their own. */
  readonly constants?: Readonly<Record<string, object>>;
  /** Requests get no slot, so each is rejected at once; `late`: by Express. */
  readonly closed?: 'early' | 'late';
  /** No heartbeats: polls wait until an event happens. */
  readonly quiet?: boolean;
}

const CONNECTIONS = 10;
const KEEP_ALIVE = 65_000;

// The built server, with the types of its sources: a program that is compiled at run time is larger and slower.
const built = <T>(file: string) =>
  import(new URL(`../../packages/server/dist/${file}.js`, import.meta.url).href) as Promise<T>;
const { computeAdmissionLimits } =
  await built<typeof import('../../packages/server/src/core/admission-limits.ts')>('core/admission-limits');
const { createApp } = await built<typeof import('../../packages/server/src/app.ts')>('app');
const { readConfig } = await built<typeof import('../../packages/server/src/config/index.ts')>('config/index');
const { loadLibraries } = await built<typeof import('../../packages/server/src/core/lazy.ts')>('core/lazy');
const { createLog } = await built<typeof import('../../packages/server/src/core/log.ts')>('core/log');
const { bounds } = await built<typeof import('../../packages/server/src/core/limits.ts')>('core/limits');
const events =
  await built<typeof import('../../packages/server/src/features/events/index.ts')>('features/events/index');
const { handlers } = await built<typeof import('../../packages/server/src/handlers.ts')>('handlers');
const { createLimits } =
  await built<typeof import('../../packages/server/src/http/limits/index.ts')>('http/limits/index');
const { rejectEarly } =
  await built<typeof import('../../packages/server/src/http/admission/early.ts')>('http/admission/early');
const { BACKLOG, createListener } =
  await built<typeof import('../../packages/server/src/http/listener.ts')>('http/listener');
const { createMetrics } = await built<typeof import('../../packages/server/src/http/metrics.ts')>('http/metrics');
const { createServer } = await built<typeof import('../../packages/server/src/http/server.ts')>('http/server');
const { serviceLayers } = await built<typeof import('../../packages/server/src/http/service.ts')>('http/service');
const { createMailer } = await built<typeof import('../../packages/server/src/mail/mailer.ts')>('mail/mailer');
const { jobs } = await built<typeof import('../../packages/server/src/workers/jobs.ts')>('workers/jobs');
const { startWorkers } = await built<typeof import('../../packages/server/src/workers/loop.ts')>('workers/loop');
const { getServerAddress } = await built<typeof import('../../packages/server/src/assemble.ts')>('assemble');

const {
  database_url,
  secret,
  constants = {},
  closed,
  quiet,
} = JSON.parse(process.argv[2] ?? '{}') as BenchServerOptions;
const config = readConfig({ DATABASE_URL: database_url, PARLEY_SECRET: secret, PARLEY_RATE_LIMITS: 'off' });
let statements = 0;
const database = connectPostgres(database_url, {
  connections: CONNECTIONS,
  statementTimeout: bounds.statement,
  readTimeout: bounds.read_statement,
  onStatement: () => statements++,
});
const limits = createLimits(config.rate_rules);
const log = createLog(config.log);
const app = await createApp({
  ...{ database, log, limits },
  secrets: { current: secret },
  requestLimits: limits,
  mailer: createMailer({ to: 'log' }, log, config.base_domain),
  clock: () => new Date(),
  serverAddress: getServerAddress(config, config.port),
  trustProxy: config.trust_proxy,
  admissionLimits: closed && { ...computeAdmissionLimits(CONNECTIONS), requests: { running: 0, waiting: 0 } },
  onBadResponse: (problem, operation) => console.error(`The response of ${operation} is not as documented: ${problem}`),
  pollTimes: quiet ? { ...events.defaultTimes, quiet: 3_600_000 } : undefined,
});
for (const [operation, payload] of Object.entries(constants)) {
  Object.assign(handlers, { [operation]: async () => payload });
}
const metrics = createMetrics();
const outside = [metrics.layer, ...serviceLayers({ app, health: { draining: false }, docs: false })];
const api = createServer(app, outside);
let rejectedEarly = 0;
const noteRejection = () => {
  rejectedEarly++;
  metrics.rejected();
};
const early = closed === 'late' ? undefined : rejectEarly(app, noteRejection);
const listener = createListener(api, undefined, early);
listener.keepAliveTimeout = KEEP_ALIVE;
await loadLibraries();
await new Promise<void>((resolve) => void listener.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, resolve));

// The plans of a server that has run for a while depend on it. The other jobs find nothing to do.
startWorkers(
  app,
  jobs.filter(({ name }) => name === 'maintain-tables'),
);

/** Each connection keeps its counters until a report is requested. All reports are requested at once. */
async function flushCounts(): Promise<void> {
  const flush = sql`select pg_stat_force_next_flush(), pg_sleep(0.02)`;
  await Promise.all(Array.from({ length: CONNECTIONS }, () => database.db.execute(flush)));
}

/**
 * The retained memory of the process. The size of the young generation depends on recent activity and differs by tens
 * of megabytes from run to run, so it is excluded.
 */
function getRetainedMemory(): NodeJS.MemoryUsage {
  globalThis.gc?.();
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  const usage = process.memoryUsage();
  return { ...usage, rss: usage.rss - (young?.physical_space_size ?? 0) };
}

serveCalls({
  port: () => (listener.address() as AddressInfo).port,
  statements: () => statements,
  flushCounts,
  waiting: () => app.polls.waiting(),
  rejectedEarly: () => rejectedEarly,
  memory: getRetainedMemory,
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
});
