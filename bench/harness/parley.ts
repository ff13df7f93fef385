// Parley as operators run it: the built command line.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const program = fileURLToPath(new URL('../../packages/server/bin/parley.mjs', import.meta.url));

/** Settings that are absent here have their defaults. */
export type ServerEnvironment = Readonly<Record<string, string>>;

const environmentOf = (settings: ServerEnvironment): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  ...settings,
});

export interface CreatedRealm {
  readonly realm_id: number;
  /** The owner. */
  readonly user_id: number;
  readonly email: string;
}

/** Creates an organization at the base domain. */
export async function createRealm(environment: ServerEnvironment): Promise<CreatedRealm> {
  const owner = [
    '--owner-email',
    'olga@example.com',
    '--owner-name',
    'Olga',
    '--owner-password',
    'correct horse battery',
  ];
  const words = ['realm', 'create', '--subdomain', '', '--name', 'Bench', ...owner, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...words], {
    env: environmentOf(environment),
  });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as CreatedRealm;
}

export const serve = (environment: ServerEnvironment): ChildProcess =>
  spawn(process.execPath, [program, 'serve'], { env: environmentOf(environment), stdio: 'ignore' });

/** Runs a command with an email as its input, and returns how long it took, in milliseconds. */
export async function runCommand(words: readonly string[], environment: ServerEnvironment): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, [program, ...words], {
    env: environmentOf(environment),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // A command that reads no input can end before the input is written.
  child.stdin.on('error', () => {}).end('Subject: Soup\n\nIt is hot.\n');
  await once(child, 'close');
  return performance.now() - started;
}
