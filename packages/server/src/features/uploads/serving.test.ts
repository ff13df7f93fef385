// The content and the headers of downloads: no upload can harm the user who opens it.
import { request } from 'node:http';
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { got, loginOf, partsOf, textFile, uploaded } from '../../../test/files.ts';
import { type Format, picture } from '../../../test/pictures.ts';
import { parseFileName } from './rules.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat();
  [ada] = await chat.users('ada');
});
afterAll(() => chat.close());

const SAFE = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cache-control': 'private, no-cache',
};

test('a file is returned byte for byte, whatever its size, with headers that keep it harmless', async () => {
  const noise = new Uint8Array(3_000_001).map((_, n) => (n * 7919) >> 3);
  const { headers, bytes } = await got(chat, ada, await uploaded(ada, new File([noise], 'noise.bin')));
  expect(bytes.equals(Buffer.from(noise))).toBe(true);
  expect(Object.fromEntries(headers)).toMatchObject({
    ...SAFE,
    'content-type': 'application/octet-stream',
    'content-length': '3000001',
    'content-disposition': 'attachment; filename=noise.bin',
  });
});

describe('a picture', () => {
  test.each<Format>(['png', 'jpeg', 'gif', 'webp'])('can be shown inline: %s', async (format) => {
    const { headers } = await got(chat, ada, await uploaded(ada, new File([await picture(format)], 'soup.bin')));
    expect(Object.fromEntries(headers)).toMatchObject({
      ...SAFE,
      'content-type': `image/${format}`,
      'content-disposition': 'inline; filename=soup.bin',
    });
  });
});

test('a PDF can be shown inline', async () => {
  const { headers } = await got(chat, ada, await uploaded(ada, textFile('%PDF-1.7\n%âãÏÓ\n', 'menu.pdf')));
  expect(headers.get('content-type')).toBe('application/pdf');
  expect(headers.get('content-disposition')).toBe('inline; filename=menu.pdf');
});

describe('is served as an attachment of type application/octet-stream, whatever its declared type:', () => {
  test.each([
    ['a page', '<!doctype html><script>alert(1)</script>', 'page.html', 'text/html'],
    ['a page named as a picture', '<html><script>alert(1)</script></html>', 'cat.png', 'image/png'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'cat.svg', 'image/svg+xml'],
    [
      'SVG behind an XML head',
      '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
      'cat.png',
      'image/png',
    ],
    ['a script', 'alert(1)', 'run.js', 'text/javascript'],
    ['plain text', 'soup', 'soup.txt', 'text/plain'],
    ['an archive', 'PK\u0003\u0004noise', 'bomb.zip', 'application/zip'],
  ])('%s', async (_what, content, name, type) => {
    const { headers } = await got(chat, ada, await uploaded(ada, new File([content], name, { type })));
    expect(Object.fromEntries(headers)).toMatchObject({ ...SAFE, 'content-type': 'application/octet-stream' });
    expect(headers.get('content-disposition')).toMatch(/^attachment;/);
  });
});

test.each([
  ['soup.txt', 'soup.txt'],
  ['../../etc/passwd', 'passwd'],
  ['..\\..\\windows\\system.ini', 'system.ini'],
  ['a/b/c.txt', 'c.txt'],
  ['..', 'file'],
  ['.', 'file'],
  ['', 'file'],
  ['   ', 'file'],
  ['.htaccess', 'htaccess'],
  ['soup of the day.txt', 'soup_of_the_day.txt'],
  ['soup.txt\u0000.png', 'soup.txt.png'],
  ['so\u0007up\r\n.txt', 'soup.txt'],
  ['cod\u202egnp.exe', 'codgnp.exe'],
  ['a\u200bb\ufeff.txt', 'ab.txt'],
  ['"><script>.png', 'script_.png'],
  ['[x](http:evil).txt', 'x_http_evil_.txt'],
  ['a%2F..%2Fb', 'a_2F._2Fb'],
  ['50% & more?#x.txt', '50_more_x.txt'],
  ['日本 語.txt', '日本_語.txt'],
  ['Ménü.PDF', 'Ménü.PDF'],
  ['e\u0301.txt', 'é.txt'],
  ['\ud800.txt', 'txt'],
  [`${'x'.repeat(1000)}.jpeg`, `${'x'.repeat(95)}.jpeg`],
  ['𝒳'.repeat(1000), '𝒳'.repeat(100)],
  ['x'.repeat(1000), 'x'.repeat(100)],
])('a file uploaded as %j is named %j', (sent, name) => expect(parseFileName(sent)).toBe(name));

test.each([
  ['日本 語.txt', '日本_語.txt'],
  [`${'long'.repeat(250)}.png`, `${'long'.repeat(24)}.png`],
  ['a\u202eb.txt', 'ab.txt'],
  ['x"; filename="evil.html', 'x_22_filename_22evil.html'],
  ['../../../x.txt', 'x.txt'],
])('a file named %j can be uploaded and downloaded, and its URL can be written as a link', async (sent, name) => {
  const { uri, upload_key, file_name } = await ada.api.uploadFile({ file: textFile('soup', sent) });
  expect(file_name).toBe(name);
  expect(uri).toBe(`/user_uploads/${chat.realm.id}/${upload_key}/${encodeURIComponent(name)}`);
  expect((await got(chat, ada, uri)).bytes.toString()).toBe('soup');
  const { rendered } = await ada.api.renderMessage({ content: `[soup](${uri})` });
  // A preview follows for a picture.
  expect(rendered.startsWith(`<p><a href="${uri}">soup</a></p>`)).toBe(true);
});

describe('an upload fails', () => {
  test('without a file, with an empty one, and with text in place of one', async () => {
    const send = (body: FormData) =>
      chat.fetch('/api/v1/user_uploads', { method: 'POST', headers: loginOf(ada), body });
    const form = new FormData();
    const missing = await (await send(form)).json();
    expect(missing).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'file' });
    form.set('file', 'text');
    expect(await (await send(form)).json()).toMatchObject({
      code: 'BAD_REQUEST',
      msg: expect.stringMatching(/"file"/),
    });
    await expectError('BAD_REQUEST', ada.api.uploadFile({ file: textFile('') }), /^file: .*empty/);
  });

  test('over 25 MiB, with the parameter and the limit in the error, and succeeds up to the limit', async () => {
    const most = 25 * 1024 * 1024;
    await expectError(
      'BAD_REQUEST',
      ada.api.uploadFile({ file: new File([new Uint8Array(most + 1)], 'big') }),
      /"file".*25 MiB/,
    );
    await expectError('BAD_REQUEST', ada.api.uploadFile({ file: new File([new Uint8Array(40 * 1024 * 1024)], 'big') }));
    const uri = await uploaded(ada, new File([new Uint8Array(most)], 'big'));
    expect((await got(chat, ada, uri, { method: 'HEAD' })).headers.get('content-length')).toBe(String(most));
  });

  test('in a truncated body, and nothing is stored', async () => {
    const count = () => rows(chat.database.db, sql`select count(*)::int as n from uploads`);
    const before = await count();
    const [cut] = await Promise.all([
      chat.fetch('/api/v1/user_uploads', {
        method: 'POST',
        headers: { ...loginOf(ada), 'Content-Type': 'multipart/form-data; boundary=x' },
        body: '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nsoup',
      }),
    ]);
    expect(cut.status).toBe(400);
    expect(await count()).toEqual(before);
  });
});

test('an upload that is repeated with its Idempotency-Key is stored once', async () => {
  const file = textFile('once');
  const send = () => ada.api.uploadFile({ file }, { idempotencyKey: 'soup' });
  expect(await send()).toEqual(await send());
  const other = ada.api.uploadFile({ file: textFile('once', 'other.txt') }, { idempotencyKey: 'soup' });
  await expectError('BAD_REQUEST', other);
});

describe('a range of a file', () => {
  test.each([
    ['bytes=0-3', 206, 'soup', 'bytes 0-3/9'],
    ['bytes=5-', 206, 'stew', 'bytes 5-8/9'],
    ['bytes=-4', 206, 'stew', 'bytes 5-8/9'],
    ['bytes=7-99', 206, 'ew', 'bytes 7-8/9'],
    ['bytes=9-', 416, '', 'bytes */9'],
    ['bytes=0-0,4-4', 200, 'soup stew', null],
    ['words=1-2', 200, 'soup stew', null],
  ])('%s', async (Range, status, text, range) => {
    const uri = await uploaded(ada, textFile('soup stew'));
    const answer = await got(chat, ada, uri, { headers: { Range } });
    expect([answer.status, answer.bytes.toString(), answer.headers.get('content-range')]).toEqual([
      status,
      text,
      range,
    ]);
  });

  test('can begin and end anywhere, across the chunks in the database', async () => {
    const noise = Buffer.from(new Uint8Array(1_600_000).map((_, n) => n % 251));
    const uri = await uploaded(ada, new File([noise], 'noise'));
    for (const [from, to] of [
      [524_287, 524_288],
      [100, 1_599_999],
      [1_048_576, 1_048_576],
    ] as const) {
      const { bytes } = await got(chat, ada, uri, { headers: { Range: `bytes=${from}-${to}` } });
      expect(bytes.equals(noise.subarray(from, to + 1))).toBe(true);
    }
  });
});

test('a file that the client has already is not sent again, if the user can read it', async () => {
  const uri = await uploaded(ada);
  const etag = (await got(chat, ada, uri)).headers.get('etag') ?? '';
  const again = await got(chat, ada, uri, { headers: { 'If-None-Match': etag } });
  expect([again.status, again.bytes.length]).toEqual([304, 0]);
  const [eve] = await chat.users('eve');
  expect((await got(chat, eve, uri, { headers: { 'If-None-Match': etag } })).status).toBe(404);
});

describe('a temporary URL', () => {
  test('needs no credentials, and is valid for 60 seconds', async () => {
    const { url } = await ada.api.getFileUrl(partsOf(await uploaded(ada)));
    const { status, bytes, headers } = await got(chat, undefined, url);
    expect([status, bytes.toString()]).toEqual([200, 'Two carrots, one onion.']);
    expect(Object.fromEntries(headers)).toMatchObject(SAFE);
    chat.clock.advance({ seconds: 61 });
    expect((await got(chat, undefined, url)).status).toBe(404);
  });

  test('cannot be changed or forged', async () => {
    const { url } = await ada.api.getFileUrl(partsOf(await uploaded(ada)));
    const [, , , token = '', name] = url.split('/');
    const other = `${token.slice(0, 40)}${token[40] === 'A' ? 'B' : 'A'}${token.slice(41)}`;
    const { seal, unseal } = chat.app.server;
    const ticket = unseal('file_ticket', chat.realm, Buffer.from(token, 'base64url').toString('base64'));
    const sealed = Buffer.from(seal('email', chat.realm, ticket), 'base64').toString('base64url');
    for (const bad of [other, '', 'x', '%00', sealed, token.slice(0, 20), 'A'.repeat(4000)]) {
      expect((await got(chat, undefined, `/user_uploads/temporary/${bad}/${name}`)).status, bad).toBe(404);
    }
    expect((await got(chat, undefined, `/user_uploads/temporary/${token}/other.html`)).status).toBe(404);
  });
});

test.each([
  '/user_uploads',
  '/user_uploads/',
  '/user_uploads/1',
  '/user_uploads/1/x/y',
  '/user_uploads/x/00000000-0000-0000-0000-000000000000/a',
  '/user_uploads/1/%00/a',
  '/user_uploads/1/00000000-0000-0000-0000-000000000000/%00',
  '/user_uploads/1/00000000-0000-0000-0000-000000000000/..%2f..%2fetc%2fpasswd',
  '/user_uploads/99999999999999999999/00000000-0000-0000-0000-000000000000/a',
  '/user_uploads/1/%ff/a',
  '/user_uploads/../../../etc/passwd',
  '/user_uploads/1/../../../../etc/passwd',
])('a path without a file is 404 in the response envelope: %s', async (path) => {
  const { status, body } = await raw(path);
  expect(status).toBe(404);
  expect(JSON.parse(body)).toMatchObject({ result: 'error', code: 'NOT_FOUND' });
});

test('credentials are checked before the path', async () => {
  const uri = await uploaded(ada);
  for (const path of [uri, uri.replace(/[0-9a-f]{8}-/, '00000000-')]) {
    const { status, headers } = await got(chat, undefined, path);
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Basic realm="parley"']);
    expect((await got(chat, { ...ada, apiKey: 'x'.repeat(32) }, path)).status).toBe(401);
  }
});

/** The path as it is written: `fetch` would resolve its dots. */
function raw(path: string): Promise<{ status: number; body: string }> {
  const headers = { Host: chat.realm.host, ...loginOf(ada) };
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port: chat.port, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    req.on('error', reject).end();
  });
}
