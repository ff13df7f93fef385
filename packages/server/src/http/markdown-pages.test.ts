import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveMarkdown } from './markdown-pages.ts';

const SAMPLE = 'curl http://localhost:8080/api/v1/users/me';
const folder = mkdtempSync(join(tmpdir(), 'parley-pages-'));
const serverAddress = {
  base_domain: 'chat.example.com',
  port: undefined,
  scheme: 'https',
  web_public_streams_enabled: false,
} as const;
let port: number;
let close: () => void;

beforeAll(async () => {
  mkdirSync(join(folder, 'guides'));
  writeFileSync(join(folder, 'guides/tokens.md'), SAMPLE);
  writeFileSync(join(folder, 'guides/tokens.md.gz'), gzipSync('not read'));
  writeFileSync(join(folder, 'llms.txt.gz'), gzipSync(SAMPLE));
  writeFileSync(join(folder, 'index.html'), SAMPLE);
  const app = express().use(
    '/docs',
    serveMarkdown(folder, serverAddress, (res, path) => res.setHeader('X-Path', path)),
  );
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
  close = () => server.close();
});
afterAll(() => {
  close();
  rmSync(folder, { recursive: true });
});

async function get(path: string, host: string, method = 'GET') {
  const sent = request({ host: '127.0.0.1', port, path, method, headers: { Host: host }, agent: false }).end();
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, type: response.headers['content-type'], text: await text(response) };
}

test.each([
  ['/docs/guides/tokens.md', 'text/markdown; charset=utf-8'],
  ['/docs/llms.txt', 'text/plain; charset=utf-8'],
])(
  '%s names the organization whose host was requested, also where the file exists only compressed',
  async (path, type) => {
    const body = { status: 200, type, text: 'curl https://acme.chat.example.com/api/v1/users/me' };
    expect(await get(path, 'acme.chat.example.com')).toEqual(body);
    expect(await get(path, 'acme.chat.example.com', 'HEAD')).toEqual({ ...body, text: '' });
  },
);

test('a host that does not belong to the server is not repeated', async () => {
  expect(await get('/docs/llms.txt', 'evil.example')).toMatchObject({
    text: SAMPLE.replace('http://localhost:8080', 'https://chat.example.com'),
  });
});

test.each(['/docs/index.html', '/docs/guides/../../package.json', '/docs/guides/tokens.md.gz', '/docs/none.md'])(
  '%s is left to others',
  async (path) => {
    expect(await get(path, 'chat.example.com')).toMatchObject({ status: 404 });
  },
);
