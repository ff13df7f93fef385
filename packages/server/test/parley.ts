// Parley as an operator runs it: processes started from the command line.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { type Calls, createClient } from '@parley/client';
import { connectPostgres } from '@parley/db';
import { sql } from '@parley/db/sql';
import { inject } from 'vitest';
import { withDatabase } from './global-setup/database.ts';
import { hostFetch } from './host-fetch.ts';

const program = fileURLToPath(new URL('../bin/parley.mjs', import.meta.url));
/**
 * These servers live for seconds. Optimizing the code of the embedded database takes a second of CPU time at each start, and would pay off
 * later.
 */
const shortLived = ['--wasm-tiering-budget=500000000'];

/** The defaults are those of a new machine, without limits, and it stops at once. */
export type Environment = Record<string, string>;

const environmentOf = (variables: Environment): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  PARLEY_PORT: '0',
  PARLEY_RATE_LIMITS: 'off',
  PARLEY_DRAIN: '0',
  ...variables,
});

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. */
export async function parley(
  words: readonly string[],
  environment: Environment,
  input = '',
  release = program,
): Promise<Ended> {
  const child = spawn(process.execPath, [...shortLived, release, ...words], { env: environmentOf(environment) });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (part) => (stdout += part));
  child.stderr.on('data', (part) => (stderr += part));
  // A command that reads no input may end before it is written.
  child.stdin.on('error', () => {}).end(input);
  const [code] = await once(child, 'close');
  return { code: code as number, stdout, stderr };
}

export interface StartedCommand {
  readonly child: ChildProcess;
  kill(): Promise<void>;
  /** Sends the signal and waits for the end: the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/** Starts a command that is to be ended by a signal. */
export function startCommand(words: readonly string[], environment: Environment): StartedCommand {
  const child = spawn(process.execPath, [...shortLived, program, ...words], {
    env: environmentOf(environment),
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  return {
    child,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async end(signal) {
      child.kill(signal);
      await ended;
      return child.exitCode ?? child.signalCode ?? 'SIGKILL';
    },
  };
}

/** Runs a command with --json; returns its one document. */
export async function parleyJson<T>(words: readonly string[], environment: Environment): Promise<T> {
  const { code, stdout, stderr } = await parley([...words, '--json'], environment);
  if (code !== 0) throw new Error(`parley ${words.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as T;
}

export interface Process {
  readonly child: ChildProcess;
  readonly url: string;
  /** The number of long polls it holds; it must have been started with PARLEY_METRICS_PORT. */
  waitingPolls(): Promise<number>;
  /** The number of requests to send messages; it must have been started with PARLEY_METRICS_PORT. */
  sendRequests(): Promise<number>;
  /** Everything it printed, so far. */
  printed(): string;
  /** Sends the signal and waits for the end: the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

const running = new Set<Process>();

type ServerCommand = 'serve' | 'dev' | 'work';

/** What each command prints when it is ready, with the URL of those that have one. */
const READY: Record<ServerCommand, RegExp> = {
  serve: /"url":"(http:[^"]+)"/,
  dev: /^API reference .*(http:\S+)\/docs/,
  work: /()Parley runs the background jobs/,
};

/**
 * Starts a server and waits until it is ready. `parley work` has no port: its `url` is empty. `release`: the program;
 * absent: this one.
 */
export async function startServer(
  environment: Environment,
  command: ServerCommand = 'serve',
  release = program,
): Promise<Process> {
  const child = spawn(process.execPath, [...shortLived, release, command], { env: environmentOf(environment) });
  const lines: string[] = [];
  child.stderr.on('data', (part) => lines.push(String(part)));
  const reader = createInterface(child.stdout);
  const url = await new Promise<string>((resolve, reject) => {
    reader.on('line', (line) => {
      lines.push(line);
      const [, address] = READY[command].exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.once('close', (code) => reject(new Error(`The server ended with ${code}: ${lines.join('\n')}`)));
  });
  const server: Process = {
    child,
    url: url.replace('localhost', '127.0.0.1'),
    printed: () => lines.join('\n'),
    async waitingPolls() {
      return Number(/^parley_waiting_polls (\d+)$/m.exec(await metricsPage(server))?.[1]);
    },
    async sendRequests() {
      const counts = (await metricsPage(server)).matchAll(
        /^parley_requests_total\{.*operation="sendMessage".*\} (\d+)$/gm,
      );
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    },
    async end(signal) {
      running.delete(server);
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await once(child, 'close');
      }
      return child.exitCode ?? child.signalCode ?? 'SIGKILL';
    },
  };
  running.add(server);
  return server;
}

async function metricsPage(server: Process): Promise<string> {
  const [, port] = /"metrics_port":(\d+)/.exec(server.printed()) ?? [];
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

/** Ends processes that a test left running. */
export async function endServers(): Promise<void> {
  for (const server of [...running]) await server.end('SIGKILL');
}

/** An empty folder, deleted by `remove`. */
export function freshFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'parley-operator-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export interface TestEnvironment {
  readonly variables: Environment;
  remove(): Promise<void>;
}

/** A fresh embedded database. */
export async function createEmbeddedEnvironment(): Promise<TestEnvironment> {
  const folder = freshFolder();
  return { variables: { PARLEY_DATA_DIR: folder.path }, remove: async () => folder.remove() };
}

/** An embedded database without migrations. A fresh one begins with a snapshot that has them all. */
export async function createUnmigratedEnvironment(): Promise<TestEnvironment> {
  const environment = await createEmbeddedEnvironment();
  const empty = await PGlite.create({ dataDir: join(environment.variables.PARLEY_DATA_DIR ?? '', 'database') });
  await empty.close();
  return environment;
}

/** A fresh, empty database on the PostgreSQL that the tests were given. */
export async function createPostgresEnvironment(): Promise<TestEnvironment> {
  const where = inject('database');
  if (!('url' in where)) throw new Error('This run has no PostgreSQL server.');
  const server = where.url;
  const name = `parley_operator_${randomBytes(6).toString('hex')}`;
  const admin = connectPostgres(server, { connections: 1 });
  await admin.db.execute(sql.raw(`create database ${name}`));
  return {
    variables: {
      DATABASE_URL: withDatabase(server, name),
      PARLEY_SECRET: 'a secret of at least thirty-two characters',
    },
    async remove() {
      await admin.db.execute(sql.raw(`drop database if exists ${name} with (force)`));
      await admin.close();
    },
  };
}

export interface Login {
  readonly user_id: number;
  readonly email: string;
  readonly api_key: string;
}

export const PASSWORD = 'correct horse battery staple';

/** Creates a member of the organization at the base domain. */
export const createMember = (environment: Environment, name: string): Promise<Login> =>
  parleyJson(
    ['user', 'create', '--realm', '', '--email', `${name}@example.com`, '--name', name, '--password', PASSWORD],
    environment,
  );

/** Creates an organization at the base domain. */
export function createRealm(environment: Environment, subdomain = ''): Promise<Login & { realm_id: number }> {
  const owner = ['--owner-email', 'olga@example.com', '--owner-name', 'Olga', '--owner-password', PASSWORD];
  return parleyJson(['realm', 'create', '--subdomain', subdomain, '--name', 'Testing', ...owner], environment);
}

/** Calls a server as a user of the organization at the base domain, or at another host. */
export function apiOf(
  { url }: Pick<Process, 'url'>,
  { email, api_key }: Pick<Login, 'email' | 'api_key'>,
  host = 'localhost',
): Calls {
  const port = Number(new URL(url).port);
  return createClient(`http://${host}:${port}`, {
    login: { email, apiKey: api_key },
    fetch: hostFetch(port),
    retries: 0,
  });
}
