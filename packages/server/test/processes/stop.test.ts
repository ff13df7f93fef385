// A signal to the process that an operator started stops the server, however it was started.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { isRunByNpm } from '../../src/config/index.ts';
import { createEmbeddedEnvironment, type TestEnvironment } from '../parley.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 30_000 });

const root = fileURLToPath(new URL('../../../../', import.meta.url));

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
}

const startedHere: { child: ChildProcess; environment: TestEnvironment }[] = [];

/** Starts the server in a process group of its own, as a terminal or a process manager does. */
async function start(command: string, ...args: string[]): Promise<Started> {
  const environment = await createEmbeddedEnvironment();
  const child = spawn(command, args, {
    cwd: root,
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PARLEY_PORT: '0',
      PARLEY_DRAIN: '0',
      ...environment.variables,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  startedHere.push({ child, environment });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const [, address] = /"url":"(http:[^"]+)"/.exec(line) ?? [];
      if (address) resolve(address);
    });
    child.once('close', (code) => reject(new Error(`${command} ${args.join(' ')} ended with ${code}.`)));
  });
  return { child, url };
}

const groupExists = (child: ChildProcess): boolean => {
  try {
    return process.kill(-(child.pid as number), 0);
  } catch {
    return false;
  }
};

/** Until every process of the group has ended, 10 seconds at most. */
const groupEnded = (child: ChildProcess) =>
  vi.waitFor(() => expect(groupExists(child)).toBe(false), { timeout: 10_000, interval: 50 });

const closed = (url: string): Promise<boolean> =>
  fetch(`${url}/livez`).then(
    () => false,
    () => true,
  );

afterEach(async () => {
  for (const { child, environment } of startedHere.splice(0)) {
    if (groupExists(child)) process.kill(-(child.pid as number), 'SIGKILL');
    await groupEnded(child);
    await environment.remove();
  }
});

test.each([
  [process.execPath, ['packages/server/bin/parley.mjs', 'serve']],
  ['node_modules/.bin/parley', ['serve']],
])('SIGTERM to %s %j ends with exit code 0', async (command, args) => {
  const { child, url } = await start(command, ...args);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  await groupEnded(child);
  expect(await closed(url)).toBe(true);
});

test('SIGTERM to npx stops the server, although npm ends only the shell between them', async () => {
  const { child, url } = await start('npx', '--script-shell=/bin/sh', '@parley/server', 'serve');
  child.kill('SIGTERM');
  await once(child, 'exit');
  await groupEnded(child);
  expect(await closed(url)).toBe(true);
});

test.runIf(existsSync('/bin/bash'))(
  'Ctrl-C stops the server as SIGTERM does where it gets the signal twice, from the terminal and from npm',
  async () => {
    // bash gives its process to a single command, so that npm signals the server itself.
    const { child, url } = await start('npx', '--script-shell=/bin/bash', '@parley/server', 'serve');
    process.kill(-(child.pid as number), 'SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    await groupEnded(child);
    expect(await closed(url)).toBe(true);
  },
);

test.each([
  [{}, false],
  [{ npm_lifecycle_event: 'npx', npm_lifecycle_script: "'parley'" }, true],
  [{ npm_lifecycle_event: 'start', npm_lifecycle_script: 'node build.mjs && node start.mjs' }, true],
  [{ npm_lifecycle_event: 'chat', npm_lifecycle_script: 'parley serve' }, true],
  [{ npm_lifecycle_event: 'pretest', npm_lifecycle_script: 'parley dev & wait-on http://localhost:8080' }, false],
  [{ npm_lifecycle_event: 'test', npm_lifecycle_script: 'vitest run' }, false],
])(
  'the server ends with its parent where npm runs it, not where a script started it in the background: %j',
  (env, is) => {
    expect(isRunByNpm(env)).toBe(is);
  },
);
