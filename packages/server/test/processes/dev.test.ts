// `parley dev`: the demo organization.
import { createClient } from '@parley/client';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { hostFetch } from '../host-fetch.ts';
import { createEmbeddedEnvironment, endServers, startServer, type TestEnvironment } from '../parley.ts';

// Every command is a new process.
vi.setConfig({ testTimeout: 180_000 });
afterAll(endServers);

describe('parley dev', () => {
  let environment: TestEnvironment;
  beforeAll(async () => {
    environment = await createEmbeddedEnvironment();
  });
  afterEach(endServers);
  afterAll(() => environment.remove());

  test('creates a demo organization whose curl command works, and has the same one the next time', async () => {
    const first = await startServer(environment.variables, 'dev');
    await expect.poll(() => first.printed()).toMatch(/Ctrl-C/);
    const keys = first.printed().match(/\b\w{32}$/gm);
    expect(keys).toHaveLength(6);
    const [, login, address] = /^curl -u (\S+) (http\S+)$/m.exec(first.printed()) ?? [];
    const answer = await hostFetch(Number(new URL(address ?? '').port))(
      new Request(address ?? '', { headers: { Authorization: `Basic ${btoa(login ?? '')}` } }),
    );
    expect(await answer.json()).toMatchObject({ result: 'success' });
    expect(await first.end('SIGINT')).toBe(0);
    const second = await startServer(environment.variables, 'dev');
    await expect.poll(() => second.printed()).toMatch(/Ctrl-C/);
    expect(second.printed().match(/\b\w{32}$/gm)).toEqual(keys);
  });

  test('offers its users to the console at its own host name, and none under another one', async () => {
    const server = await startServer(environment.variables, 'dev');
    await expect.poll(() => server.printed()).toMatch(/Ctrl-C/);
    const [, address = ''] = /^API reference\s+(http\S+)\/docs$/m.exec(server.printed()) ?? [];
    const { port } = new URL(address);
    const fetchUsers = async (url: string) =>
      (await hostFetch(Number(port))(new Request(`${url}/docs/demo.json`))).json();
    const printed = server.printed().match(/\b\w{32}$/gm) ?? [];
    const { users: offered } = (await fetchUsers(address)) as { users: { email: string; api_key: string }[] };
    expect(offered).toMatchObject(printed.map((api_key) => ({ api_key })));
    const [desdemona] = offered;
    const { api_key } = await createClient(address, {
      login: { email: desdemona?.email ?? '', apiKey: desdemona?.api_key ?? '' },
      fetch: hostFetch(Number(port)),
    }).regenerateApiKey();
    expect(await fetchUsers(address), 'the key that is valid now').toMatchObject({
      users: [{ api_key }, ...offered.slice(1)],
    });
    expect(await fetchUsers(`http://elsewhere.example:${port}`)).toEqual({ users: [] });
  });
});
