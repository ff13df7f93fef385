// `npm start` when another program uses the port or the data.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findFreePort, isFree } from '../../src/cli/free-port.ts';
import { createEmbeddedEnvironment, endServers, parley, startServer, type TestEnvironment } from '../parley.ts';

vi.setConfig({ testTimeout: 180_000 });
afterAll(endServers);

const DEFAULT_PORT = 8080;
/** An empty variable counts as not set. */
const notChosen = { PARLEY_PORT: '' };

let environment: TestEnvironment;
const listeners: Server[] = [];
beforeEach(async () => {
  environment = await createEmbeddedEnvironment();
});
afterEach(async () => {
  for (const listener of listeners.splice(0)) listener.close();
  await environment.remove();
});

/** Takes the port, unless another program of this machine has it already. */
async function occupy(port: number, host = '127.0.0.1'): Promise<number> {
  const listener = createServer().listen(port, host);
  try {
    await once(listener, 'listening');
  } catch {
    return port;
  }
  listeners.push(listener);
  return (listener.address() as AddressInfo).port;
}

test('the next free port is used when the default one is taken, and the server reports it', async () => {
  await occupy(DEFAULT_PORT);
  const server = await startServer({ ...environment.variables, ...notChosen }, 'dev');
  const { port } = new URL(server.url);
  expect(Number(port)).toBeGreaterThan(DEFAULT_PORT);
  expect(server.printed()).toContain(`Port ${DEFAULT_PORT} is in use, so Parley listens on port ${port}.`);
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status, { timeout: 60_000 }).toBe(200);
  expect(await server.end('SIGTERM')).toBe(0);
});

test('a port that the operator chose and that is in use is an error of one sentence, with exit code 2', async () => {
  const port = await occupy(0);
  const { code, stdout, stderr } = await parley(['dev'], { ...environment.variables, PARLEY_PORT: String(port) });
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: `PARLEY_PORT: port ${port} is in use on 127.0.0.1; choose another.\n`,
  });
});

test('a second server on the same data reports which process has the data, and what to do', async () => {
  const first = await startServer(environment.variables, 'dev');
  const { code, stderr } = await parley(['dev'], environment.variables);
  expect(code).toBe(1);
  expect(stderr).toContain(`in use by process ${first.child.pid} (parley dev)`);
  expect(stderr).toContain('set PARLEY_DATA_DIR to another directory');
  expect(await first.end('SIGTERM')).toBe(0);
});

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

test.runIf(hasIpv6)(
  'a port counts as in use when another program has it at the other address of localhost',
  async () => {
    const port = await occupy(0, '::1');
    expect(await isFree('127.0.0.1', port)).toBe(false);
    expect(await findFreePort('127.0.0.1', port)).toBeGreaterThan(port);
  },
);
