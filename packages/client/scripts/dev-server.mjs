// A server with the demo organization, for the scripts that try clients and tools on it.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import getPort from 'get-port';
import { endServer, waitUntilReady } from './child-server.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export const parley = join(root, 'packages/server/bin/parley.mjs');

/** Starts it with its data in a folder, and resolves when it is ready. `env` is for commands that concern it. */
export async function startDevServer(folder) {
  const env = {
    ...process.env,
    PARLEY_PORT: String(await getPort()),
    PARLEY_DATA_DIR: join(folder, 'data'),
  };
  const url = `http://localhost:${env.PARLEY_PORT}`;
  const server = spawn('node', [parley, 'dev'], {
    env: { ...env, PARLEY_LOG: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = () => endServer(server);
  try {
    await waitUntilReady(`${url}/readyz`, server, 60);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, env, stop };
}
