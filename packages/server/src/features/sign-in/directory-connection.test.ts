import { rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '../../../test/certificate.ts';
import { type Chat, expectError, PASSWORD, startChat } from '../../../test/chat.ts';
import {
  closeServers,
  createDirectoryIdentity,
  createDirectoryRealm,
  fetchKey,
  listenAt,
  SHORT_TIMEOUT,
} from '../../../test/fixtures/directory.ts';
import { createMember } from '../../../test/fixtures/members.ts';
import { hasSlapd, type Slapd, startSlapd } from '../../../test/slapd.ts';
import { readConfig } from '../../config/index.ts';
import { createLimits, type Limits } from '../../http/limits/index.ts';

let limits: Limits;
beforeAll(() => {
  limits = createLimits(readConfig({}).rate_rules);
});
afterAll(() => {
  limits.close();
  closeServers();
});

describe.runIf(hasSlapd)('an encrypted connection to it (needs slapd)', () => {
  let slapd: Slapd;
  const ca = join(tmpdir(), `parley-ca-${process.pid}.pem`);
  beforeAll(async () => {
    const tls = await makeCertificate('localhost');
    writeFileSync(ca, tls.cert);
    slapd = await startSlapd({ tls, users: [{ uid: 'ada', mail: 'ada@directory.example', password: 'ada says so' }] });
  });
  afterAll(async () => {
    rmSync(ca);
    await slapd.stop();
  });

  test.each([
    ['ldaps', () => ({ url: slapd.secureUrl })],
    ['ldap, encrypted by StartTLS first', () => ({ url: slapd.url, start_tls: 'on' })],
  ])('%s: the server uses it only with a trusted certificate', async (_, more) => {
    const { directory } = await createDirectoryIdentity({ ...more(), ca });
    const entry = await directory?.find('ada');
    expect(entry && (await directory?.verifyPassword(entry, 'ada says so'))).toBe(true);
    expect(entry && (await directory?.verifyPassword(entry, 'a guess'))).toBe(false);
    await expect((await createDirectoryIdentity(more())).directory?.find('ada')).rejects.toThrow(/certificate/);
    const misnamed = more().url.replace('127.0.0.1', 'localhost.localdomain');
    await expect(
      (await createDirectoryIdentity({ ...more(), url: misnamed, ca })).directory?.find('ada'),
    ).rejects.toThrow();
  });
});

describe('a directory that does not respond', () => {
  let chat: Chat;
  const down = async (url: string, timeout = SHORT_TIMEOUT) => {
    chat = await startChat({ ownDatabase: true, limits, identity: await createDirectoryIdentity({ url }, timeout) });
    return createDirectoryRealm(chat);
  };

  test('is reported as down, does not hinder logins with a password, and counts attempts', async () => {
    const { realm } = await down('ldap://127.0.0.1:1');
    try {
      const ada = await createMember(chat, realm, 'ada@directory.example', PASSWORD);
      expect((await fetchKey(chat, realm, ada.email, PASSWORD)).user_id).toBe(ada.id);
      const answer = await chat.fetch(
        '/api/v1/fetch_api_key',
        {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ username: 'ada', password: 'x' }),
        },
        realm,
      );
      expect([answer.status, await answer.json()]).toEqual([
        503,
        {
          result: 'error',
          code: 'DIRECTORY_UNAVAILABLE',
          msg: 'The directory that knows the passwords of this organization does not respond. Try again in a minute.',
        },
      ]);
      for (let guess = 0; guess < 5; guess++)
        await expectError('DIRECTORY_UNAVAILABLE', fetchKey(chat, realm, ada.email, `guess ${guess}`));
      await expectError('RATE_LIMIT_HIT', fetchKey(chat, realm, ada.email, PASSWORD));
      for (let attempt = 0; attempt < 8; attempt++)
        await expectError('DIRECTORY_UNAVAILABLE', fetchKey(chat, realm, 'ben', 'his password'));
    } finally {
      await chat.close();
    }
  });

  test('is waited for until the time limit, without a connection to the database', async () => {
    let came = () => {};
    const arrived = new Promise<void>((resolve) => {
      came = resolve;
    });
    const { realm } = await down(await listenAt(() => came()), 2000);
    try {
      const waiting = expectError('DIRECTORY_UNAVAILABLE', fetchKey(chat, realm, 'ada', 'ada says so'));
      await arrived;
      const held = await rows<{ held: number }>(
        chat.database.db,
        sql`select count(*)::int as held from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`,
      );
      expect(held).toEqual([{ held: 0 }]);
      await waiting;
    } finally {
      await chat.close();
    }
  });

  test.each([
    ['hangs up', (socket: Socket) => socket.end()],
    ['breaks off', (socket: Socket) => socket.resetAndDestroy()],
    ['responds with another protocol', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('one that %s is reported as down as well', async (_, meet) => {
    const { directory } = await createDirectoryIdentity({ url: await listenAt(meet) }, SHORT_TIMEOUT);
    await expect(directory?.find('ada')).rejects.toMatchObject({ name: 'IdentityServiceUnavailable' });
  });

  test('one that breaks the TLS upgrade off receives no password over an unencrypted connection', async () => {
    const heard: Buffer[] = [];
    let connections = 0;
    // Agrees to encrypt, then closes the connection: a client that reconnects by itself is not encrypted.
    const agree = Buffer.from('300c02010178070a010004000400', 'hex');
    const url = await listenAt((socket) => {
      connections += 1;
      socket.on('data', (data) => {
        heard.push(data);
        if (heard.length === 1) socket.write(agree);
        else socket.resetAndDestroy();
      });
    });
    const { directory } = await createDirectoryIdentity({ url, start_tls: 'on' }, SHORT_TIMEOUT);
    const entry = { dn: 'uid=ada', email: 'ada@directory.example', full_name: undefined };
    await expect(directory?.verifyPassword(entry, 'ada says so')).rejects.toMatchObject({
      name: 'IdentityServiceUnavailable',
    });
    expect(connections).toBe(1);
    expect(Buffer.concat(heard).toString('latin1')).not.toContain('ada says so');
  });
});
