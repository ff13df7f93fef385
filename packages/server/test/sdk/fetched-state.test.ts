// The types of the state say which properties are present. A registration of each part, and of all, verifies it.
import { readFileSync } from 'node:fs';
import { createClient, type StateType } from '@parley/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestLogin, type TestServer } from '../../src/testing/index.ts';

const file = new URL('../../../../openapi/generated/openapi.json', import.meta.url);
const { State } = JSON.parse(readFileSync(file, 'utf8')).components.schemas as {
  State: { properties: Record<string, unknown>; 'x-parts': Record<string, string[]> };
};
const all = Object.keys(State.properties);
const listed = new Set(Object.values(State['x-parts']).flat());
const parts = Object.entries({ ...State['x-parts'], realm: all.filter((name) => !listed.has(name)) });

let server: TestServer;
let accounts: [name: string, login: TestLogin][];
beforeAll(async () => {
  server = await startTestServer();
  accounts = [
    ['owner', server.login],
    ['member', await server.user('Ben')],
    ['guest', await server.user('Gus', 'guest')],
    ['bot', await server.bot('Bo')],
  ];
});
afterAll(() => server.stop());

/** The properties of the state that a registration returns. */
async function listFetched(login: TestLogin, params: { fetch_event_types?: StateType[] }): Promise<string[]> {
  const registration = await createClient(server.url, { login }).registerQueue(params);
  return Object.keys(registration).filter((name) => all.includes(name));
}

test.each(parts)('%s fetches the properties of its type, for every kind of account', async (type, properties) => {
  for (const [name, login] of accounts) {
    const fetched = await listFetched(login, { fetch_event_types: [type as StateType] });
    expect(fetched.sort(), name).toEqual([...properties].sort());
  }
});

test('a registration of everything has all properties but muted_topics, which user_topic replaces', async () => {
  for (const [name, login] of accounts) {
    const fetched = await listFetched(login, {});
    expect(fetched.sort(), name).toEqual(all.filter((property) => property !== 'muted_topics').sort());
  }
});
