// A copy of the directory of a running server: commands change the copy alone, and clients notice that it is not the
// original.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type Calls, ParleyError } from '@parley/client';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  apiOf,
  createEmbeddedEnvironment,
  createRealm,
  endServers,
  freshFolder,
  type Login,
  type Process,
  parley,
  parleyJson,
  startServer,
  type TestEnvironment,
} from '../parley.ts';

vi.setConfig({ testTimeout: 300_000 });
afterAll(endServers);

let environment: TestEnvironment;
let server: Process;
let olga: Login;
let copy: { PARLEY_DATA_DIR: string };
let removeCopy: () => void;
beforeEach(async () => {
  environment = await createEmbeddedEnvironment();
  olga = await createRealm(environment.variables);
  server = await startServer(environment.variables);
  const folder = freshFolder();
  copy = { PARLEY_DATA_DIR: join(folder.path, 'copy') };
  removeCopy = folder.remove;
});
afterEach(async () => {
  await server.end('SIGTERM');
  await environment.remove();
  removeCopy();
});

const copyDirectory = () =>
  cpSync(environment.variables.PARLEY_DATA_DIR ?? '', copy.PARLEY_DATA_DIR, {
    recursive: true,
    preserveTimestamps: true,
  });
const nameIn = async (environment: Record<string, string>) =>
  (await parleyJson<{ settings: { name: string } }>(['realm', 'show', ''], environment)).settings.name;

test('a command on the copy changes the copy, says so, and leaves the original as it was', async () => {
  copyDirectory();
  const { code, stderr } = await parley(['realm', 'set', '', 'name', 'Copied'], copy);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/is a copy: process \d+ \(parley serve\)/),
  });
  expect(await nameIn(copy)).toBe('Copied');
  expect(await parley(['realm', 'set', '', 'description', 'Original'], environment.variables)).toMatchObject({
    stderr: '',
  });
  expect(await nameIn(environment.variables)).toBe('Testing');
});

const codeOf = (api: Calls, queue: { queue_id: string; last_event_id: number }) =>
  api.getEvents({ ...queue, dont_block: true }).then(
    () => 'success',
    (error: unknown) => (error instanceof ParleyError ? error.code : String(error)),
  );

test('a server on the copy makes clients of the original register again, and the original goes on', async () => {
  const queue = await apiOf(server, olga).registerQueue({ event_types: ['message'] });
  copyDirectory();
  const other = await startServer(copy);
  expect(await codeOf(apiOf(other, olga), queue)).toBe('BAD_EVENT_QUEUE_ID');
  await other.end('SIGTERM');
  await server.end('SIGTERM');
  server = await startServer(environment.variables);
  expect(await codeOf(apiOf(server, olga), queue)).toBe('success');
});
