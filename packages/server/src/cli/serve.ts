import type { App } from '../app.ts';
import { type Config, ConfigError, MOST_PROCESSES, readConfig } from '../config/index.ts';
import { createLog, type Logger } from '../core/log.ts';
import { type DemoAccount, ensureDemo } from '../features/user-admin/index.ts';
import { type Running, type StartOptions, start, startJobs, urlOf } from '../main.ts';
import type { Opened } from '../open.ts';
import { columns } from './columns.ts';
import { findFreePort, isFree } from './free-port.ts';
import { type ClusterAddress, isFirstOfSeveral, isOneOfSeveral, runProcesses } from './processes.ts';
import { retryWhenFree } from './retry-when-free.ts';
import { runTask } from './run-task.ts';
import { type StopRequest, waitForStopRequest } from './stop-request.ts';
import type { Print } from './types.ts';

/** `processes`: the value of the option, if it was given. */
export async function serve(processes?: number): Promise<void> {
  const config = readConfig();
  const count = checkProcesses(config, processes ?? config.processes);
  const log = createLog(config.log);
  if (count > 1 && !isOneOfSeveral()) {
    const announceAll = ({ port, metricsPort }: ClusterAddress) =>
      announce(log, config, { url: urlOf(config.host, port), metricsPort, processes: count });
    return runProcesses(count, { config, log, announce: announceAll });
  }
  return isOneOfSeveral() ? serveAsOneOfSeveral(config, log) : serveAlone(config, log);
}

function checkProcesses({ database_url }: Config, count: number): number {
  if (count < 1 || count > MOST_PROCESSES) throw new ConfigError(`--processes must be 1 to ${MOST_PROCESSES}.`);
  if (count === 1 || database_url !== undefined) return count;
  throw new ConfigError('Several processes need DATABASE_URL: the embedded database belongs to one process.');
}

/** One of several processes: the primary process announces all of them, and serves the page of their metrics. */
async function serveAsOneOfSeveral(settings: Config, log: Logger): Promise<void> {
  const stopRequest = waitForStopRequest();
  const config = { ...settings, metrics_port: undefined };
  const running = await up(config, log, 'parley serve', { emitsRestart: isFirstOfSeveral() });
  await stopWhen(stopRequest, running, log);
}

async function serveAlone(config: Config, log: Logger): Promise<void> {
  const stopRequest = waitForStopRequest();
  const running = await up(config, log, 'parley serve');
  announce(log, config, running);
  await stopWhen(stopRequest, running, log);
}

export async function dev(print: Print): Promise<void> {
  const settings = readConfig();
  const config = { ...settings, port: await portFor(settings), drain: 0 };
  const log = createLog(config.log === 'info' ? 'warn' : config.log);
  const stopRequest = waitForStopRequest();
  const demo = async (app: App) => (await ensureDemo(app)).users;
  const prepare = async (app: App) => void (await demo(app));
  const running = await up(config, log, 'parley dev', { prepare, demo, strict: true });
  if (config.port !== settings.port)
    print(`Port ${settings.port} is in use, so Parley listens on port ${config.port}.`);
  for (const line of welcome(running, await demo(running.app))) print(line);
  await stopWhen(stopRequest, running, log);
}

export async function work(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.log);
  const stopRequest = waitForStopRequest();
  const running = await startJobs(config, { command: 'parley work', log });
  log.info('Parley runs the background jobs.');
  await stopWhen(stopRequest, running, log);
}

/** The demo takes the next free port, unless the operator chose one. */
async function portFor({ host, port, port_is_chosen }: Config): Promise<number> {
  if (port === 0 || (await isFree(host, port))) return port;
  if (port_is_chosen) throw new ConfigError(`PARLEY_PORT: port ${port} is in use on ${host}; choose another.`);
  return (await findFreePort(host, port + 1)) ?? port;
}

type MoreOptions = Pick<StartOptions, 'prepare' | 'demo' | 'strict' | 'emitsRestart'>;

function up(config: Config, log: Logger, command: string, more: MoreOptions = {}): Promise<Running> {
  const run = (app: App, task: unknown) => runTask({ app, config }, task);
  return retryWhenFree(() => start(config, { command, log, run, ...more }));
}

type Announced = Pick<Running, 'url' | 'metricsPort'> & { readonly processes?: number };

function announce(log: Logger, config: Config, { url, metricsPort, processes }: Announced): void {
  if (config.database_url === undefined) {
    log.warn(
      { data_dir: config.data_dir },
      'The embedded database does not flush to disk on each commit: data survives the end of this process, but not ' +
        'always a power loss. Set DATABASE_URL to use PostgreSQL, which flushes each commit.',
    );
  }
  log.info(
    {
      url,
      base_domain: config.base_domain,
      ...(processes && { processes }),
      ...(metricsPort && { metrics_port: metricsPort }),
    },
    `Parley listens at ${url}`,
  );
}

function welcome({ app }: Running, users: readonly DemoAccount[]): string[] {
  const { scheme, base_domain, port } = app.serverAddress;
  const base = `${scheme}://${base_domain}${port === undefined ? '' : `:${port}`}`;
  const rows = users.map(({ name, role, email, api_key }) => [name, role, email, api_key]);
  const [, , , member = users[0]] = users;
  return [
    '',
    `Parley listens at ${base}: open it in a browser for the first steps.`,
    `API reference    ${base}/docs`,
    '',
    ...columns([['Name', 'Role', 'Email', 'API key'], ...rows]),
    '',
    'Try it:',
    ...(member ? [`curl -u ${member.email}:${member.api_key} ${base}/api/v1/users/me`] : []),
    '',
    'For trials only: the embedded database does not flush to disk on each commit. Ctrl-C stops the server and keeps the data.',
  ];
}

async function stopWhen(request: Promise<StopRequest>, running: Opened, log: Logger): Promise<void> {
  const signal = await request;
  log.info({ signal }, 'stopping');
  await running.close();
  log.info('stopped');
}
