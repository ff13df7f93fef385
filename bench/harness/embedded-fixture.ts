// An organization on an embedded database. Only a server can open one, so it is filled by requests to a server without
// rate limits.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchStream } from './fill.ts';
import type { Harness } from './harness.ts';
import { type BenchUser, type Connection, openConnection } from './http.ts';
import { startOperatorServer } from './operator-server.ts';
import { createRealm, runCommand, type ServerEnvironment } from './parley.ts';

const PASSWORD = 'correct horse battery';

export interface EmbeddedFixture {
  readonly environment: ServerEnvironment;
  readonly users: readonly BenchUser[];
  readonly stream: BenchStream;
}

/** This many members, all subscribed to one stream, to which `write` sends messages. */
export async function fillEmbedded(
  harness: Harness,
  members: number,
  write: (line: Connection, users: readonly BenchUser[], stream: BenchStream) => Promise<void>,
): Promise<EmbeddedFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  harness.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const environment = { PARLEY_DATA_DIR: folder };
  const { user_id, email } = await createRealm(environment);
  await runCommand(['user', 'grant', '--realm', '', String(user_id), 'can_create_users'], environment);
  const serving = await startOperatorServer(harness, { ...environment, PARLEY_RATE_LIMITS: 'off' });
  const line = openConnection(serving.port);
  const owner = await logIn(line, user_id, email);
  const users: BenchUser[] = [];
  for (let n = 0; n < members; n++) users.push(await addUser(line, owner, n));
  const subscriptions = [{ name: 'room' }];
  await line.request(owner, 'POST /users/me/subscriptions', { subscriptions, principals: users.map(({ id }) => id) });
  const { text } = await line.request(owner, 'GET /get_stream_id', { stream: 'room' });
  const stream = { id: (JSON.parse(text) as { stream_id: number }).stream_id, name: 'room' };
  await write(line, users, stream);
  line.close();
  await serving.stop();
  return { environment, users, stream };
}

async function addUser(line: Connection, owner: BenchUser, n: number): Promise<BenchUser> {
  const email = `p${n}@example.com`;
  const newUser = { email, full_name: `Person ${n}`, password: PASSWORD };
  const { text } = await line.request(owner, 'POST /users', newUser);
  return logIn(line, (JSON.parse(text) as { user_id: number }).user_id, email);
}

async function logIn(line: Connection, id: number, email: string): Promise<BenchUser> {
  const anonymous = { id, email, login: '' };
  const { text } = await line.request(anonymous, 'POST /fetch_api_key', { username: email, password: PASSWORD });
  const { api_key } = JSON.parse(text) as { api_key: string };
  return { id, email, login: `Basic ${Buffer.from(`${email}:${api_key}`).toString('base64')}` };
}
