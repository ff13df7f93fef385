// The secret as an operator handles it: a wrong one is rejected, and a new one replaces the old one without an outage.
import { ParleyError } from '@parley/client';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import {
  apiOf,
  createEmbeddedEnvironment,
  createPostgresEnvironment,
  createRealm,
  type Environment,
  endServers,
  PASSWORD,
  parley,
  parleyJson,
  startServer,
  type TestEnvironment,
} from '../parley.ts';

vi.setConfig({ testTimeout: 180_000 });
afterAll(endServers);

const OTHER = 'f00d6b7b0b9c4d3fa1c1e5d2b9a87766';
const THIRD = '0a4e8c11d2b74f6e9b3a5c7d1e2f3a4b';

interface Finding {
  check: string;
  ok: boolean;
  detail: string;
}

const finding = async (environment: Environment, name: string) => {
  const { stdout } = await parley(['doctor', '--json'], environment);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return findings.find(({ check }) => check === name);
};

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'success',
    (error: unknown) => (error instanceof ParleyError ? error.code : String(error)),
  );

let environment: TestEnvironment;
beforeEach(async () => {
  environment = await (onPostgres ? createPostgresEnvironment() : createEmbeddedEnvironment());
  return () => environment.remove();
});

test('two databases with one secret issue different API keys for accounts with the same ids', async () => {
  const other = await (onPostgres ? createPostgresEnvironment() : createEmbeddedEnvironment());
  const secret = { PARLEY_SECRET: OTHER };
  const one = await createRealm({ ...environment.variables, ...secret });
  const two = await createRealm({ ...other.variables, ...secret });
  expect([one.realm_id, one.user_id]).toEqual([two.realm_id, two.user_id]);
  expect(one.api_key).not.toBe(two.api_key);
  await other.remove();
});

describe('a secret that the database does not know', () => {
  const refused = {
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^The secret is not one that this database was used with.*PARLEY_SECRET_PREVIOUS/),
  };

  test('stops servers, workers and commands, and doctor reports it', async () => {
    await createRealm(environment.variables);
    const wrong = { ...environment.variables, PARLEY_SECRET: OTHER };
    expect(await parley(['serve'], wrong)).toMatchObject({
      ...refused,
      stdout: expect.not.stringContaining('listens'),
    });
    expect(await parley(['realm', 'list'], wrong)).toEqual(refused);
    if (onPostgres) expect(await parley(['work'], wrong)).toMatchObject(refused);
    expect(await parley(['doctor'], wrong)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^WRONG {2}secret:/m),
    });
    expect(await finding(environment.variables, 'secret')).toMatchObject({ ok: true });
  });

  test('is accepted when the operator confirms it: then every API key ends', async () => {
    const olga = await createRealm(environment.variables);
    const lost = { ...environment.variables, PARLEY_SECRET: OTHER };
    expect(await parleyJson(['secret', 'accept'], lost)).toEqual({ accepted: true });
    const server = await startServer(lost);
    expect(await codeOf(apiOf(server, olga).getOwnUser())).toBe('INVALID_API_KEY');
    await server.end('SIGTERM');
  });

  test.runIf(onPostgres)('makes a server whose migrations came later not ready', async () => {
    const early = await startServer({ ...environment.variables, PARLEY_SECRET: OTHER, PARLEY_MIGRATE: 'off' });
    const ready = async () => (await fetch(`${early.url}/readyz`)).json();
    await expect
      .poll(ready, { timeout: 60_000 })
      .toMatchObject({ reason: expect.stringContaining('migrations are missing') });
    await createRealm(environment.variables);
    await expect
      .poll(ready, { timeout: 60_000 })
      .toMatchObject({ reason: expect.stringContaining('PARLEY_SECRET_PREVIOUS') });
    await early.end('SIGTERM');
  });
});

test('a new secret replaces the old one while old API keys and tokens stay valid, until the old one is removed', async () => {
  const before = { ...environment.variables, PARLEY_SECRET: OTHER };
  const during = { ...before, PARLEY_SECRET: THIRD, PARLEY_SECRET_PREVIOUS: OTHER };
  const after = { ...before, PARLEY_SECRET: THIRD };
  const olga = await createRealm(before);
  let server = await startServer(before);
  const { address } = await addressIn(apiOf(server, olga));
  const old = (await createToken(apiOf(server, olga))).secret;
  expect(await statusWithToken(server, old)).toBe(200);
  await server.end('SIGTERM');
  server = await startServer(during);
  const api = apiOf(server, olga);
  expect(await finding(during, 'previous secret')).toMatchObject({ detail: expect.stringContaining('no API key') });
  expect(await statusWithToken(server, old)).toBe(200);
  expect(await codeOf(api.getOwnUser())).toBe('success');
  const fresh = (await createToken(api)).secret;
  const { api_key } = await api.fetchApiKey({ username: olga.email, password: PASSWORD });
  expect(api_key).not.toBe(olga.api_key);
  expect(await codeOf(apiOf(server, { ...olga, api_key }).getOwnUser())).toBe('success');
  await vi.waitFor(
    async () =>
      expect(await finding(during, 'previous secret')).toMatchObject({
        detail: expect.stringContaining('was last used'),
      }),
    30_000,
  );
  const email = 'Subject: Soup\n\nIt is ready.\n';
  expect(await parley(['deliver-mail', address], during, email)).toMatchObject({ code: 0 });
  await server.end('SIGTERM');
  server = await startServer(after);
  expect(await codeOf(apiOf(server, { ...olga, api_key }).getOwnUser())).toBe('success');
  expect(await codeOf(apiOf(server, olga).getOwnUser())).toBe('INVALID_API_KEY');
  expect([await statusWithToken(server, old), await statusWithToken(server, fresh)]).toEqual([401, 200]);
  expect(await parley(['deliver-mail', address], after, email)).toMatchObject({ code: 67 });
  await server.end('SIGTERM');
  expect(await parley(['serve'], before)).toMatchObject({ code: 2 });
});

const createToken = (api: ReturnType<typeof apiOf>) => api.createToken({ name: 'Digest', scopes: ['read'] });

async function statusWithToken({ url }: { url: string }, secret: string): Promise<number> {
  const { port } = new URL(url);
  const headers = { Authorization: `Bearer ${secret}` };
  return (await fetch(`http://localhost:${port}/api/v1/users/me`, { headers })).status;
}

async function addressIn(api: ReturnType<typeof apiOf>): Promise<{ address: string }> {
  await api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
  const { stream_id } = await api.getStreamId({ stream: 'kitchen' });
  return { address: (await api.getStreamEmailAddress({ stream_id })).email };
}
