import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import express from 'express';
import compressedStatic from 'express-static-gzip';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveDecompressed } from './decompressed.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-pages-'));
let server: Server;
beforeAll(async () => {
  mkdirSync(join(folder, 'guides'));
  writeFileSync(join(folder, 'index.html.gz'), gzipSync('<p>Welcome'));
  writeFileSync(join(folder, 'guides/index.html.gz'), gzipSync('<p>Guides'));
  writeFileSync(join(folder, '404.html.gz'), gzipSync('<p>Nothing'));
  writeFileSync(join(folder, 'gone.html.gz'), gzipSync('<p>Gone'));
  writeFileSync(join(folder, 'plain.txt'), 'plain');
  writeFileSync(join(folder, 'plain.txt.gz'), gzipSync('compressed'));
  const app = express();
  app.use(
    '/docs',
    serveDecompressed(folder, (res) => void res.setHeader('Referrer-Policy', 'no-referrer')),
  );
  app.use('/docs', compressedStatic(folder, { serveStatic: { extensions: ['html'] } }));
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const get = async (path: string, encoding: string, method = 'GET') => {
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { 'Accept-Encoding': encoding } });
  const { status, headers } = response;
  return {
    status,
    type: headers.get('content-type'),
    sent: headers.get('content-encoding'),
    text: await response.text(),
  };
};

test.each([
  ['/docs/', '<p>Welcome'],
  ['/docs/index.html', '<p>Welcome'],
  ['/docs/guides/', '<p>Guides'],
  ['/docs/404.html', '<p>Nothing'],
])('%s that exists in compressed form only is sent to every client', async (path, text) => {
  const type = expect.stringContaining('text/html') as unknown;
  expect(await get(path, 'identity')).toEqual({ status: 200, type, sent: null, text });
  expect(await get(path, 'gzip')).toMatchObject({ status: 200, sent: 'gzip', text });
  expect(await get(path, 'identity', 'HEAD')).toMatchObject({ status: 200, type, text: '' });
});

test('a file that cannot be read ends the connection, and the server goes on', async () => {
  rmSync(join(folder, 'gone.html.gz'));
  await expect(get('/docs/gone.html', 'identity')).rejects.toThrow();
  expect((await get('/docs/', 'identity')).status).toBe(200);
});

test('a file in both forms is sent as it is; a missing file, and one outside the folder, is not sent', async () => {
  expect(await get('/docs/plain.txt', 'identity')).toMatchObject({ sent: null, text: 'plain' });
  for (const path of ['/docs/nothing', '/docs/..%2findex.html', '/docs/guides/../../index.html'])
    expect((await get(path, 'identity')).status, path).toBe(404);
});
