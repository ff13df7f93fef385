// Starts everything and stops it in reverse.
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Database, isUpToDate } from '@parley/db';
import type { App } from './app.ts';
import { getServerAddress } from './assemble.ts';
import { type CleanupStep, createCleanup } from './cleanup.ts';
import type { Config } from './config/index.ts';
import { loadLibraries } from './core/lazy.ts';
import type { Logger } from './core/log.ts';
import { describeError } from './core/plain-error.ts';
import { emitRestart } from './features/event-log/index.ts';
import { countQueuedEmails } from './features/mail/index.ts';
import type { DemoAccount } from './features/user-admin/index.ts';
import { rejectEarly } from './http/admission/early.ts';
import { type CommandOutcome, startControlServer } from './http/control-server.ts';
import { BACKLOG, createListener } from './http/listener.ts';
import { createMetrics, type Metrics, type Waiting } from './http/metrics.ts';
import type { Health } from './http/readiness.ts';
import { createServer } from './http/server.ts';
import { serviceLayers } from './http/service.ts';
import { closeServer, drain } from './http/shutdown.ts';
import type { OnBadResponse } from './http/validate.ts';
import { bringUpToDate, type Opened, openApp, requireKnownSecret, requireServableDatabase } from './open.ts';
import { StartError } from './start-error.ts';
import { jobs } from './workers/jobs.ts';
import { type Job, startWorkers } from './workers/loop.ts';

/** Milliseconds that an idle connection stays open: longer than proxies keep theirs, so that the proxies close it. */
const KEEP_ALIVE = 65_000;
const SECOND = 1_000;
/** Milliseconds within which the database must count waiting emails: Prometheus itself waits for ten seconds. */
const COUNT_TIMEOUT = 3000;

export interface Running extends Opened {
  /** The URL of the server. */
  readonly url: string;
  readonly metricsPort: number | undefined;
}

export interface StartOptions {
  readonly command: string;
  readonly log: Logger;
  /** Runs a command that came through the control server. */
  readonly run: (app: App, task: unknown) => Promise<CommandOutcome>;
  /** Runs once the database is migrated, before clients can connect. */
  readonly prepare?: (app: App) => Promise<void>;
  /** The users of the demo organization, with their present API keys. */
  readonly demo?: (app: App) => Promise<readonly DemoAccount[]>;
  /** Fails requests whose response does not match the document; in production the response is sent, and logged. */
  readonly strict?: boolean;
  /** Whether clients get an event about the start; by default they do. */
  readonly emitsRestart?: boolean;
}

/** Starts a server: database, migrations, HTTP, workers. */
export async function start(
  config: Config,
  { command, log, run, prepare, demo, strict, emitsRestart = true }: StartOptions,
): Promise<Running> {
  const health: Health = { draining: false };
  const metrics = createMetrics();
  const all = createCleanup();
  return all.guard(async () => {
    const noted = strict ? {} : { onBadResponse: badResponses(log, metrics) };
    const opened = await openApp(config, { command, log, onEmail: metrics.countEmail, ...noted });
    all.add(() => opened.close());
    const { app, lock } = opened;
    await requireServableDatabase(app.database);
    if (config.migrate) await migrateAtStart(app.database, log);
    all.add(watchSchema(app));
    // A server that does not migrate its database can start without tables, and is not ready then.
    if (await isUpToDate(app.database.db)) await requireKnownSecret(app);
    all.add(await watchEpoch(app));
    await prepare?.(app);
    metrics.observe(() => waiting(app));
    const metricsPort = await serveMetrics(config, metrics, all.add);
    const api = createServer(app, [
      metrics.layer,
      ...serviceLayers({ app, health, docs: config.docs, ...(demo && { demo: () => demo(app) }) }),
    ]);
    await loadLibraries();
    const listener = createListener(api, health, rejectEarly(app, metrics.rejected));
    const server = await listen(listener, config.port, config.host, 'PARLEY_PORT');
    const { port } = server.address() as AddressInfo;
    Object.assign(app.serverAddress, getServerAddress(config, port));
    all.add(() => server.closeAllConnections());
    const control = lock && (await startControlServer(config.data_dir, (task) => run(app, task)));
    if (control) lock.publishControlAddress(control.address);
    if (emitsRestart && (await isUpToDate(app.database.db))) await emitRestart(app);
    const workers = startWorkers(app, servableJobs);
    const finish = () => Promise.all([closeServer(server, app, config.drain > 0), workers.stop(), control?.close()]);
    all.add(() => Promise.race([finish(), later(config.grace * SECOND)]));
    all.add(() => drain(app, health, config.drain));
    return { ...opened, url: urlOf(config.host, port), metricsPort, close: () => all.stop() };
  });
}

/** Runs only the background jobs, for deployments that separate them from the servers. */
export async function startJobs(
  config: Config,
  { command, log }: Pick<StartOptions, 'command' | 'log'>,
): Promise<Opened> {
  if (config.database_url === undefined) {
    throw new StartError('parley work needs DATABASE_URL: with the embedded database the server does the jobs itself.');
  }
  const opened = await openApp(config, { command, log });
  const { app } = opened;
  const all = createCleanup();
  return all.guard(async () => {
    all.add(() => opened.close());
    await requireServableDatabase(app.database);
    all.add(watchSchema(app));
    if (await isUpToDate(app.database.db)) await requireKnownSecret(app);
    all.add(await watchEpoch(app));
    const workers = startWorkers(app, servableJobs);
    all.add(() => Promise.race([workers.stop(), later(config.grace * SECOND)]));
    return { ...opened, close: () => all.stop() };
  });
}

async function watchEpoch({ epochWatch }: App): Promise<CleanupStep> {
  await epochWatch.start();
  return () => epochWatch.stop();
}

function watchSchema({ schema }: App): CleanupStep {
  schema.start();
  return () => schema.stop();
}

/** Jobs pause while the database has a schema that this server is too old for. */
const servableJobs: readonly Job[] = jobs.map((job) => ({
  ...job,
  run: async (app) => (app.schema.conflict === undefined ? job.run(app) : undefined),
}));

/** A write is already committed when its response turns out to be invalid, so the response is sent, and logged. */
function badResponses(log: Logger, metrics: Metrics): OnBadResponse {
  return (problem, operation) => {
    metrics.badResponse(operation);
    log.error({ operation, err: problem }, 'a response was not as documented');
  };
}

async function migrateAtStart(database: Database, log: Logger): Promise<void> {
  const applied = await bringUpToDate(database);
  if (applied.length > 0) log.info({ applied }, 'migrations applied');
}

/** Metrics are needed most while the database is unavailable: the page omits those that only the database knows. */
async function waiting({ polls, database, admission }: App): Promise<Waiting> {
  const counted = countQueuedEmails(database.db).catch(() => undefined);
  const emails = (await Promise.race([counted, later(COUNT_TIMEOUT)])) ?? undefined;
  return { polls: polls.waiting(), requests: admission.requests.waiting + admission.serial.waiting, emails };
}

async function serveMetrics(
  config: Config,
  metrics: Metrics,
  add: (step: CleanupStep) => void,
): Promise<number | undefined> {
  if (config.metrics_port === undefined) return undefined;
  const listener: RequestListener = (req, res) => {
    if (req.method !== 'GET' || req.url !== '/metrics') return void res.writeHead(404).end();
    metrics.page().then(
      (page) => res.writeHead(200, { 'Content-Type': metrics.contentType }).end(page),
      () => res.writeHead(500).end(),
    );
  };
  const server = await listen(createListener(listener), config.metrics_port, config.host, 'PARLEY_METRICS_PORT');
  add(() => void server.close().closeAllConnections());
  return (server.address() as AddressInfo).port;
}

async function listen(server: Server, port: number, host: string, variable: string): Promise<Server> {
  server.keepAliveTimeout = KEEP_ALIVE;
  server.listen({ port, host, backlog: BACKLOG });
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    throw new StartError(`Cannot listen on ${host} port ${port} (${variable}): ${describeError(error)}.`);
  }
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

/** The URL of a server on this host and port. */
export const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
