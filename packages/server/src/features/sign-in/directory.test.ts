import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rows } from '@parley/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '../../../test/certificate.ts';
import { type Chat, expectError, PASSWORD, startChat } from '../../../test/chat.ts';
import { BASE, hasSlapd, SERVICE, type Slapd, startSlapd } from '../../../test/slapd.ts';
import { type DirectorySettings, readConfig } from '../../config/index.ts';
import type { Realm } from '../../core/context.ts';
import { createLimits, type Limits } from '../../http/limits/index.ts';
import { createIdentity } from '../../identity/index.ts';
import { createUser, deactivateUser } from '../user-admin/index.ts';

/** The time limit of the directory in these tests, in milliseconds. */
const PATIENCE = 300;
const settingsOf = (more: object): DirectorySettings => {
  const text = JSON.stringify({ base: `ou=people,${BASE}`, start_tls: 'off', ...more });
  const { ldap } = readConfig({ PARLEY_LDAP: text }).identity;
  if (!ldap) throw new Error('no settings of the directory');
  return ldap;
};
const identityOf = (more: object, patience = 5000) =>
  createIdentity({ ldap: settingsOf(more), oidc: [], saml: [] }, patience);

const open: Server[] = [];
/** A server on a port, which handles each connection as the test says. */
async function listenAt(meet: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    meet(socket);
  }).listen(0, '127.0.0.1');
  open.push(server);
  await once(server, 'listening');
  return `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let limits: Limits;
beforeAll(() => {
  limits = createLimits(readConfig({}).rate_rules);
});
afterAll(() => {
  limits.close();
  for (const server of open) server.close();
});

const fetchKey = (chat: Chat, realm: Realm, username: string, password: string) =>
  chat.apiOf(realm).fetchApiKey({ username, password });

let made = 0;
/** An organization that logs its users in with the directory; `invite_required: false` lets new users join. */
async function startChatWith(chat: Chat, settings: object = {}) {
  const { realm, owner } = await chat.otherRealm(`house${made++}`);
  await owner.api.updateRealm({ authentication_methods: { LDAP: true }, ...settings });
  return { realm, owner };
}
async function member(chat: Chat, realm: Realm, email: string, password?: string) {
  const wanted = { email, full_name: 'Already Here', role: 400, ...(password && { password }) };
  return chat.person(await chat.act((ctx) => createUser(ctx, wanted), realm), realm, false);
}

describe.runIf(hasSlapd)('a directory (needs slapd)', () => {
  let slapd: Slapd;
  let chat: Chat;
  /** An organization for names that do not exist. */
  let guessing: Realm;
  const visits: string[] = [];
  beforeAll(async () => {
    const elsewhere = await listenAt(() => void visits.push('came'));
    const people = [
      { uid: 'ada', mail: 'Ada@Directory.example', cn: 'Ada Lovelace', password: 'ada says so' },
      { uid: 'ben', mail: 'ben@directory.example', cn: 'Ben *Admin* @all|5', password: 'ben says so' },
      { uid: 'cat', mail: 'cat@directory.example', password: 'cat says so' },
      { uid: 'twin', mail: 'twin1@directory.example', password: 'twin says so' },
      { uid: 'other', mail: 'twin', password: 'twin says so' },
      { uid: 'mute', password: 'mute says so' },
      { uid: 'wild*card', mail: 'wild@directory.example', password: 'wild says so' },
      { uid: 'bot', mail: 'bot@directory.example', password: 'bot says so' },
    ];
    slapd = await startSlapd({ people, elsewhere: `${elsewhere}/${BASE}` });
    const service = { bind_dn: SERVICE.dn, bind_password: SERVICE.password };
    chat = await startChat({ ownDatabase: true, limits, identity: await identityOf({ url: slapd.url, ...service }) });
    guessing = (await startChatWith(chat, { invite_required: false })).realm;
  });
  afterAll(async () => {
    await chat.close();
    await slapd.stop();
  });

  // shows: 4.12.3
  test('its users log in by their name or address, to the account with this address', async () => {
    const { realm } = await startChatWith(chat);
    const ada = await member(chat, realm, 'ada@directory.example');
    const key = { api_key: ada.apiKey, email: 'ada@directory.example', user_id: ada.id };
    expect(await fetchKey(chat, realm, 'ada', 'ada says so')).toEqual(key);
    expect(await fetchKey(chat, realm, ' ADA ', 'ada says so')).toEqual(key);
    expect(await fetchKey(chat, realm, 'ada@directory.example', 'ada says so')).toEqual(key);
    const { require_email_format_usernames: format, authentication_methods } = await chat
      .apiOf(realm)
      .getServerSettings();
    expect([format, authentication_methods.ldap, authentication_methods.password]).toEqual([false, true, true]);
  });

  test('a wrong password, an empty one and an unknown name fail with the same response', async () => {
    const { realm } = await startChatWith(chat);
    await member(chat, realm, 'ada@directory.example');
    const wrong = await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'ada', 'not hers'));
    expect(await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'ada', ''))).toEqual(wrong);
    expect(await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'nobody', 'ada says so'))).toEqual(wrong);
  });

  test('a user without an account gets one where users can join by themselves, with a name that can be mentioned', async () => {
    const { realm, owner } = await startChatWith(chat, { invite_required: false });
    const { user_id, email } = await fetchKey(chat, realm, 'ada', 'ada says so');
    expect(email).toBe('Ada@Directory.example');
    expect(await owner.api.getUser({ user_id })).toMatchObject({ user: { full_name: 'Ada Lovelace', role: 400 } });
    expect((await fetchKey(chat, realm, 'ada@directory.example', 'ada says so')).user_id).toBe(user_id);
    const ben = await fetchKey(chat, realm, 'ben', 'ben says so');
    const { user } = await owner.api.getUser({ user_id: ben.user_id });
    expect(user.full_name).toBe('ben');
  });

  test('two concurrent requests create one account', async () => {
    const { realm } = await startChatWith(chat, { invite_required: false });
    const twice = ['cat', 'cat@directory.example'].map((name) => fetchKey(chat, realm, name, 'cat says so'));
    const [one, other] = await Promise.all(twice);
    expect(one).toEqual(other);
  });

  test('the error says that there is no account, where an invitation is required or the address is not allowed', async () => {
    const invited = await startChatWith(chat);
    const said = await expectError('AUTHENTICATION_FAILED', fetchKey(chat, invited.realm, 'ada', 'ada says so'));
    expect(said.msg).toMatch(/no account.*invitation/);
    const closed = await startChatWith(chat, { invite_required: false, emails_restricted_to_domains: true });
    await expectError('AUTHENTICATION_FAILED', fetchKey(chat, closed.realm, 'ada', 'ada says so'), /addresses/);
    // A wrong password does not reveal whether there is an account.
    const guess = await expectError('AUTHENTICATION_FAILED', fetchKey(chat, invited.realm, 'ada', 'a guess'));
    expect(guess.msg).not.toMatch(/account/);
  });

  test('a deactivated account cannot log in, by name or by address', async () => {
    const { realm } = await startChatWith(chat);
    const ada = await member(chat, realm, 'ada@directory.example');
    await chat.act((ctx) => deactivateUser(ctx, ada.id), realm);
    await expectError('USER_DEACTIVATED', fetchKey(chat, realm, 'ada', 'ada says so'));
    await expectError('USER_DEACTIVATED', fetchKey(chat, realm, 'ada@directory.example', 'whatever'));
    await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'ada', 'a guess'));
  });

  test('no login is possible to the account of a bot', async () => {
    const { realm, owner } = await startChatWith(chat);
    const wanted = {
      email: 'bot@directory.example',
      full_name: 'A Bot',
      role: 400,
      bot: { type: 1, owner_id: owner.id },
    };
    await chat.act((ctx) => createUser(ctx, wanted), realm);
    await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'bot', 'bot says so'));
  });

  test.each(['*', 'a*', '*)(uid=*', 'ada)(|(uid=*', 'ada\\', '(uid=ada)', '\0', 'ada)(cn=Ada*'])(
    'a user name is escaped in the filter: %j',
    async (name) => {
      const outcome = await fetchKey(chat, guessing, name, 'ada says so').catch((error) => error);
      expect(['AUTHENTICATION_FAILED', 'BAD_REQUEST']).toContain(outcome.code);
    },
  );

  test('a name with an asterisk is found by its exact name', async () => {
    const { realm } = await startChatWith(chat, { invite_required: false });
    expect(await fetchKey(chat, realm, 'wild*card', 'wild says so')).toMatchObject({ email: 'wild@directory.example' });
  });

  test('a name of two users fails, and so does that of a user without an address', async () => {
    const { realm } = await startChatWith(chat, { invite_required: false });
    await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'twin', 'twin says so'));
    await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'mute', 'mute says so'));
  });

  test('the server does not follow referrals', async () => {
    const { realm } = await startChatWith(chat);
    await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'somebody', 'a password'));
    expect(visits).toEqual([]);
  });

  test('attempts are counted by account, however the name is written', async () => {
    const { realm } = await startChatWith(chat);
    await member(chat, realm, 'cat@directory.example');
    // The directory finds `cat` by all of these: it folds full-width letters.
    for (const name of ['cat', 'ｃat', 'cａt', 'caｔ', 'cat@directory.example'])
      await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, name, 'a guess'));
    await expectError('RATE_LIMIT_HIT', fetchKey(chat, realm, 'ｃａｔ', 'cat says so'));
    await expectError('RATE_LIMIT_HIT', fetchKey(chat, realm, 'CAT', 'cat says so'));
  });

  test('an account with a password can log in with it, and with that of the directory', async () => {
    const { realm, owner } = await startChatWith(chat);
    const ben = await member(chat, realm, 'ben@directory.example', PASSWORD);
    const ids = [];
    for (const password of [PASSWORD, 'ben says so'])
      ids.push((await fetchKey(chat, realm, ben.email, password)).user_id);
    expect(ids).toEqual([ben.id, ben.id]);
    await owner.api.updateRealm({ authentication_methods: { Email: false } });
    await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, ben.email, PASSWORD));
    expect((await fetchKey(chat, realm, ben.email, 'ben says so')).user_id).toBe(ben.id);
  });

  test('the directory is not asked for an organization that has not enabled it', async () => {
    const { realm } = await chat.otherRealm(`house${made++}`);
    await member(chat, realm, 'ada@directory.example');
    await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'ada@directory.example', 'ada says so'));
    await expectError('BAD_REQUEST', fetchKey(chat, realm, 'ada', 'ada says so'), /username/);
  });

  test('the directory is asked without a service account where it allows anonymous searches', async () => {
    const { directory } = await identityOf({ url: slapd.url });
    const entry = await directory?.find('ada');
    expect(entry).toMatchObject({ email: 'Ada@Directory.example', full_name: 'Ada Lovelace' });
    expect(await directory?.verifyPassword({ dn: '', email: '', full_name: '' }, '')).toBe(false);
  });

  test('doctor reports what is wrong with the directory', async () => {
    await (await identityOf({ url: slapd.url })).directory?.check();
    await expect((await identityOf({ url: slapd.url, base: 'dc=nowhere' })).directory?.check()).rejects.toThrow(/0x20/);
    const wrong = await identityOf({ url: slapd.url, bind_dn: SERVICE.dn, bind_password: 'forgotten' });
    await expect(wrong.directory?.check()).rejects.toThrow(/0x31/);
  });
});

describe.runIf(hasSlapd)('an encrypted connection to it (needs slapd)', () => {
  let slapd: Slapd;
  const ca = join(tmpdir(), `parley-ca-${process.pid}.pem`);
  beforeAll(async () => {
    const tls = await makeCertificate('localhost');
    writeFileSync(ca, tls.cert);
    slapd = await startSlapd({ tls, people: [{ uid: 'ada', mail: 'ada@directory.example', password: 'ada says so' }] });
  });
  afterAll(async () => {
    rmSync(ca);
    await slapd.stop();
  });

  test.each([
    ['ldaps', () => ({ url: slapd.secureUrl })],
    ['ldap, encrypted by StartTLS first', () => ({ url: slapd.url, start_tls: 'on' })],
  ])('%s: the server uses it only with a trusted certificate', async (_, more) => {
    const { directory } = await identityOf({ ...more(), ca });
    const entry = await directory?.find('ada');
    expect(entry && (await directory?.verifyPassword(entry, 'ada says so'))).toBe(true);
    expect(entry && (await directory?.verifyPassword(entry, 'a guess'))).toBe(false);
    await expect((await identityOf(more())).directory?.find('ada')).rejects.toThrow(/certificate/);
    const misnamed = more().url.replace('127.0.0.1', 'localhost.localdomain');
    await expect((await identityOf({ ...more(), url: misnamed, ca })).directory?.find('ada')).rejects.toThrow();
  });
});

describe('a directory that does not respond', () => {
  let chat: Chat;
  const down = async (url: string, patience = PATIENCE) => {
    chat = await startChat({ ownDatabase: true, limits, identity: await identityOf({ url }, patience) });
    return startChatWith(chat);
  };

  test('is reported as down, does not hinder logins with a password, and counts attempts', async () => {
    const { realm } = await down('ldap://127.0.0.1:1');
    try {
      const ada = await member(chat, realm, 'ada@directory.example', PASSWORD);
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
          msg: 'The directory that knows the passwords of this organization does not answer. Try again in a minute.',
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
    const { directory } = await identityOf({ url: await listenAt(meet) }, PATIENCE);
    await expect(directory?.find('ada')).rejects.toMatchObject({ name: 'Unavailable' });
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
    const { directory } = await identityOf({ url, start_tls: 'on' }, PATIENCE);
    const entry = { dn: 'uid=ada', email: 'ada@directory.example', full_name: undefined };
    await expect(directory?.verifyPassword(entry, 'ada says so')).rejects.toMatchObject({ name: 'Unavailable' });
    expect(connections).toBe(1);
    expect(Buffer.concat(heard).toString('latin1')).not.toContain('ada says so');
  });
});
