import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { documentFile, documentYamlFile } from '@parley/openapi';
import express from 'express';
import { afterEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { serveDocument } from './document.ts';

const open: { close(): void }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

type ServerAddress = Parameters<typeof serveDocument>[0];
const serverAddress: ServerAddress = {
  base_domain: 'chat.example.com',
  port: undefined,
  scheme: 'https',
  web_public_streams_enabled: false,
};

/** The host and the scheme of the document's server, for a request to this host. */
async function findServer(
  host: string,
  settings: Partial<ServerAddress> = {},
  path = '/openapi.json',
): Promise<string[]> {
  const app = express();
  app.get('/openapi.json', serveDocument({ ...serverAddress, ...settings }, 'application/json', documentFile));
  app.get('/openapi.yaml', serveDocument({ ...serverAddress, ...settings }, 'application/yaml', documentYamlFile));
  const server = app.listen(0, '127.0.0.1');
  open.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sent = request({ host: '127.0.0.1', port, path, headers: { Host: host }, agent: false }).end();
  const [response] = await once(sent, 'response');
  const document = await text(response);
  // The YAML parser reads JSON as well, but takes a second for this document.
  const { servers } = path.endsWith('.json') ? JSON.parse(document) : parse(document, { maxAliasCount: -1 });
  const { scheme, host: name } = servers[0].variables;
  return [scheme.default, name.default];
}

test.each(['/openapi.json', '/openapi.yaml'])('%s names the organization whose host was requested', async (path) => {
  expect(await findServer('acme.chat.example.com', {}, path)).toEqual(['https', 'acme.chat.example.com']);
  expect(await findServer('chat.example.com', {}, path)).toEqual(['https', 'chat.example.com']);
});

test('the port is the one that clients connect to', async () => {
  const local = { base_domain: 'localhost', scheme: 'http', port: 8081 } as const;
  expect(await findServer('localhost:8081', local)).toEqual(['http', 'localhost:8081']);
  expect(await findServer('acme.localhost:99', local)).toEqual(['http', 'acme.localhost:8081']);
});

test.each(['evil.example', '', '".chat.example.com', 'a b.chat.example.com', '<b>.chat.example.com'])(
  'a host that is none of an organization, such as %j, is not repeated',
  async (host) => {
    expect(await findServer(host)).toEqual(['https', 'chat.example.com']);
  },
);
